// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.LongStream;
import org.holdfast.memory.LuaInterpreter;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.guard.AcceptedSettings;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.guard.MarkChange;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.script.ScriptBridge;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

/** The Redis in memory and a real one give the same answers to the same random stories. */
@Tag("thorough")
@Timeout(120)
class MemoryRedisTest {

    private static final String PREFIX = "s";
    private static final int STORIES = 40;
    private static final int STEPS = 40;

    /** Far from what either clock may differ by: expiry is either well past or far away. */
    private static final long SHORT_TTL = 40;

    private static final long LONG_TTL = 600_000;

    /** As the longest TTL there is: what lasts longer is cut to it. */
    private static final long HALF_LONG_TTL_MICROS = LONG_TTL * 500;

    private static final String LOOK = """
            local seen = redis.call('TIME')
            for _, key in ipairs(KEYS) do
              seen[#seen + 1] = redis.call('GET', key)
            end
            return seen
            """;

    private static final List<String> KEYS = List.of("k1", "k2", "k3");
    private static final int SNIPPET_STORIES = 12;
    private static final int SNIPPETS = 50;

    /** What expires within this time is waited for: the real server might find it there and the simulated one not. */
    private static final long DOUBTFUL_MICROS = 15_000;

    /** A command sees the clock as it was a little before. */
    private static final long GRAIN_MICROS = 2_000;

    private static final int MOST_STALLS = 50;

    private long simulatedMicros;

    /** Milliseconds since 1970. */
    private static final int MOMENT_DIGITS = 13;

    @Test
    void randomStories_ofScriptsAndTime_giveTheSameReplies() throws Exception {
        try (RedisServer server = RedisServer.start(Path.of("target", "redis"));
                Jedis real = new Jedis("127.0.0.1", server.port())) {
            LuaInterpreter lua = new LuaInterpreter();
            for (int seed = 0; seed < STORIES; seed++) {
                String story = "story " + seed;
                Random random = new Random(seed);
                undisturbed(real, () -> tell(random, real, new MemoryRedis(lua, () -> simulatedMicros), story));
            }
        }
    }

    @Test
    void randomSnippets_overStringsAndSortedSets_giveTheSameReplies() throws Exception {
        try (RedisServer server = RedisServer.start(Path.of("target", "redis"));
                Jedis real = new Jedis("127.0.0.1", server.port())) {
            LuaInterpreter lua = new LuaInterpreter();
            for (int seed = 0; seed < SNIPPET_STORIES; seed++) {
                String story = "story " + seed;
                Random random = new Random(seed);
                undisturbed(real, () -> compare(random, real, new MemoryRedis(lua, () -> simulatedMicros), story));
            }
        }
    }

    /** The machine stood still between a look at the clocks and a command: what has expired by then is not known. */
    private static final class StalledException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private interface Story {
        void tell() throws Exception;
    }

    /** Tells a story, and another one in its place if the machine stood still meanwhile. */
    private static void undisturbed(Jedis real, Story story) throws Exception {
        for (int attempt = 0; attempt < MOST_STALLS; attempt++) {
            real.flushAll();
            try {
                story.tell();
                return;
            } catch (StalledException e) {
                // what follows says nothing of the simulation
            }
        }
        throw new IllegalStateException("the machine stood still in each of " + MOST_STALLS + " stories");
    }

    /** @param settledMicros when nothing was about to expire */
    private void checkStalled(MemoryRedis simulated, long settledMicros, long ranMicros) {
        boolean doubtful =
                expiries(simulated).anyMatch(ends -> ends > settledMicros && ends <= ranMicros + GRAIN_MICROS);
        if (doubtful) {
            throw new StalledException();
        }
    }

    /** Returns when keys expire, and when the leases in them end. */
    private static LongStream expiries(MemoryRedis simulated) {
        return simulated.snapshot().values().stream()
                .flatMapToLong(entry -> LongStream.of(entry.expiresAtMicros(), leaseEndMicros(entry)));
    }

    private void compare(Random random, Jedis real, MemoryRedis simulated, String story) throws Exception {
        List<String> told = new ArrayList<>();
        for (int step = 0; step < SNIPPETS; step++) {
            settle(real, simulated, random.nextInt(60) == 0 ? SHORT_TTL * 1_000 : DOUBTFUL_MICROS);
            RandomSnippet snippet = new RandomSnippet(random);
            told.add(snippet.commands());
            ScriptCall call = new ScriptCall(snippet.source(), KEYS, List.of());
            assertSameReply(call, real, simulated, story + ": " + String.join("\n", told));
        }
    }

