// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.script.CallBytes;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.testkit.RedisServer;
import redis.clients.jedis.Jedis;

/**
 * The least that can be done: a program over bare sockets that writes one command to all nodes, waits for the replies
 * of a quorum, always the same one, and does so with another command. No timeout, and nothing is done with the replies;
 * those of the other nodes are read one round later.
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
    private static final long ANY_CLOCK = 9_000_000_000_000_000L;

    /** As with the default settings. */
    private static final Duration LINGER = new SharedSettings(60_000, 600_000, 0.01).linger();

    private static final String OWNER = "0123456789".repeat(4);
    private static final String NUMBER = "1000000000000000";

    private final String name;
    private final Request acquire;
    private final Request release;
    private final int linesOfReply;
    private long token = Long.parseLong(NUMBER);
    private final List<Socket> sockets = new ArrayList<>();
    private final List<InputStream> replies = new ArrayList<>();

    /** How many replies of each node were not read. */
    private final int[] unread;

    private Floor(String name, List<RedisServer> nodes, Request acquire, Request release, int linesOfReply) {
        this.name = name;
        this.acquire = acquire;
        this.release = release;
        this.linesOfReply = linesOfReply;
        this.unread = new int[nodes.size()];
        try {
            for (RedisServer node : nodes) {
                Socket socket = new Socket("127.0.0.1", node.port());
                socket.setTcpNoDelay(true);
                sockets.add(socket);
                replies.add(new BufferedInputStream(socket.getInputStream()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Minimal commands: no token, no owner check. */
    static Floor ofCommands(List<RedisServer> nodes) {
        return new Floor(
                "floor: bare sockets, SET + DEL",
                nodes,
                request("SET", "floor", OWNER, "NX", "PX", "30000"),
                request("DEL", "floor"),
                1);
    }

    /** Minimal scripts: one that grants with a token, one that looks at the owner. */
    static Floor ofFencedScripts(List<RedisServer> nodes, String name) {
        String take = "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 30000) then"
                + " return redis.call('INCR', KEYS[2]) end return 0";
        String giveBack =
                "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
        load(nodes, take);
        load(nodes, giveBack);
        return new Floor(
                "floor: bare sockets, two scripts with a fence",
                nodes,
                request("EVALSHA", Sha.of(take), "2", name, name + "-token", OWNER),
                request("EVALSHA", Sha.of(giveBack), "1", name, OWNER),
                1);
    }

    /** Our scripts, with token, owner check and tombstone: what they cost the node is in here. */
    static Floor ofScripts(List<RedisServer> nodes) {
        return ofScripts(nodes, "floor");
    }

    /** The same for a lock of another name. It needs a client of ours that looks at the nodes meanwhile. */
    static Floor ofScripts(List<RedisServer> nodes, String name) {
        ScriptCodec codec = new ScriptCodec("holdfast", TimeUnit.NANOSECONDS.toMicros(LINGER.toNanos()));
        long number = Long.parseLong(NUMBER);
        Target target = new Target.Exclusive(name);
        Owner owner = new Owner(OWNER);
        Command acquire =
                new Command.Acquire(new Claim(target, owner, number, 30_000, 630_000), Optional.empty(), ANY_CLOCK);
        Command release = new Command.Release(new Claim(target, owner, number - 1, 30_000, 630_000), true, true);
        load(nodes, codec, acquire);
        load(nodes, codec, release);
        return new Floor(
                "floor: bare sockets, our scripts",
                nodes,
                request(words(codec.usual(acquire, true, new CallBytes()))),
                request(words(codec.usual(release, true, new CallBytes()))),
                4);
    }

    private static void load(List<RedisServer> nodes, ScriptCodec codec, Command command) {
        load(nodes, words(codec.bySource(command, new CallBytes()))[1]);
    }

    private static void load(List<RedisServer> nodes, String source) {
        for (RedisServer node : nodes) {
            try (Jedis jedis = new Jedis("127.0.0.1", node.port())) {
                jedis.scriptLoad(source);
            }
        }
    }

    private static String[] words(CallBytes call) {
        return call.words().stream()
                .map(word -> new String(word, StandardCharsets.UTF_8))
                .toArray(String[]::new);
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
        for (int node = 0; node < replies.size(); node++) {
            boolean awaited = node <= replies.size() / 2;
            unread[node]++;
            while (unread[node] > (awaited ? 0 : 1)) {
                readReply(replies.get(node));
                unread[node]--;
            }
        }
    }

    private void readReply(InputStream reply) throws IOException {
        int lines = 0;
        while (lines < linesOfReply) {
            int c = reply.read();
            if (c < 0) {
                throw new IOException("the node closed the connection");
            }
            if (c == '-' && lines == 0) {
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
