// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.holdfast.memory.LuaInterpreter;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

/** A call without the words that are the same in each does what the call does that has them. */
@Isolated("it sets the locale of all threads")
class ShortCallsTest {

    private static final int STATES = 2_000;
    private static final long NOW_MICROS = 1_764_000_000_000_000L;
    private static final long LINGER_MICROS = 65_500_000;
    private static final long TTL_MILLIS = 30_000;
    private static final long RETENTION_MILLIS = 3_600_000;
    private static final long MAX_SKEW_MICROS = 10_000_000;
    private static final Owner ADA = new Owner("a".repeat(40));
    private static final String BOB = "b".repeat(40);
    private static final String SET = "return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])";

    /** With all that means something in Lua, in a pattern of Lua, or in no text of one byte a character. */
    private static final String PREFIX = "it's \"%5\\0'..\n\u00fc\u20ac]]--";

    private final LuaInterpreter lua = new LuaInterpreter();

    @Test
    void acquisitionsAndReleases_inAnyState_areDecidedAsByTheWholeCall() {
        Random random = new Random(5);
        Set<Class<?>> seen = new HashSet<>();
        for (int state = 0; state < STATES; state++) {
            long linger = random.nextInt(4) == 0 ? 0 : LINGER_MICROS;
            ScriptCodec codec = new ScriptCodec("h", linger);
            MemoryRedis node = new MemoryRedis(lua, () -> NOW_MICROS);
            write(random, node, linger);
            MemoryRedis same = node.copy();
            long vouched = random.nextInt(3) == 0 ? NOW_MICROS / 1_000 : 0;
            Command command = command(random);

            ScriptCall few = ScriptBridge.call(codec.vouching(command, vouched, false, new CallBytes()));
            ScriptCall all = ScriptBridge.call(whole(codec, linger, command, vouched));
            assertThat(few.keys().size() + few.arguments().size())
                    .isLessThan(all.keys().size() + all.arguments().size());
            Answer answer = ScriptBridge.answer(0, node.eval(few));
            assertThat(answer).as("answer in state " + state).isEqualTo(ScriptBridge.answer(0, same.eval(all)));
            assertThat(node.snapshot()).as("keys after state " + state).isEqualTo(same.snapshot());
            seen.add(answer.reply().getClass());
        }
        assertThat(seen)
                .contains(
                        Reply.Granted.class,
                        Reply.Released.class,
                        Reply.Held.class,
                        Reply.Ended.class,
                        Reply.TokenTooSmall.class,
                        Reply.TokenSkewed.class,
                        Reply.Forgotten.class,
                        Reply.Quarantined.class,
                        Reply.Gone.class);
    }

    /** Services that share nodes and differ in their settings have scripts of their own. */
    @Test
    void claimsOfOtherTerms_areWrittenWithThese() {
        ScriptCodec codec = new ScriptCodec("h", 0);
        MemoryRedis node = new MemoryRedis(lua, () -> NOW_MICROS);
        for (long retention : new long[] {RETENTION_MILLIS, 5_000, RETENTION_MILLIS}) {
            Claim claim = new Claim(
                    new Target.Exclusive("n-" + retention), ADA, NOW_MICROS, TTL_MILLIS, TTL_MILLIS + retention);
            for (long skew : new long[] {0, 7}) {
                Command ahead = new Command.Acquire(at(claim, NOW_MICROS + 7), Optional.empty(), skew);
                Reply reply = ScriptBridge.answer(
                                0, node.eval(ScriptBridge.call(codec.bySource(ahead, new CallBytes()))))
                        .reply();
                assertThat(reply).isInstanceOf(skew == 0 ? Reply.TokenSkewed.class : Reply.Granted.class);
            }
            assertThat(node.eval(new ScriptCall(
                            "return redis.call('PTTL', KEYS[1])", List.of("h:{n-" + retention + "}:fence"), List.of())))
                    .isEqualTo(List.of(TTL_MILLIS + retention));
            node.eval(new ScriptCall(
                    "return redis.call('DEL', KEYS[1])", List.of("h:{n-" + retention + "}:lock"), List.of()));
            node.eval(new ScriptCall(
                    "return redis.call('DEL', KEYS[1])", List.of("h:{n-" + retention + "}:fence"), List.of()));
        }
    }

    /** It may have been written just before it is found out that there is a proxy. */
    @Test
    void call_writtenBeforeItsCallerAsksWhichProcessItIs_getsNoWordMore() {
        ScriptCodec codec = new ScriptCodec("h", LINGER_MICROS);
        CallBytes call = codec.bySource(command(new Random(1)), new CallBytes());
        codec.askWhichProcess();
        Command same = command(new Random(1));
        int words = call.words().size();
        assertThat(codec.seenAs("run", same, call).words()).hasSize(words);
        Command acquire = new Command.Acquire(
                new Claim(new Target.Exclusive("n"), ADA, NOW_MICROS, TTL_MILLIS, TTL_MILLIS), Optional.empty(), 0);
        CallBytes whole = codec.bySource(acquire, new CallBytes());
        int wordsOfWhole = whole.words().size();
        assertThat(codec.seenAs("run", acquire, whole).words()).hasSize(wordsOfWhole + 1);
    }

