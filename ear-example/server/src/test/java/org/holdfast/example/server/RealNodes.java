// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The nodes, asked without Holdfast: what they know of a lock; and their processes, to be frozen. */
final class RealNodes {

    private static final int PATIENCE_MILLIS = 5_000;

    /** So many tokens follow that of a lease which are its lock's too: it may be handed on inside a process. */
    private static final int RESERVED_TOKENS = 15;

    private final List<URI> nodes = Arrays.stream(
                    System.getProperty("holdfast.nodes").split(","))
            .map(URI::create)
            .toList();

    private final String keyPrefix;

    RealNodes() {
        this("holdfast");
    }

    RealNodes(String keyPrefix) {
        this.keyPrefix = keyPrefix;
    }

    /** Returns whether a majority of the nodes has the lock. */
    boolean isHeld(String lock) {
        return holders(lock).count() > nodes.size() / 2;
    }

    /** Returns whether no node has the lock. */
    boolean isFree(String lock) {
        return holders(lock).findAny().isEmpty();
    }

    private Stream<URI> holders(String lock) {
        return nodes.stream()
                .filter(node -> ask(node, "EXISTS " + key(lock, "lock")).equals("1"));
    }

    /** Returns how long the lock has still to live where it lives longest, in ms; not positive where there is none. */
    long millisLeft(String lock) {
        return nodes.stream()
                .mapToLong(node -> Long.parseLong(ask(node, "PTTL " + key(lock, "lock"))))
                .max()
                .orElseThrow();
    }

    /** Returns the token of an exclusive lease that was not handed on: nodes remember the last one reserved with it. */
    long token(String lock) {
        return nodes.stream().mapToLong(node -> tokenAt(node, lock)).max().orElseThrow() - RESERVED_TOKENS;
    }

    /**
     * Returns whether the lease, alone on its lock and not handed on, was released on a majority of the nodes: one that
     * hung when the adapter stopped keeps it until its TTL. A lock that has expired is as free, but its last token was
     * not raised.
     */
    boolean isReleased(String lock, long token) {
        long released = nodes.stream()
                .filter(node -> tokenAt(node, lock) == token + RESERVED_TOKENS + 1)
                .count();
        return !isHeld(lock) && released > nodes.size() / 2;
    }

    /** Behind the last token stand the last one of a lease and its end. */
    private long tokenAt(URI node, String lock) {
        String stored = ask(node, "GET " + key(lock, "fence"));
        return stored.isEmpty() ? 0 : Long.parseLong(stored.split(" ")[0]);
    }

    private String key(String lock, String part) {
        return keyPrefix + ":{" + lock + "}:" + part;
    }

    /** Returns the connections that Holdfast has to all of them together, as each node describes its own. */
    List<String> clients() {
        return nodes.stream()
                .flatMap(node -> ask(node, "CLIENT LIST").lines())
                .filter(client -> client.contains(" name=holdfast"))
                .toList();
    }

    /** Stops all processes in their tracks, until it is closed: connections stay open, and nothing is answered. */
    Frozen freeze() {
        return new Frozen(nodes.stream().map(RealNodes::process).toList());
    }

    private static String process(URI node) {
        return ask(node, "INFO server")
                .lines()
                .filter(line -> line.startsWith("process_id:"))
                .map(line -> line.substring("process_id:".length()))
                .findFirst()
                .orElseThrow();
    }

    /** Processes that do not run. */
    static final class Frozen implements AutoCloseable {

        private final List<String> processes;

        private Frozen(List<String> processes) {
            this.processes = processes;
            signal("-STOP");
        }

        @Override
        public void close() {
            signal("-CONT");
        }

        private void signal(String signal) {
            List<String> command =
                    Stream.concat(Stream.of("kill", signal), processes.stream()).toList();
            try {
                if (new ProcessBuilder(command).start().waitFor() != 0) {
                    throw new IllegalStateException(command + " failed");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while nodes were signalled", e);
            }
        }
    }

    /** Returns the reply without its type or length, and nothing for null. */
    private static String ask(URI node, String command) {
        try (Socket socket = new Socket(node.getHost(), node.getPort())) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
            InputStream reply = new BufferedInputStream(socket.getInputStream());
            String line = line(reply);
            int length = line.startsWith("$") ? Integer.parseInt(line.substring(1)) : 0;
            return line.startsWith("$")
                    ? new String(reply.readNBytes(Math.max(0, length)), StandardCharsets.US_ASCII)
                    : line.substring(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String line(InputStream reply) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = reply.read(); next != '\r'; next = reply.read()) {
            if (next < 0) {
                throw new EOFException("the node hung up after '" + line + "'");
            }
            line.append((char) next);
        }
        reply.read(); // the line feed
        return line.toString();
    }
}
