// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Stands before a node and passes on requests and replies, until it answers some requests itself. */
public final class LyingFront implements AutoCloseable {

    private static final int PAUSE_MILLIS = 20;

    private final ServerSocket listener;
    private volatile int behind;
    private final String asked;
    private final Supplier<byte[]> reply;
    private final int rest;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean lying;
    private volatile boolean told;

    /**
     * @param asked which requests it answers: those that have this in them
     * @param reply what they are answered with
     * @param rest what follows, byte by byte and for ever; 0 for nothing, -1 for the reply again and again
     */
    LyingFront(int behind, String asked, byte[] reply, int rest) throws IOException {
        this(behind, asked, () -> reply, rest);
    }

    /** @param reply made anew each time */
    LyingFront(int behind, String asked, Supplier<byte[]> reply, int rest) throws IOException {
        this.listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        this.behind = behind;
        this.asked = asked;
        this.reply = reply;
        this.rest = rest;
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Passes on to another node, from the next connection on; there is none left of before. */
    void standBefore(int port) throws IOException {
        behind = port;
        disconnect();
    }

    private void disconnect() throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
    }

    void lie() {
        lying = true;
    }

    void beHonest() {
        lying = false;
    }

    /** Returns whether it has lied to a client. */
    boolean told() {
        return told;
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "lying-front");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), behind);
                open.addAll(Set.of(client, server));
                start(() -> pass(client, server, true));
                start(() -> pass(server, client, false));
            } catch (IOException e) {
                // the test is over
            }
        }
    }

    private void pass(Socket from, Socket to, boolean requests) {
        byte[] bytes = new byte[64 * 1024];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int length;
            boolean answered = false;
            while ((length = in.read(bytes)) >= 0) {
                boolean goesOn = requests && bytes[0] != '*'; // the rest of a request that came in two parts
                if (requests && lying && new String(Arrays.copyOf(bytes, length)).contains(asked)) {
                    tell(from.getOutputStream());
                    answered = true;
                } else if (!goesOn || !answered) {
                    answered = false;
                    out.write(bytes, 0, length);
                }
            }
        } catch (IOException e) {
            // one of them has gone
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private void tell(OutputStream client) throws IOException {
        told = true;
        client.write(reply.get());
        while (rest != 0 && lying) {
            pause();
            client.write(rest < 0 ? reply.get() : new byte[] {(byte) rest});
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(PAUSE_MILLIS); // a node that is slow, not one that floods
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        disconnect();
    }
}