    /** Runs a script that returns its clock first: the simulated one gets that, however late the real one ran. */
    private void assertSameReply(ScriptCall call, Jedis real, MemoryRedis simulated, String told) {
        List<?> expected = evalOn(real, call);
        long ranMicros = micros(expected.get(0), expected.get(1));
        checkStalled(simulated, simulatedMicros, ranMicros);
        simulatedMicros = ranMicros;
        assertThat(withCoarseMoments(simulated.eval(call), expected)).as(told).isEqualTo(expected);
    }

    /**
     * A real script reads the clock several times: what it writes as a moment in milliseconds may be a little later.
     */
    private static List<Object> withCoarseMoments(List<?> simulated, List<?> real) {
        List<Object> coarse = new ArrayList<>(simulated);
        for (int i = 0; i < coarse.size() && i < real.size(); i++) {
            if (isSameButForAMoment(coarse.get(i), real.get(i))) {
                coarse.set(i, real.get(i));
            }
        }
        return coarse;
    }

    private static boolean isSameButForAMoment(Object simulated, Object real) {
        if (!(simulated instanceof String one && real instanceof String other) || one.length() != other.length()) {
            return false;
        }
        int moment = one.length() - MOMENT_DIGITS;
        return moment > 0
                && one.charAt(moment - 1) == ' '
                && one.startsWith(other.substring(0, moment))
                && one.substring(moment).matches("\\d+")
                && Math.abs(Long.parseLong(one.substring(moment)) - Long.parseLong(other.substring(moment)))
                        <= DOUBTFUL_MICROS / 1_000;
    }

    /** Sets the simulated clock, when what expires so soon has expired on both sides: the real one cannot be moved. */
    private void settle(Jedis real, MemoryRedis simulated, long soonMicros) throws InterruptedException {
        simulatedMicros = microsOf(real);
        OptionalLong last = expiries(simulated)
                .map(ends -> ends - simulatedMicros)
                .filter(left -> left > -DOUBTFUL_MICROS && left <= soonMicros)
                .max();
        if (last.isPresent()) {
            Thread.sleep((last.getAsLong() + DOUBTFUL_MICROS) / 1_000);
            simulatedMicros = microsOf(real);
        }
    }

    @Test
    void snapshot_sortedSetChangesLater_keepsWhatWasThere() {
        MemoryRedis redis = new MemoryRedis(new LuaInterpreter(), () -> 0);
        run(redis, "redis.call('ZADD', 'queue', 2, 'b', 1, 'a')");
        Map<String, MemoryRedis.Entry> snapshot = redis.snapshot();
        run(redis, "redis.call('ZADD', 'queue', 3, 'a', 4, 'c')");
        run(redis, "redis.call('ZREM', 'queue', 'b')");
        assertThat(run(redis, "redis.call('ZRANGE', 'queue', 0, -1)")).isEqualTo(List.of(List.of("a", "c")));
        redis.restore(snapshot);
        assertThat(run(redis, "redis.call('ZRANGE', 'queue', 0, -1)")).isEqualTo(List.of(List.of("a", "b")));
    }

    @Test
    void evictExpiring_sortedSets_goIfTheyExpire() {
        MemoryRedis redis = new MemoryRedis(new LuaInterpreter(), () -> 0);
        run(redis, "redis.call('ZADD', 'stays', 1, 'a')");
        run(redis, "redis.call('ZADD', 'goes', 1, 'a'), redis.call('PEXPIRE', 'goes', 1000)");
        assertThat(redis.keysWithoutTtl()).containsExactly("stays");
        assertThat(redis.evictExpiring(key -> true)).isEqualTo(1);
        assertThat(redis.keyNames()).containsExactly("stays");
    }

    @Test
    void pttl_betweenTwoMilliseconds_isTheWholeTimeToLive() {
        MemoryRedis redis = new MemoryRedis(new LuaInterpreter(), () -> 1_999);
        assertThat(run(redis, "redis.call('SET', 'key', 'value', 'PX', 40), redis.call('PTTL', 'key')"))
                .isEqualTo(List.of("OK", 40L));
    }

    private static List<Object> run(MemoryRedis redis, String calls) {
        return redis.eval(new ScriptCall("return {" + calls + "}", List.of(), List.of()));
    }

