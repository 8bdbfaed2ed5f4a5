// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.holdfast.memory.LuaInterpreter;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Test;

/** A call that renews several leases answers and leaves what a call for each of them does. */
class RenewManyTest {

    private static final int STATES = 2_000;
    private static final int MOST_LEASES = 5;
    private static final long NOW_MICROS = 1_764_000_000_000_000L;
    private static final long LINGER_MICROS = 65_500_000;
    private static final long TTL_MILLIS = 30_000;
    private static final long RETENTION_MILLIS = 3_600_000;
    private static final String OTHER = "b".repeat(40);
    private static final String SET = "return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])";

    private final LuaInterpreter lua = new LuaInterpreter();

    @Test
    void leases_inAnyState_areRenewedTogetherAsEachAlone() {
        Random random = new Random(11);
        int[] seen = new int[20];
        for (int state = 0; state < STATES; state++) {
            ScriptCodec codec = new ScriptCodec("h", random.nextInt(8) == 0 ? 0 : LINGER_MICROS);
            MemoryRedis alone = new MemoryRedis(lua, () -> NOW_MICROS);
            List<Command.Renew> renewals = new ArrayList<>();
            writeMark(random, codec, alone);
            for (int lease = 0; lease <= random.nextInt(MOST_LEASES); lease++) {
                Command.Renew renewal = new Command.Renew(claim(random, lease));
                writeLock(random, renewal.claim(), alone);
                renewals.add(renewal);
            }
            MemoryRedis together = alone.copy();

            List<Object> replies = new ArrayList<>();
            renewals.forEach(
                    renewal -> replies.add(alone.eval(ScriptBridge.call(codec.bySource(renewal, new CallBytes())))));
            assertThat(together.eval(ScriptBridge.call(codec.renewals(renewals, false, new CallBytes()))))
                    .as("replies in state " + state)
                    .isEqualTo(replies);
            assertThat(together.snapshot()).as("keys after state " + state).isEqualTo(alone.snapshot());
            replies.forEach(reply -> seen[((Long) ((List<?>) reply).get(0)).intValue()]++);
        }
        for (int status : new int[] {1, 2, 3, 6, 7, 16}) {
            assertThat(seen[status]).as("replies with status " + status).isGreaterThan(STATES / 100);
        }
    }

    /** As an operator may edit it. */
    @Test
    void fence_thatNoScriptHasWritten_failsItsOwnLeaseOnly() {
        Random random = new Random(11);
        ScriptCodec codec = new ScriptCodec("h", LINGER_MICROS);
        MemoryRedis node = new MemoryRedis(lua, () -> NOW_MICROS);
        List<Command.Renew> renewals = new ArrayList<>();
        for (int lease = 0; lease < 3; lease++) {
            Claim claim = claim(random, lease);
            String base = "h:{" + claim.target().name() + "}:";
            String tokens = claim.lastToken() + " " + claim.lastToken() + " ";
            set(node, base + "fence", tokens + (lease == 1 ? "abc" : NOW_MICROS / 1_000 + 9_000), RETENTION_MILLIS);
            String value = LINGER_MICROS + " " + claim.lastToken() + " "
                    + claim.owner().value();
            set(node, base + "lock", value, 200_000);
            renewals.add(new Command.Renew(claim));
        }
        List<?> replies = (List<?>) node.eval(ScriptBridge.call(codec.renewals(renewals, false, new CallBytes())));
        assertThat(replies.get(0)).isEqualTo(List.of(1L, 0L, NOW_MICROS));
        assertThat(replies.get(1)).isNotEqualTo(replies.get(0));
        assertThat(replies.get(2)).isEqualTo(List.of(1L, 0L, NOW_MICROS));
    }

    private static Claim claim(Random random, int lease) {
        long token = NOW_MICROS - 50_000 + 64L * lease;
        return new Claim(
                new Target.Exclusive("order-" + lease),
                new Owner(lease + "a".repeat(39)),
                token,
                token + random.nextInt(3),
                TTL_MILLIS + random.nextInt(2) * 10_000,
                RETENTION_MILLIS);
    }

    private static void writeMark(Random random, ScriptCodec codec, MemoryRedis node) {
        long since = NOW_MICROS - pick(random, 200_000_000, 200_000_000, 200_000_000, 30_000_000);
        String beat = since + " " + (NOW_MICROS + pick(random, -100_000, -100_000, -100_000, 3_000_000));
        set(node, codec.keys().own().mark(), beat + " run 0 0 0", 600_000);
        if (random.nextInt(8) > 0) {
            set(node, codec.keys().own().heartbeat(), beat, 70_000);
        }
    }

    private static void writeLock(Random random, Claim claim, MemoryRedis node) {
        String base = "h:{" + claim.target().name() + "}:";
        long token = claim.token();
        long ends = NOW_MICROS / 1_000 + pick(random, 30_000, 30_000, -5_000, -100_000);
        switch (random.nextInt(7)) {
            case 0 -> {}
            case 6 -> set(node, base + "fence", token + " " + token + " ", RETENTION_MILLIS);
            case 1 -> set(node, base + "fence", "" + (token + pick(random, -1_000, 1_000)), RETENTION_MILLIS);
            case 2 -> set(node, base + "fence", (token + 4) + " " + (token - 9) + " " + ends, RETENTION_MILLIS);
            default -> set(node, base + "fence", token + " " + token + " " + ends, RETENTION_MILLIS);
        }
        if (random.nextInt(4) > 0) {
            String owner = random.nextInt(4) > 0 ? claim.owner().value() : OTHER;
            long left = pick(random, 95_500, 95_500, 60_000, 200_000);
            set(node, base + "lock", LINGER_MICROS + " " + token + " " + owner, left);
        }
    }

    private static void set(MemoryRedis node, String key, String value, long ttlMillis) {
        node.eval(new ScriptCall(SET, List.of(key), List.of(value, "" + ttlMillis)));
    }

    private static long pick(Random random, long... values) {
        return values[random.nextInt(values.length)];
    }
}
