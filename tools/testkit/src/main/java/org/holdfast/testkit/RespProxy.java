// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A proxy that speaks Redis, on a port of the loopback address: it keeps a client's connection while the process behind
 * it ends and another one starts. Passes on one request after the other; of a request that was under way when the
 * process ended it reports an error, as such proxies do.
 */
public final class RespProxy implements AutoCloseable {

    private static final long PATIENCE_NANOS = 5_000_000_000L;

    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile int behind;

    private RespProxy(ServerSocket listener, int behind) {
        this.listener = listener;
        this.behind = behind;
    }

    /** @param behind the port of the server behind */
    public static RespProxy start(int behind) throws IOException {
        RespProxy proxy = new RespProxy(new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1")), behind);
        run(proxy::accept);
        return proxy;
    }

    /** Sends what comes from now on to another server. Requests that are under way end where they are. */
    public void turnTo(int port) {
        behind = port;
    }

    public String uri() {
        return "redis://127.0.0.1:" + listener.getLocalPort();
    }

    private static void run(Runnable work) {
        Thread thread = new Thread(work, "resp-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                open.add(client);
                run(() -> serve(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                Backend backend = new Backend()) {
            client.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(client.getInputStream());
            while (true) {
                client.getOutputStream().write(backend.answer(read(in)));
            }
        } catch (IOException e) {
            // the client has gone, or this proxy is closed
        } finally {
            open.remove(client);
        }
    }

    /** The connection to the process behind, for one client. */
    private final class Backend implements AutoCloseable {

        private Socket socket;
        private InputStream in;
        private int port;

        byte[] answer(byte[] request) throws IOException {
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (true) {
                try {
                    connect();
                } catch (IOException e) {
                    if (System.nanoTime() - deadline > 0) {
                        throw e;
                    }
                    Thread.onSpinWait();
                    continue;
                }
                try {
                    socket.getOutputStream().write(request);
                    return read(in);
                } catch (EOFException e) { // it ended while no request was under way, as far as this can be known
                    close();
                } catch (IOException e) {
                    close();
                    return "-ERR upstream failure\r\n".getBytes(StandardCharsets.US_ASCII);
                }
            }
        }

        private void connect() throws IOException {
            if (socket != null && port != behind) {
                close();
            }
            if (socket == null) {
                port = behind;
                socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
                open.add(socket);
                socket.setTcpNoDelay(true);
                in = new BufferedInputStream(socket.getInputStream());
            }
        }

        @Override
        public void close() throws IOException {
            if (socket != null) {
                open.remove(socket);
                socket.close();
                socket = null;
            }
        }
    }

    /** Returns one request or one reply, as it is written. */
    private static byte[] read(InputStream in) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        long left = 1;
        while (left > 0) {
            left--;
            String line = readLine(in, whole);
            char type = line.charAt(0);
            if (type == '*') {
                left += Math.max(0, Long.parseLong(line.substring(1)));
            } else if (type == '$' && !line.equals("$-1")) {
                whole.write(in.readNBytes(Integer.parseInt(line.substring(1)) + 2));
            }
        }
        return whole.toByteArray();
    }

    private static String readLine(InputStream in, ByteArrayOutputStream whole) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int read = in.read(); read != '\n'; read = in.read()) {
            if (read < 0) {
                throw new EOFException("the connection has ended");
            }
            whole.write(read);
            if (read != '\r') {
                line.append((char) read);
            }
        }
        whole.write('\n');
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket each : open) {
            each.close();
        }
    }
}
