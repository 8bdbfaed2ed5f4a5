// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** The ports that people know. */
final class Ports {

    private Ports() {}

    /**
     * Checks that the port, and so many after it, are free.
     *
     * @throws IOException if one is not; the message says what to do
     */
    static void requireFree(int first, int more) throws IOException {
        for (int port = first; port <= first + more; port++) {
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                socket.getLocalPort();
            } catch (IOException e) {
                throw new IOException(
                        "port " + port + " is in use, and the demo needs " + first + " to " + (first + more)
                                + ": choose others with -Dhttp.port=",
                        e);
            }
        }
    }
}
