// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** A real node answers and remembers the same with the shortcuts of the usual cases and without them. */
@Tag("thorough")
class ShortcutsTest {

    private static final int STATES = 3_000;
    private static final long LINGER_MICROS = 65_500_000;
    private static final long RETENTION_MILLIS = 86_400_000;
    private static final long MAX_SKEW_MICROS = 10_000_000;
    private static final String ADA = "a".repeat(40);
    private static final String BOB = "b".repeat(40);

    private static RedisServer redis;
    private static Jedis node;

    @BeforeAll
    static void start() {
        redis = RedisServer.start(Path.of("target", "redis"));
        node = new Jedis("127.0.0.1", redis.port());
    }

    @AfterAll
    static void stop() {
        node.close();
        redis.close();
    }

    @Test
    void acquisition_ofALockInAnyState_isTheSameWithoutItsShortcut() throws IOException {
        assertSame(LockScript.ACQUIRE, "acquire_free.lua");
    }

    @Test
    void acquisitionOnAShard_ofALockInAnyState_isTheSameWithoutItsShortcut() throws IOException {
        assertSame(LockScript.ACQUIRE_IN_SHARD, "acquire_free.lua");
    }

    @Test
    void release_ofALockInAnyState_isTheSameWithoutItsShortcut() throws IOException {
        assertSame(LockScript.RELEASE, "release_held.lua");
    }

    private static void assertSame(LockScript script, String shortcut) throws IOException {
        String whole = new String(script.source(), StandardCharsets.UTF_8);
        String general = whole.replace(resource(shortcut), "");
        assertThat(general).isNotEqualTo(whole);
        String alone = whole.substring(0, whole.indexOf(resource(shortcut))) + resource(shortcut);
        Random seeds = new Random(7);
        int taken = 0;
        for (int state = 0; state < STATES; state++) {
            long seed = seeds.nextLong();
            Outcome with = run(whole, script, new Random(seed));
            Outcome without = run(general, script, new Random(seed));
            assertThat(with.reply).as("reply of state " + seed).isEqualTo(without.reply);
            assertThat(with.values).as("keys after state " + seed).isEqualTo(without.values);
            with.ttls.forEach((key, ttl) -> assertThat(ttl)
                    .as("TTL of " + key + " after state " + without.values)
                    .isBetween(without.ttls.get(key) - 2_000, without.ttls.get(key) + 2_000));
            taken += run(alone, script, new Random(seed)).reply.isEmpty() ? 0 : 1;
        }
        assertThat(taken).as("states in which the shortcut ends the script").isBetween(STATES / 100, STATES / 2);
    }

    /** What a node answered, nothing if the script went on; and what it remembers then. */
    private record Outcome(List<?> reply, Map<String, String> values, Map<String, Long> ttls) {}

    private static Outcome run(String source, LockScript script, Random random) {
        node.flushAll();
        List<String> time = node.time();
        long now = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
        long token = now - 50_000;
        writeHeartbeat(random, now);
        writeLock(random, token, now);
        List<String> keys = new ArrayList<>(List.of("lock", "fence"));
        List<String> arguments = new ArrayList<>();
        boolean shard = script == LockScript.ACQUIRE_IN_SHARD;
        boolean guarded = random.nextInt(8) > 0 || shard;
        int names = random.nextInt(5) == 0 ? 2 : 1;
        if (names == 2) {
            keys.addAll(List.of("lock2", "fence2"));
        }
        if (guarded && !shard) {
            keys.add("heartbeat");
        }
        arguments.add(ADA);
        if (script == LockScript.RELEASE) {
            arguments.addAll(List.of(
                    "" + pick(random, token + 1, token + 1, token + 2, token + 4, 0),
                    "" + (RETENTION_MILLIS + 95_500),
                    "" + pick(random, 0, 0, MAX_SKEW_MICROS),
                    "channel",
                    "channel2"));
        } else {
            if (guarded && !shard) {
                keys.add("mark");
            }
            long proposed = token + pick(random, 0, 1, 10, 10, 10, 2 * MAX_SKEW_MICROS, -2 * MAX_SKEW_MICROS);
            arguments.addAll(List.of(
                    "" + proposed,
                    "95500",
                    "" + (RETENTION_MILLIS + 95_500),
                    guarded ? "" + LINGER_MICROS : "0",
                    "0",
                    "" + names,
                    "" + (proposed + 3),
                    "" + MAX_SKEW_MICROS));
        }
        if (shard) {
            long slotSince =
                    now - pick(random, 300_000_000, 300_000_000, 300_000_000, 61_000_000, 5_000_000, -1_000_000);
            writeSlot(random, now);
            arguments.addAll(List.of(
                    "7", "used", "kept", "heartbeat", "mark", "" + slotSince, random.nextInt(8) > 0 ? "0" : "another"));
        }
        Object raw = node.eval(source, keys, arguments);
        List<?> reply = raw instanceof Long number ? listed(number) : (List<?>) raw;
        return outcome(reply == null ? List.of() : List.of(reply.get(0), settled(reply)), now);
    }

