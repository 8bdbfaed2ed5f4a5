// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.holdfast.protocol.NodeGuard.Verdict;
import org.junit.jupiter.api.Test;

class NodeGuardTest {

    private static final long NOW = 1_800_000_000_000_000L;
    private static final long STARTED = NOW - 5_000_000;
    private static final BirthMark MARK = new BirthMark(NOW - 900_000_000, "run", "data", 0);

    private static NodeFacts facts(String run, String data, boolean persists, long evictions) {
        return new NodeFacts(run, data, true, false, false, persists, evictions, 0, 0, STARTED, NOW);
    }

    private static long since(Verdict verdict) {
        return ((Verdict.SetMark) verdict).mark().sinceMicros();
    }

    @Test
    void judge_sameProcessAndData_isTrusted() {
        assertThat(NodeGuard.judge(facts("run", "data", false, 0), Optional.of(MARK)))
                .isInstanceOf(Verdict.Trusted.class);
    }

    @Test
    void judge_otherProcess_remembersSinceItsStart() {
        assertThat(since(NodeGuard.judge(facts("other", "data", false, 0), Optional.of(MARK))))
                .isEqualTo(STARTED);
    }

    @Test
    void judge_otherProcessThatPersistsEveryWrite_remembersAsBefore() {
        assertThat(since(NodeGuard.judge(facts("other", "data", true, 0), Optional.of(MARK))))
                .isEqualTo(MARK.sinceMicros());
    }

    @Test
    void judge_otherDataInTheSameProcess_remembersSinceNow() {
        assertThat(since(NodeGuard.judge(facts("run", "other", true, 0), Optional.of(MARK))))
                .isEqualTo(NOW);
    }

    @Test
    void judge_noMark_remembersSinceTheStartUnlessItForgotSomethingSince() {
        assertThat(since(NodeGuard.judge(facts("run", "data", false, 0), Optional.empty())))
                .isEqualTo(STARTED);
        assertThat(since(NodeGuard.judge(facts("run", "data", false, 1), Optional.empty())))
                .isEqualTo(NOW);
    }

    @Test
    void judge_replicaOrEvictingNode_isRefused() {
        NodeFacts replica = new NodeFacts("run", "data", false, false, false, true, 0, 0, 0, STARTED, NOW);
        NodeFacts evicting = new NodeFacts("run", "data", true, false, true, true, 0, 0, 0, STARTED, NOW);
        assertThat(NodeGuard.judge(replica, Optional.of(MARK))).isInstanceOf(Verdict.Refused.class);
        assertThat(NodeGuard.judge(evicting, Optional.of(MARK))).isInstanceOf(Verdict.Refused.class);
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
        assertThat(since(NodeGuard.judge(facts("run", "data", true, 1), Optional.of(MARK))))
                .isEqualTo(NOW);
    }

    @Test
    void judge_markFromTheFuture_remembersSinceNow() {
        BirthMark future = new BirthMark(NOW + 1, "run", "data", 0);
        assertThat(since(NodeGuard.judge(facts("run", "data", true, 0), Optional.of(future))))
                .isEqualTo(NOW);
    }

    @Test
    void judge_noMarkThoughScriptsWereRun_remembersSinceNow() {
        NodeFacts used = new NodeFacts("run", "data", true, false, false, false, 0, 0, 3, STARTED, NOW);
        assertThat(since(NodeGuard.judge(used, Optional.empty()))).isEqualTo(NOW);
    }
}
