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
import redis.clients.jedis.Jedis;

/**
 * The least that can be done: a program over bare sockets that writes one command to all nodes, reads all replies,
 * writes another to all and reads all. No timeout, and nothing is done with the replies.
 */
final class Floor implements Contestant {

    /** What is written; the number in it grows, so that a token does. */
    private record Request(byte[] bytes, List<Integer> numbersAt) {

        private static final int DIGITS = 16;

        void setNumber(long number) {
            byte[] digits = Long.toString(number).getBytes(StandardCharsets.US_ASCII);
            for (int at : numbersAt) {
                System.arraycopy(digits, 0, bytes, at, DIGITS);
            }
        }
    }

    /** So far a token may be from the clock of a node. */
    private static final String ANY_CLOCK = "9000000000000000";

    private static final String OWNER = "x".repeat(40);
    private static final String NUMBER = "1000000000000000";

    private final String name;
    private final Request acquire;
    private final Request release;
    private final int linesOfReply;
    private long token = Long.parseLong(NUMBER);
    private final List<Socket> sockets = new ArrayList<>();
    private final List<InputStream> replies = new ArrayList<>();

    private Floor(String name, List<RedisServer> nodes, Request acquire, Request release, int linesOfReply)
            throws IOException {
        this.name = name;
        this.acquire = acquire;
        this.release = release;
        this.linesOfReply = linesOfReply;
        for (RedisServer node : nodes) {
            Socket socket = new Socket("127.0.0.1", node.port());
            socket.setTcpNoDelay(true);
            sockets.add(socket);
            replies.add(new BufferedInputStream(socket.getInputStream()));
        }
    }

    /** Minimal commands: no token, no owner check. */
    static Floor ofCommands(List<RedisServer> nodes) throws IOException {
        return new Floor(
                "floor: bare sockets, SET + DEL",
                nodes,
                request("SET", "floor", OWNER, "NX", "PX", "30000"),
                request("DEL", "floor"),
                1);
    }

    /** Our scripts, with token, owner check and tombstone: what they cost the node is in here. */
    static Floor ofScripts(List<RedisServer> nodes) throws Exception {
        String lock = "floor:{x}:lock";
        String fence = "floor:{x}:fence";
        String acquire = load(nodes, "time.lua", "quarantine.lua", "lock.lua", "ended.lua", "acquire.lua");
        String release = load(nodes, "lock.lua", "fence.lua", "release.lua");
        return new Floor(
                "floor: bare sockets, our scripts",
                nodes,
                request(
                        "EVALSHA", acquire, "2", lock, fence, OWNER, NUMBER, "30000", "630000", "0", "0", "1", NUMBER,
                        ANY_CLOCK),
                request("EVALSHA", release, "2", lock, fence, OWNER, NUMBER, "630000", "0", "floor:{x}:released"),
                4);
    }

    private static String load(List<RedisServer> nodes, String... parts) throws IOException {
        StringBuilder source = new StringBuilder();
        for (String part : parts) {
            try (InputStream in = Floor.class.getResourceAsStream("/org/holdfast/redis/" + part)) {
                source.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        String sha = null;
        for (RedisServer node : nodes) {
            try (Jedis jedis = new Jedis("127.0.0.1", node.port())) {
                sha = jedis.scriptLoad(source.toString());
            }
        }
        return sha;
    }

    private static Request request(String... words) {
        StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        List<Integer> numbersAt = new ArrayList<>();
        for (int at = text.indexOf(NUMBER); at >= 0; at = text.indexOf(NUMBER, at + 1)) {
            numbersAt.add(at);
        }
        return new Request(text.toString().getBytes(StandardCharsets.US_ASCII), numbersAt);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void pair() throws IOException {
        round(acquire);
        round(release);
    }

    private void round(Request request) throws IOException {
        request.setNumber(++token);
        for (Socket socket : sockets) {
            socket.getOutputStream().write(request.bytes());
        }
        for (InputStream reply : replies) {
            readReply(reply);
        }
    }

    private void readReply(InputStream reply) throws IOException {
        int lines = 0;
        while (lines < linesOfReply) {
            int c = reply.read();
            if (c < 0) {
                throw new IOException("the node closed the connection");
            }
            if (c == '-') { // no reply of ours has one elsewhere
                throw new IOException("the node returned an error");
            }
            lines += c == '\n' ? 1 : 0;
        }
    }

    @Override
    public void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