    /** Returns the list by which a general script says the same as a shortcut by one number. */
    private static List<Long> listed(long number) {
        return number > 0 ? List.of(1L, 0L, number) : List.of(4L, -1_000_000_000_000_000L - number, 0L);
    }

    private static void writeSlot(Random random, long now) {
        if (random.nextInt(4) > 0) {
            node.zadd("used", 0, "7");
        }
        if (random.nextInt(4) > 0) {
            node.set("kept", pick(random, 0, 0, 0, now / 1_000 - 5_000) + (random.nextInt(4) > 0 ? " 0" : " another"));
        }
    }

    private static void writeHeartbeat(Random random, long now) {
        long since = now - pick(random, 200_000_000, 200_000_000, 61_000_000, 30_000_000);
        long seen = now + pick(random, -100_000, -100_000, -100_000, 200_000, 3_000_000);
        String behind = random.nextInt(8) > 0 ? "" : ":" + (now + pick(random, -60_000_000, 60_000_000));
        String beat = since + behind + " " + seen;
        node.set("mark", beat + " run 0 0 0");
        if (random.nextInt(8) > 0) {
            node.set("heartbeat", beat, SetParams.setParams().px(70_000));
        }
    }

    private static void writeLock(Random random, long token, long now) {
        long ends = now / 1_000 + pick(random, 30_000, 30_000, -5_000, -100_000);
        String fence =
                switch (random.nextInt(7)) {
                    case 0 -> "";
                    case 1, 2 -> "" + (token - pick(random, 1_000, 1_000, -1_000));
                    case 3, 4 -> token + " " + token + " " + ends;
                    case 5 -> (token + 1) + " " + token;
                    default -> (token + 1) + " " + token + " " + ends;
                };
        if (!fence.isEmpty()) {
            node.set("fence", fence, SetParams.setParams().px(RETENTION_MILLIS + 95_500));
        }
        String owner =
                switch (random.nextInt(4)) {
                    case 0 -> "";
                    case 1 -> BOB;
                    default -> ADA;
                };
        if (!owner.isEmpty() && random.nextInt(2) == 0) {
            node.set(
                    "lock",
                    LINGER_MICROS + " " + (token - 9) + " " + owner,
                    SetParams.setParams().px(95_500));
        }
    }

    private static long pick(Random random, long... values) {
        return values[random.nextInt(values.length)];
    }

    /** Returns the detail of a reply without what passes between two runs. */
    private static Object settled(List<?> reply) {
        boolean duration = List.of(2L, 7L, 15L, 16L).contains(reply.get(0));
        return duration
                ? "some time"
                : reply.get(1) instanceof Long token && token > 1_000_000_000L ? "token" : reply.get(1);
    }

    /** Tells moments and tokens by their distance from the beginning of the run, in coarse steps. */
    private static Outcome outcome(List<?> reply, long now) {
        Map<String, String> values = new TreeMap<>();
        Map<String, Long> ttls = new TreeMap<>();
        for (String key : List.of("lock", "fence", "lock2", "fence2")) {
            String value = node.get(key);
            if (value != null) {
                values.put(key, relative(value, now));
                ttls.put(key, node.pttl(key));
            }
        }
        return new Outcome(reply, values, ttls);
    }

    private static String relative(String value, long now) {
        List<String> words = new ArrayList<>();
        for (String word : value.split(" ")) {
            if (word.matches("\\d{16}")) {
                words.add("token" + (Long.parseLong(word) - now));
            } else if (word.matches("\\d{13}")) {
                words.add("moment" + Math.round((Long.parseLong(word) - now / 1_000) / 5_000.0));
            } else {
                words.add(word);
            }
        }
        return String.join(" ", words);
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = LockScript.class.getResourceAsStream("/org/holdfast/redis/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
