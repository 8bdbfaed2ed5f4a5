// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.holdfast.protocol.NodeGuard.Before;
import org.holdfast.protocol.NodeGuard.Verdict;
import org.junit.jupiter.api.Test;

class NodeGuardTest {

    private static final long NOW = 1_800_000_000_000_000L;
    private static final long STARTED = NOW - 5_000_000;
    private static final BirthMark MARK = new BirthMark(NOW - 900_000_000, "run", "data", 0);

    private static final Optional<Before> FIRST_LOOK = Optional.empty();

    private static NodeFacts facts(String run, String data, boolean persists, long evictions) {
        return new NodeFacts(run, data, true, false, false, false, persists, evictions, 0, 0, STARTED, NOW);
    }

    private static long since(Verdict verdict) {
        return ((Verdict.SetMark) verdict).mark().sinceMicros();
    }

    @Test
    void judge_sameProcessAndData_isTrusted() {
        assertThat(NodeGuard.judge(facts("run", "data", false, 0), Optional.of(MARK), FIRST_LOOK))
                .isInstanceOf(Verdict.Trusted.class);
    }

    /** It may have been restarted, or have been a replica all the time: its own start says nothing of the data that it has. */
    @Test
    void judge_otherProcess_remembersSinceNow() {
        assertThat(since(NodeGuard.judge(facts("other", "data", false, 0), Optional.of(MARK), FIRST_LOOK)))
                .isEqualTo(NOW);
    }

    @Test
    void judge_promotedReplica_remembersSinceNowEvenIfItPersistsEveryWrite() {
        NodeFacts promoted = new NodeFacts("other", "data", true, true, false, false, true, 0, 0, 0, STARTED, NOW);
        assertThat(since(NodeGuard.judge(promoted, Optional.of(MARK), FIRST_LOOK)))
                .isEqualTo(NOW);
    }

    @Test
    void judge_unusedProcessInThePlaceOfAnother_remembersSinceNow() {
        Optional<Before> before = Optional.of(new Before("before", 3_600_000_000L));
        assertThat(since(NodeGuard.judge(facts("run", "data", true, 0), Optional.empty(), before)))
                .isEqualTo(NOW);
    }

    @Test
    void judge_processThatRanBesideTheOneBefore_remembersSinceNow() {
        Optional<Before> before = Optional.of(new Before("before", 1_000_000));
        assertThat(since(NodeGuard.judge(facts("run", "data", true, 0), Optional.of(MARK), before)))
                .isEqualTo(NOW);
    }

    @Test
    void judge_processThatTookThePlaceOfAnother_isTrustedIfItWasSeenToOrStartedSince() {
        NodeFacts facts = facts("run", "data", true, 0);
        BirthMark since = new BirthMark(NOW - 500_000, "run", "data", 0);
        assertThat(NodeGuard.judge(facts, Optional.of(since), Optional.of(new Before("before", 1_000_000))))
                .as("another client has set the mark since")
                .isInstanceOf(Verdict.Trusted.class);
        assertThat(NodeGuard.judge(facts, Optional.of(MARK), Optional.of(new Before("before", 6_000_000))))
                .as("it was restarted, and another client has set the mark")
                .isInstanceOf(Verdict.Trusted.class);
        assertThat(NodeGuard.judge(facts, Optional.of(MARK), Optional.of(new Before("run", 1_000_000))))
                .as("it is the same")
                .isInstanceOf(Verdict.Trusted.class);
    }

    @Test
    void judge_otherProcessThatPersistsEveryWrite_remembersAsBefore() {
        assertThat(since(NodeGuard.judge(facts("other", "data", true, 0), Optional.of(MARK), FIRST_LOOK)))
                .isEqualTo(MARK.sinceMicros());
    }

    @Test
    void judge_otherDataInTheSameProcess_remembersSinceNow() {
        assertThat(since(NodeGuard.judge(facts("run", "other", true, 0), Optional.of(MARK), FIRST_LOOK)))
                .isEqualTo(NOW);
    }

    @Test
    void judge_noMark_remembersSinceTheStartUnlessItForgotSomethingSince() {
        assertThat(since(NodeGuard.judge(facts("run", "data", false, 0), Optional.empty(), FIRST_LOOK)))
                .isEqualTo(STARTED);
        assertThat(since(NodeGuard.judge(facts("run", "data", false, 1), Optional.empty(), FIRST_LOOK)))
                .isEqualTo(NOW);
    }

    @Test
    void judge_replicaOrEvictingNode_isRefused() {
        NodeFacts replica = new NodeFacts("run", "data", false, false, false, false, true, 0, 0, 0, STARTED, NOW);
        NodeFacts evicting = new NodeFacts("run", "data", true, false, false, true, true, 0, 0, 0, STARTED, NOW);
        assertThat(NodeGuard.judge(replica, Optional.of(MARK), FIRST_LOOK)).isInstanceOf(Verdict.Refused.class);
        assertThat(NodeGuard.judge(evicting, Optional.of(MARK), FIRST_LOOK)).isInstanceOf(Verdict.Refused.class);
    }

    @Test
    void mark_isReadBackAsWritten_andGarbageIsNone() {
        assertThat(BirthMark.parse(MARK.text())).contains(MARK);
        assertThat(BirthMark.parse("")).isEmpty();
        assertThat(BirthMark.parse("12 run")).isEmpty();
        assertThat(BirthMark.parse("x run data")).isEmpty();
    }

    @Test
    void judge_moreKeysEvictedThanTheMarkSays_remembersSinceNow() {
        assertThat(since(NodeGuard.judge(facts("run", "data", true, 1), Optional.of(MARK), FIRST_LOOK)))
                .isEqualTo(NOW);
    }

    @Test
    void judge_markFromTheFuture_remembersSinceNow() {
        BirthMark future = new BirthMark(NOW + 1, "run", "data", 0);
        assertThat(since(NodeGuard.judge(facts("run", "data", true, 0), Optional.of(future), FIRST_LOOK)))
                .isEqualTo(NOW);
    }

    @Test
    void judge_noMarkThoughScriptsWereRun_remembersSinceNow() {
        NodeFacts used = new NodeFacts("run", "data", true, false, false, false, false, 0, 0, 3, STARTED, NOW);
        assertThat(since(NodeGuard.judge(used, Optional.empty(), FIRST_LOOK))).isEqualTo(NOW);
    }
}
