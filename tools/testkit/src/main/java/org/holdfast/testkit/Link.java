// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * A way to a server that can be cut, as a partition of the network does: connections stay open, and nothing comes
 * through.
 *
 * <p>It can be cut for some of those that connect only. They are told apart by the first bytes that they send.
 */
public final class Link implements AutoCloseable {

    private static final int CHUNK = 64 * 1024;
    private static final Predicate<String> NOTHING = first -> false;

    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile int behind;
    private volatile Predicate<String> stray = NOTHING;
    private volatile int behindForStrays;
    private volatile Predicate<String> cut = NOTHING;
    private volatile Duration delay = Duration.ZERO;
    private volatile Duration distance = Duration.ZERO;

    /** @param behind the port of the server */
    public Link(int behind) {
        this("127.0.0.1", 0, behind);
    }

    /**
     * @param host an address of this machine
     * @param port where it listens; 0 for one that is free
     * @param behind the port of the server
     */
    public Link(String host, int port, int behind) {
        try {
            this.listener = new ServerSocket(port, 50, InetAddress.getByName(host));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.behind = behind;
        start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Returns the address in the form that Holdfast takes. */
    public String uri() {
        return "redis://127.0.0.1:" + port();
    }

    /** Lets nothing through any more. */
    public void cut() {
        cut = first -> true;
    }

    /** Lets nothing through from and to those whose first bytes do not have this text in them. */
    public void cutOthersThan(String text) {
        cut = first -> !first.contains(text);
    }

    /** Lets everything through again; connections on which something was swallowed are closed. */
    public void mend() {
        cut = NOTHING;
    }

    /** Passes the first bytes of each new connection on so much later. */
    public void delayFirst(Duration by) {
        delay = by;
    }

    /** Passes everything on so much later, in both directions: the server is far. */
    public void delayAll(Duration by) {
        distance = by;
    }

    /** Leads to another server from the next connection on. Connections of before stay where they are. */
    public void leadTo(int port) {
        behind = port;
    }

    /** Leads those whose first bytes do not have this text to another server, from their next connections on. */
    public void leadOthersThan(String text, int port) {
        behindForStrays = port;
        stray = first -> !first.contains(text);
    }

    /** Leads to another server, and ends the connections of before, as a load balancer does after a failover. */
    public void turnTo(int port) {
        behind = port;
        open.forEach(Link::close);
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "link");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                open.add(client);
                start(() -> connect(client));
            } catch (IOException e) {
                // the test is over
            }
        }
    }

    private void connect(Socket client) {
        byte[] bytes = new byte[CHUNK];
        try {
            int length = client.getInputStream().read(bytes);
            if (length > 0) {
                String first = new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
                swallow(first, client.getInputStream());
                Thread.sleep(delay.toMillis()); // what a test asks for is a slow way
                int port = stray.test(first) ? behindForStrays : behind;
                Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
                open.add(server);
                start(() -> pass(first, server, client));
                server.getOutputStream().write(bytes, 0, length);
                pass(first, client, server);
                return;
            }
        } catch (IOException e) {
            // one of them has gone
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close(client);
    }

    private void pass(String first, Socket from, Socket to) {
        try (from;
                to) {
            passUntilLost(first, from.getInputStream(), to.getOutputStream());
        } catch (IOException e) {
            // one of them has gone
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private void passUntilLost(String first, InputStream in, OutputStream out)
            throws IOException, InterruptedException {
        byte[] bytes = new byte[CHUNK];
        try {
            int length = in.read(bytes);
            while (length >= 0 && !cut.test(first)) {
                Thread.sleep(distance.toMillis()); // what a test asks for is a long way
                out.write(bytes, 0, length);
                length = in.read(bytes);
            }
            swallow(first, in);
        } finally {
            while (isCut(first)) { // the end is not seen on the other side either
                Thread.sleep(10); // a test mends it
            }
        }
    }

    private boolean isCut(String first) {
        return cut.test(first) && !listener.isClosed();
    }

    /** Keeps the connection open for as long as it is cut. */
    private void swallow(String first, InputStream in) throws IOException {
        try {
            while (isCut(first)) {
                if (in.available() > 0) {
                    in.skip(in.available());
                }
                Thread.sleep(10); // a test mends it
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static void close(Socket socket) {
        try {
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
        open.forEach(Link::close);
    }
}