    /** Where other digits than ours are the usual ones, too. */
    @ParameterizedTest
    @ValueSource(strings = {"en-US", "ar-EG", "fa-IR"})
    void prefix_thatMeansSomethingInAScript_isThatOfTheKeysAllTheSame(String language) {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag(language));
        try {
            takeAndRelease();
        } finally {
            Locale.setDefault(before);
        }
    }

    private static void takeAndRelease() {
        try (RedisServer redis = RedisServer.start(Path.of("target", "redis"));
                Jedis node = new Jedis("127.0.0.1", redis.port())) {
            ScriptCodec codec = new ScriptCodec(PREFIX, LINGER_MICROS);
            long now = Long.parseLong(node.time().get(0)) * 1_000_000;
            node.set(codec.keys().own().heartbeat(), (now - 200_000_000) + " " + now);
            Claim claim = new Claim(new Target.Exclusive("n"), ADA, now, TTL_MILLIS, TTL_MILLIS + RETENTION_MILLIS);
            Command acquire = new Command.Acquire(claim, Optional.empty(), MAX_SKEW_MICROS);
            assertThat(answer(node, codec.bySource(acquire, new CallBytes())).reply())
                    .isEqualTo(new Reply.Granted());
            assertThat(node.keys("*"))
                    .containsExactlyInAnyOrder(
                            codec.keys().own().heartbeat(), PREFIX + ":{n}:lock", PREFIX + ":{n}:fence");
            Command release = new Command.Release(claim, true, true);
            assertThat(answer(node, codec.bySource(release, new CallBytes())).reply())
                    .isEqualTo(new Reply.Released(0));
        }
    }

    private static Answer answer(Jedis node, CallBytes written) {
        ScriptCall call = ScriptBridge.call(written);
        return ReplyDecoder.answer(0, node.eval(call.source(), call.keys(), call.arguments()));
    }

    private static CallBytes whole(ScriptCodec codec, long linger, Command command, long vouched) {
        LockScript script = command instanceof Command.Acquire ? LockScript.ACQUIRE : LockScript.RELEASE;
        CallBytes call = new CallBytes().begin().add("EVAL").add(script.source());
        return new CallWriter(codec.keys(), linger).arguments(command, new CallWriter.Clock(vouched, vouched), call);
    }

    private static Command command(Random random) {
        long token = NOW_MICROS + pick(random, 0, 0, 10, 2 * MAX_SKEW_MICROS, -2 * MAX_SKEW_MICROS);
        Claim claim = new Claim(
                random.nextInt(4) == 0 ? new Target.Permit("n", 3) : new Target.Exclusive("n"),
                ADA,
                token,
                token + pick(random, 0, 15),
                TTL_MILLIS,
                TTL_MILLIS + RETENTION_MILLIS);
        return random.nextBoolean()
                ? new Command.Acquire(claim, Optional.empty(), MAX_SKEW_MICROS)
                : new Command.Release(claim, true, true);
    }

    private static Claim at(Claim claim, long token) {
        return new Claim(claim.target(), claim.owner(), token, claim.ttlMillis(), claim.fenceMillis());
    }

    private static void write(Random random, MemoryRedis node, long linger) {
        long since = NOW_MICROS - pick(random, 200_000_000, 200_000_000, 30_000_000);
        String beat = since + " " + (NOW_MICROS + pick(random, -100_000, -100_000, 3_000_000));
        if (random.nextInt(4) > 0) {
            set(node, "h:heartbeat", beat, 70_000);
        }
        if (random.nextInt(8) > 0) {
            set(node, "h:birth", beat + " run 0 0 0", 600_000);
        }
        for (String base : List.of("h:{n}:", "h:{n}:permit-3:")) {
            long token = NOW_MICROS - pick(random, 100, 0, -5);
            long ends = NOW_MICROS / 1_000 + pick(random, 30_000, -5_000, -100_000);
            switch (random.nextInt(5)) {
                case 0 -> {}
                case 1 -> set(node, base + "fence", token + " " + token + " " + ends, RETENTION_MILLIS);
                case 2 -> set(node, base + "fence", (token + 4) + " " + token, RETENTION_MILLIS);
                default -> set(node, base + "fence", "" + token, RETENTION_MILLIS);
            }
            if (random.nextBoolean()) {
                String owner = random.nextBoolean() ? ADA.value() : BOB;
                set(node, base + "lock", linger + " " + (token - 9) + " " + owner, pick(random, 95_500, 60_000));
            }
        }
    }

    private static void set(MemoryRedis node, String key, String value, long ttlMillis) {
        node.eval(new ScriptCall(SET, List.of(key), List.of(value, "" + ttlMillis)));
    }

    private static long pick(Random random, long... values) {
        return values[random.nextInt(values.length)];
    }
}
