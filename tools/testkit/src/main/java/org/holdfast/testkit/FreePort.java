// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A port of this machine on which no process listens. */
public final class FreePort {

    /** A server that a test has killed is to find its port again, and its clients no other test's server there. */
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private static final int ATTEMPTS = 1_000;

    private FreePort() {}

    /** Returns a port that no process listens on, another one with each call. */
    public static int find() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try (ServerSocket socket = new ServerSocket(0)) {
                if (GIVEN.add(socket.getLocalPort())) {
                    return socket.getLocalPort();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        throw new IllegalStateException(
                "all of " + ATTEMPTS + " free ports were used before, " + GIVEN.size() + " are");
    }
}
