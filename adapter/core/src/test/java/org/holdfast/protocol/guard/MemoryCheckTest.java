// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.protocol.guard.GuardedNode.QUARANTINE;
import static org.holdfast.protocol.guard.GuardedNode.SECOND;
import static org.holdfast.protocol.guard.GuardedNode.SHORT;
import static org.holdfast.protocol.guard.GuardedNode.START;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.holdfast.protocol.guard.MemoryCheck.LastLook;
import org.junit.jupiter.api.Test;

/** Which of the signs of lost memory count by themselves. */
class MemoryCheckTest {

    private static final long NOW = START;
    private static final long SEEN = NOW - SECOND;
    private static final BirthMark.Process MARKED = process("marked", 0);
    private static final BirthMark.Process NEXT = process("next", 0);

    private final MemoryCheck durable = new MemoryCheck(true);
    private final MemoryCheck usual = new MemoryCheck(false);

    private static BirthMark.Process process(String runId, long evictions) {
        return new BirthMark.Process(runId, evictions, "-", "-");
    }

    private static NodeProbe.Sight sight(BirthMark.Process process, boolean heartbeat) {
        return new NodeProbe.Sight(
                new NodeFacts(process, true, false, false, Optional.empty(), NOW), "as parsed", heartbeat);
    }

    private static BirthMark mark(BirthMark.Process process, long since, long behindUntil, long steady) {
        return new BirthMark(
                since, behindUntil, List.of(SEEN), steady, process, 0, 0, SEEN, new AcceptedSettings(SHORT));
    }

    private static BirthMark watched(long steady, long behindUntil) {
        return mark(MARKED, START - 3_600 * SECOND, behindUntil, steady);
    }

    private static final BirthMark WHOLE = watched(SEEN - QUARANTINE, 0);

    @Test
    void memory_ofADurableVoterThatMoves_isInherited_whereNothingSpeaksAgainstIt() {
        assertThat(durable.isInherited(sight(NEXT, true), WHOLE, null)).isTrue();
        assertThat(usual.isInherited(sight(NEXT, true), WHOLE, null)).isFalse();
        assertThat(durable.isInherited(sight(NEXT, false), WHOLE, null))
                .as("without a heartbeat")
                .isFalse();
        assertThat(durable.isInherited(sight(process("next", 1), true), WHOLE, null))
                .as("after evictions")
                .isFalse();
        assertThat(durable.isInherited(sight(NEXT, true), watched(SEEN - QUARANTINE, NOW + SECOND), null))
                .as("by a clock that may have been behind")
                .isFalse();
        assertThat(durable.isInherited(sight(NEXT, true), watched(SEEN - QUARANTINE + 1, 0), null))
                .as("by a clock that was not watched for as long as a lock lasts")
                .isFalse();
    }

    @Test
    void look_thatTheMarkLacks_isMissing_ifItWasAtTheProcessThatTheMarkNames() {
        LastLook later = new LastLook("marked", SEEN + 1, 0, 1);
        assertThat(durable.isInherited(sight(NEXT, true), WHOLE, later)).isFalse();
        assertThat(durable.isInherited(sight(NEXT, true), WHOLE, new LastLook("marked", SEEN, 0, 1)))
                .as("it is there")
                .isTrue();
        LastLook elsewhere = new LastLook("another", SEEN + 1, 0, 1);
        assertThat(durable.isInherited(sight(NEXT, true), WHOLE, elsewhere))
                .as("by another clock")
                .isTrue();
    }

    /** The last look shows it only where it is half a second or more. */
    @Test
    void clock_beforeTheBeginOfTheQuarantine_wasSetBack_howeverLittle() {
        assertThat(usual.whyForgotten(sight(MARKED, true), mark(MARKED, NOW, 0, 0), null, 0))
                .isEmpty();
        assertThat(usual.whyForgotten(sight(MARKED, true), mark(MARKED, NOW + 1, 0, 0), null, 0))
                .contains("its clock was set back");
    }

    @Test
    void restartedProcess_whoseMemoryIsDurable_hasCountersOfItsOwn() {
        BirthMark before = mark(process("marked", 7), START - 60 * SECOND, 0, 0);
        assertThat(durable.whyForgotten(sight(NEXT, true), before, null, 0)).isEmpty();
        assertThat(durable.whyForgotten(sight(process("marked", 8), true), before, null, 0))
                .contains("it has evicted keys");
    }

    /** Other processes have set the mark for the process that answers now. */
    @Test
    void replacement_betweenTwoLooks_isAllowedForByAMarkThatIsYounger_unlessThisProcessWasInTouch() {
        long ago = 3 * SECOND;
        long nanos = Duration.ofSeconds(3).toNanos();
        LastLook before = new LastLook("marked", SEEN - ago, 0, 0);
        BirthMark since = mark(NEXT, NOW - ago, 0, 0);
        assertThat(usual.whyForgotten(sight(NEXT, true), since, before, nanos)).isEmpty();
        assertThat(usual.whyForgotten(sight(NEXT, true), mark(NEXT, NOW - ago - 1, 0, 0), before, nanos))
                .contains(MemoryCheck.REPLACED);
        assertThat(usual.whyForgotten(sight(NEXT, true), mark(NEXT, NOW, 0, 0), before, nanos - 1))
                .contains(MemoryCheck.REPLACED);
    }

    /** What clients have noted meanwhile in another slot would be missing here. */
    @Test
    void memory_ofAShard_isDoubted_onceNoClientHasLookedForNearlyTheLongestTtl() {
        long late = Math.min(7 * SECOND, QUARANTINE / 8);
        assertThat(whyForgottenAfter(QUARANTINE - late - 1, true)).isEmpty();
        assertThat(whyForgottenAfter(QUARANTINE - late, true)).hasValueSatisfying(reason -> assertThat(reason)
                .contains("no client has looked at it for nearly the longest TTL"));
        assertThat(whyForgottenAfter(QUARANTINE, false))
                .as("on a node that is no shard")
                .isEmpty();
    }

    private Optional<String> whyForgottenAfter(long micros, boolean clustered) {
        return usual.whyForgotten(new NodeProbe.Sight(facts(micros, clustered), "as parsed", true), WHOLE, null, 0);
    }

    private static NodeFacts facts(long micros, boolean clustered) {
        return new NodeFacts(MARKED, true, clustered, false, Optional.empty(), SEEN + micros);
    }
}
