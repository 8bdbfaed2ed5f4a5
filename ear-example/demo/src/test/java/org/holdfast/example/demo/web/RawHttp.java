// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.web;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Sends requests that no browser would, byte by byte. */
final class RawHttp {

    private RawHttp() {}

    /** Returns the whole answer to a request with these lines. */
    static String send(int port, String... lines) throws IOException {
        try (Socket socket = open(port, lines)) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Sends a request with these lines and leaves the answer unread. */
    static Socket open(int port, String... lines) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(10_000);
        String request = String.join("\r\n", lines) + "\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    /** Returns the status of an answer. */
    static int status(String answer) {
        return Integer.parseInt(answer.split(" ")[1]);
    }
}
