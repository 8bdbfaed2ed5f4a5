// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port of this machine on which no process listens, and which no other process is given until this JVM ends: a server
 * that a test has killed is to find its port again, and its clients no other test's server there.
 */
public final class FreePort {

    /** So much higher is the port by which nodes of a cluster talk with each other. */
    public static final int BUS = 10_000;

    /** Below the ports that operating systems give to clients: one of these could have it while the server is down. */
    private static final int FIRST = 10_000;

    private static final int BEHIND_LAST = 30_000;
    private static final int ATTEMPTS = 1_000;

    /** The byte of the file at the number of a port is locked by the JVM that was given the port. */
    private static final Map<Integer, FileLock> GIVEN = new HashMap<>();

    private static FileChannel claims;

    private FreePort() {}

    /** Returns a port that no process listens on, another one with each call. */
    public static synchronized int find() {
        return find(BEHIND_LAST, 0);
    }

    /** Returns the same for a node of a cluster, which listens on the one that is {@link #BUS} higher too. */
    public static synchronized int findWithBus() {
        return find(BEHIND_LAST - BUS, BUS);
    }

    private static int find(int behindLast, int distance) {
        try {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                int port = ThreadLocalRandom.current().nextInt(FIRST, behindLast);
                if (isOurs(port) && (distance == 0 || isOurs(port + distance))) {
                    return port;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("none of " + ATTEMPTS + " ports between " + FIRST + " and " + behindLast
                + " is free; this process was given " + GIVEN.size());
    }

    private static boolean isOurs(int port) throws IOException {
        return !GIVEN.containsKey(port) && claim(port) && isFree(port);
    }

    /** Returns whether it is ours from now on: it is not while another JVM has it. */
    static synchronized boolean claim(int port) throws IOException {
        if (claims == null) {
            String user = System.getProperty("user.name").replaceAll("\\W", "_");
            claims = FileChannel.open(
                    Path.of(System.getProperty("java.io.tmpdir"), "holdfast-ports-of-" + user),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
        }
        FileLock lock = claims.tryLock(port, 1, false);
        if (lock != null) {
            GIVEN.put(port, lock);
        }
        return lock != null;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port)) {
            return socket.isBound();
        } catch (IOException e) {
            return false; // a process of another user, or a client
        }
    }
}
