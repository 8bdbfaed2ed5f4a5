// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection to the {@link FencedResource} of the deployment. */
public final class ResourceClient {

    private final Socket socket;
    private final BufferedReader answers;

    /** @param port of the resource, on this machine */
    public ResourceClient(int port) throws IOException {
        this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        this.answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    /** Returns whether it was written; otherwise the resource has seen a larger token. */
    public boolean write(String lock, long token) {
        try {
            socket.getOutputStream().write((lock + " " + token + "\n").getBytes(StandardCharsets.US_ASCII));
            return "written".equals(answers.readLine());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
