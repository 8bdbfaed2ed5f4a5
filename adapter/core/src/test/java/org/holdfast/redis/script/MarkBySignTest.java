// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.holdfast.memory.LuaInterpreter;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.guard.AcceptedSettings;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.guard.MarkChange;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.redis.cluster.HomeSearch;
import org.junit.jupiter.api.Test;

/** In a cluster a look is noted only in the mark to which the sign leads, in one step with the comparison. */
class MarkBySignTest {

    private static final AcceptedSettings SETTINGS = new AcceptedSettings(new SharedSettings(10_000, 60_000, 0.01));
    private static final HomeSearch.Lead LEAD = new HomeSearch.Lead("5", "7 a@d", "7");
    private static final NodeKeys KEYS = new ScriptCodec("p", 1).keys();

    private final VirtualTime time = new VirtualTime();
    private final MemoryRedis redis = new MemoryRedis(new LuaInterpreter(), time::epochMicros);

    private Optional<Long> write(long since, Optional<HomeSearch.Lead> lead) {
        String mark = redis.get(KEYS.own().mark());
        MarkChange change = new MarkChange(
                mark == null ? "" : mark,
                since,
                0,
                since,
                new BirthMark.Process("run", 0, "-", "-"),
                0,
                0,
                SETTINGS,
                SETTINGS.heartbeat().toMillis(),
                0,
                time.epochMicros(),
                since == MarkChange.NOW ? "it has no mark" : "");
        return ScriptBridge.markedAt(redis.eval(ScriptBridge.mark(KEYS, change, lead)));
    }

    private long begun() {
        return BirthMark.parse(redis.get(KEYS.own().mark())).orElseThrow().sinceMicros();
    }

    @Test
    void look_whileTheSignLeadsThere_isNoted() {
        redis.set(KEYS.door(LEAD.door()), LEAD.sign());
        assertThat(write(MarkChange.NOW, Optional.of(LEAD))).isPresent();
        time.pass(Duration.ofSeconds(1).toNanos());
        assertThat(write(begun(), Optional.of(LEAD))).contains(time.epochMicros());
    }

    @Test
    void look_whileAnotherSignStandsThere_isNotNoted() {
        redis.set(KEYS.door(LEAD.door()), "here a@d");
        assertThat(write(MarkChange.NOW, Optional.of(LEAD)))
                .as("a quarantine begins all the same")
                .isPresent();
        String mark = redis.get(KEYS.own().mark());
        assertThat(write(begun(), Optional.of(LEAD))).isEmpty();
        assertThat(redis.get(KEYS.own().mark())).isEqualTo(mark);
    }

    @Test
    void look_whileNoSignStandsThere_isNotNoted() {
        assertThat(write(MarkChange.NOW, Optional.of(LEAD))).isPresent();
        assertThat(write(begun(), Optional.of(LEAD))).isEmpty();
    }

    @Test
    void look_atANodeThatIsNoShard_needsNoSign() {
        assertThat(write(MarkChange.NOW, Optional.empty())).isPresent();
        assertThat(write(begun(), Optional.empty())).isPresent();
    }
}
