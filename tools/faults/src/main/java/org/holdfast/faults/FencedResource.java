// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.holdfast.history.Write;

/** What the locks protect: a server that accepts writes, and refuses a token that is smaller than the last. */
public final class FencedResource implements AutoCloseable {

    private final ServerSocket listener;
    private final boolean fenced;
    private final Map<String, Long> lastTokens = new HashMap<>();
    private final List<Write> writes = new ArrayList<>();

    /** @param fenced whether it looks at tokens; without that, writes of paused holders come through */
    public FencedResource(boolean fenced) {
        this.fenced = fenced;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Threads.start("resource", this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Returns all writes so far, in the order in which they were decided. */
    public synchronized List<Write> writes() {
        return List.copyOf(writes);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Threads.start("resource", () -> serve(client));
            } catch (IOException e) {
                // closed
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            OutputStream out = client.getOutputStream();
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
            String line;
            while ((line = in.readLine()) != null) {
                String[] part = line.split(" ");
                boolean written = decide(part[0], Long.parseLong(part[1]));
                out.write((written ? "written\n" : "refused\n").getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            // the client was killed
        }
    }

    private synchronized boolean decide(String lock, long token) {
        boolean accepted = !fenced || token >= lastTokens.getOrDefault(lock, 0L);
        if (accepted) {
            lastTokens.put(lock, token);
        }
        writes.add(new Write(lock.intern(), token, System.nanoTime(), accepted));
        return accepted;
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
