// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.testkit.RedisServer;

/**
 * The least that can be done: a program over bare sockets that writes SET NX to all nodes, reads all replies, writes DEL to
 * all and reads all. No token, no owner check, no timeout.
 */
final class Floor implements Contestant {

    private static final byte[] SET = command("SET", "floor", "x".repeat(40), "NX", "PX", "30000");
    private static final byte[] DEL = command("DEL", "floor");

    private final List<Socket> sockets = new ArrayList<>();
    private final List<InputStream> replies = new ArrayList<>();

    Floor(List<RedisServer> nodes) throws IOException {
        for (RedisServer node : nodes) {
            Socket socket = new Socket("127.0.0.1", node.port());
            socket.setTcpNoDelay(true);
            sockets.add(socket);
            replies.add(new BufferedInputStream(socket.getInputStream()));
        }
    }

    private static byte[] command(String... words) {
        StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String name() {
        return "floor: bare sockets, SET + DEL";
    }

    @Override
    public void pair() throws IOException {
        round(SET);
        round(DEL);
    }

    private void round(byte[] command) throws IOException {
        for (Socket socket : sockets) {
            socket.getOutputStream().write(command);
        }
        for (InputStream reply : replies) {
            int c;
            do {
                c = reply.read();
            } while (c != '\n' && c >= 0);
        }
    }

    @Override
    public void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
