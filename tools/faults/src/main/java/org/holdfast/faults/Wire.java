// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** The network between one client and one node: a proxy for bytes, with weather. */
final class Wire implements AutoCloseable {

    /** How the network is. */
    enum Weather {
        CLEAR,

        /** Connections are open, and nothing comes through; what is swallowed is lost, with its connection. */
        BLACK_HOLE,

        /** Requests come through, and answers do not. */
        HALF_OPEN,

        /** Connections are reset, also new ones. */
        RESET,

        /** Each byte comes for itself. */
        TRICKLE,

        /** All comes later, some of it much. */
        SLOW
    }

    private static final int CHUNK = 16 * 1024;
    private static final long TRICKLE_MILLIS = 2;

    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile int behind;
    private volatile Weather weather = Weather.CLEAR;

    /** @param behind the port of the node */
    Wire(int behind) {
        this.behind = behind;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Threads.start("wire", this::accept);
    }

    String uri() {
        return "redis://127.0.0.1:" + listener.getLocalPort();
    }

    void weather(Weather now) {
        weather = now;
        if (now == Weather.RESET) {
            open.forEach(Wire::reset);
        }
    }

    /** Leads to another process, as an address does that follows a failover; what is open is reset. */
    void leadTo(int port) {
        behind = port;
        open.forEach(Wire::reset);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                open.add(client);
                Threads.start("wire", () -> connect(client));
            } catch (IOException e) {
                // closed
            }
        }
    }

    private void connect(Socket client) {
        if (weather == Weather.RESET) {
            reset(client);
            open.remove(client);
            return;
        }
        try {
            Socket node = new Socket(InetAddress.getLoopbackAddress(), behind);
            open.add(node);
            client.setTcpNoDelay(true);
            node.setTcpNoDelay(true);
            Threads.start("wire", () -> pass(node, client, false));
            pass(client, node, true);
        } catch (IOException e) {
            reset(client); // no process listens there
            open.remove(client);
        }
    }

    private void pass(Socket from, Socket to, boolean isRequest) {
        byte[] bytes = new byte[CHUNK];
        boolean lost = false;
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int length = in.read(bytes);
            while (length >= 0 && !(lost && weather == Weather.CLEAR)) {
                lost |= !pass(bytes, length, out, isRequest);
                length = in.read(bytes);
            }
        } catch (IOException e) {
            // one of them has gone
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    /** Returns whether it came through. */
    private boolean pass(byte[] bytes, int length, OutputStream out, boolean isRequest) throws IOException {
        Weather now = weather;
        switch (now) {
            case BLACK_HOLE, RESET -> {
                return false;
            }
            case HALF_OPEN -> {
                if (!isRequest) {
                    return false;
                }
                out.write(bytes, 0, length);
            }
            case TRICKLE -> trickle(bytes, length, out);
            case SLOW -> {
                Threads.sleep(anyDelayMillis());
                out.write(bytes, 0, length);
            }
            case CLEAR -> out.write(bytes, 0, length);
        }
        return true;
    }

    private void trickle(byte[] bytes, int length, OutputStream out) throws IOException {
        for (int sent = 0; sent < length; sent++) {
            if (weather != Weather.TRICKLE) {
                out.write(bytes, sent, length - sent);
                return;
            }
            out.write(bytes, sent, 1);
            Threads.sleep(TRICKLE_MILLIS);
        }
    }

    private static long anyDelayMillis() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return random.nextInt(8) == 0 ? random.nextInt(400) : 1 + random.nextInt(20);
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // it is closed
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        open.forEach(Wire::reset);
    }
}
