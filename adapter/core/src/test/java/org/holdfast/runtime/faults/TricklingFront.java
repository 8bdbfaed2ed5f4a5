// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Stands before a node, and passes on what it answers byte by byte, or only how that begins. */
public final class TricklingFront implements AutoCloseable {

    /** A reply of 31 bytes takes 620 ms. */
    private static final int PAUSE_MILLIS = 20;

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final int behind;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean trickling;
    private volatile boolean holding;

    TricklingFront(int behind) throws IOException {
        this.behind = behind;
        start(this::accept);
    }

    String uri() {
        return "redis://127.0.0.1:" + listener.getLocalPort();
    }

    /** Returns the ends of the connections that are open now. */
    Set<Socket> open() {
        return Set.copyOf(open);
    }

    void trickle() {
        trickling = true;
    }

    /** Passes on the first byte of what the node answers from now on, and no more. */
    void holdTheRest() {
        holding = true;
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "trickling-front");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), behind);
                client.setTcpNoDelay(true);
                open.addAll(Set.of(client, server));
                start(() -> pass(client, server, false));
                start(() -> pass(server, client, true));
            } catch (IOException e) {
                // the test is over
            }
        }
    }

    private void pass(Socket from, Socket to, boolean replies) {
        byte[] bytes = new byte[64 * 1024];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int length;
            while ((length = in.read(bytes)) >= 0) {
                if (replies && holding) {
                    out.write(bytes, 0, 1);
                    closed.await();
                }
                int done = 0;
                for (; done < length && replies && trickling; done++) {
                    out.write(bytes, done, 1);
                    Thread.sleep(PAUSE_MILLIS); // a node that is slow
                }
                out.write(bytes, done, length - done);
            }
        } catch (IOException | InterruptedException e) {
            // one of them has gone
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