    private void tell(Random random, Jedis real, MemoryRedis simulated, String story) throws Exception {
        simulatedMicros = microsOf(real);
        List<String> told = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(12) == 0) {
                Thread.sleep(SHORT_TTL * 2); // a real server's clock cannot be moved
                told.add("time passes");
            }
            ScriptCall call = call(random);
            told.add(call.keys() + " " + call.arguments());
            settle(real, simulated, DOUBTFUL_MICROS);
            long settledMicros = simulatedMicros;
            List<?> reply = evalAtKnownTime(real, call); // by now it may be later than when it was settled
            long clock = clockOf(reply);
            checkStalled(simulated, settledMicros, Math.max(simulatedMicros, clock));
            simulatedMicros = clock == 0 ? simulatedMicros : clock;
            List<Object> actual = rounded(simulated.eval(call));
            assertThat(actual).as(story + ": " + told).isEqualTo(rounded(reply));
            settle(real, simulated, DOUBTFUL_MICROS);
            assertSameReply(new ScriptCall(LOOK, call.keys(), List.of()), real, simulated, story + ": " + told);
        }
    }

    /** What is written of a lock begins with the microseconds for which its key lingers after the end of its lease. */
    private static long leaseEndMicros(MemoryRedis.Entry entry) {
        String[] words = entry.value().toString().split(" ");
        boolean isLock = words.length > 2 && entry.expiresAtMicros() != Long.MAX_VALUE;
        return isLock ? entry.expiresAtMicros() - (Long.parseLong(words[0]) + 999) / 1_000 * 1_000 : Long.MAX_VALUE;
    }

    private static ScriptCall call(Random random) {
        if (random.nextInt(8) == 0) {
            return ScriptBridge.mark(
                    PREFIX,
                    new MarkChange(
                            random.nextBoolean() ? "" : "1 2 3 run 0 - - 0 0 2 1/1/0.5",
                            random.nextInt(2),
                            random.nextInt(2) * 4_000_000_000_000_000L,
                            random.nextInt(2),
                            new BirthMark.Process(
                                    "run", 0, BirthMark.Process.NEVER_PROMOTED, BirthMark.Process.LOADED_UNKNOWN),
                            0,
                            random.nextInt(2),
                            new AcceptedSettings(new SharedSettings(1, 1, 0.5)),
                            LONG_TTL,
                            random.nextInt(2) * 1_000 * LONG_TTL,
                            random.nextInt(4) == 0 ? 0 : System.currentTimeMillis() * 1_000,
                            ""));
        }
        String lock = "lock-" + random.nextInt(2);
        Owner owner = new Owner("abc".charAt(random.nextInt(3)) + "0".repeat(39));
        long token = 1_800_000_000_000_000L + random.nextInt(6);
        long ttl = random.nextBoolean() ? SHORT_TTL : LONG_TTL;
        Command command =
                switch (random.nextInt(3)) {
                    case 0 ->
                        AnyToken.acquire(new Claim(new Target.Exclusive(lock), owner, token, ttl, ttl + LONG_TTL));
                    case 1 ->
                        new Command.Renew(new Claim(new Target.Exclusive(lock), owner, token, ttl, ttl + LONG_TTL));
                    default ->
                        AnyToken.release(
                                new Claim(new Target.Exclusive(lock), owner, token, ttl, ttl + LONG_TTL),
                                random.nextBoolean());
                };
        return ScriptBridge.call(command, PREFIX, random.nextInt(3) == 0 ? HALF_LONG_TTL_MICROS : 0);
    }

    private static List<?> evalOn(Jedis real, ScriptCall call) {
        return listed(real.eval(call.source(), call.keys(), call.arguments()));
    }

    /** Sets the simulated clock to that of the node just before the script, which may return none itself. */
    private List<?> evalAtKnownTime(Jedis real, ScriptCall call) {
        try (AbstractTransaction together = real.multi()) {
            together.sendCommand(Protocol.Command.TIME, new String[0]);
            together.eval(call.source(), call.keys(), call.arguments());
            List<Object> replies = together.exec();
            List<?> time = (List<?>) replies.get(0);
            simulatedMicros = micros(text(time.get(0)), text(time.get(1)));
            return listed(replies.get(1));
        }
    }

    private static List<?> listed(Object reply) {
        return reply instanceof List<?> list ? list : List.of(reply);
    }

    /** The usual cases return one number, which is the clock if the lock was granted. */
    private static long clockOf(List<?> reply) {
        return reply.size() > 1 ? (Long) reply.get(2) : Math.max(0, (Long) reply.get(0));
    }

    private static String text(Object word) {
        return new String((byte[]) word, StandardCharsets.US_ASCII);
    }

    private static long microsOf(Jedis real) {
        List<String> time = real.time();
        return micros(time.get(0), time.get(1));
    }

    private static long micros(Object seconds, Object rest) {
        return Long.parseLong((String) seconds) * 1_000_000 + Long.parseLong((String) rest);
    }

    /**
     * The clocks read a moment apart: remaining times count in steps larger than that, and the clock itself not at all.
     */
    private static List<Object> rounded(List<?> reply) {
        if (reply.size() == 1) {
            long number = (Long) reply.get(0);
            return number > 0 ? List.of(1L, 0L) : List.of(4L, -1_000_000_000_000_000L - number);
        }
        long status = (Long) reply.get(0);
        long detail = (Long) reply.get(1);
        return List.of(status, status == 2 || status == 7 ? (detail + 10_000) / 20_000 : detail);
    }
}
