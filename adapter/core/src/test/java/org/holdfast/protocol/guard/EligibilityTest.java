// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.protocol.guard.GuardedNode.PROCESS;
import static org.holdfast.protocol.guard.GuardedNode.SHORT;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.holdfast.protocol.guard.NodeFacts.Appointment;
import org.holdfast.protocol.guard.NodeFacts.Namer;
import org.junit.jupiter.api.Test;

/** Why a primary that remembers everything is not used all the same. */
class EligibilityTest {

    private static final Appointment SHARD = new Appointment(1, 7, 0, Namer.CLUSTER);
    private static final BirthMark OWN_MARK = mark(PROCESS);

    private static BirthMark mark(BirthMark.Process process) {
        return new BirthMark(1, 0, List.of(2L), 1, process, 0, 0, 2, new AcceptedSettings(SHORT));
    }

    private static NodeFacts facts(boolean clustered, Optional<Appointment> appointment) {
        return new NodeFacts(PROCESS, true, clustered, false, Optional.empty(), 3, appointment);
    }

    @Test
    void partOfACluster_isRefused_unlessTheClusterNamesIt() {
        assertThat(Eligibility.refusal(facts(true, Optional.empty()), OWN_MARK)).satisfies(refused -> {
            assertThat(refused.reason()).contains("it is part of a Redis Cluster");
            assertThat(refused.forgets()).isFalse();
            assertThat(refused.settlingNanos()).isZero();
        });
        Appointment bySentinels = new Appointment(1, 7, 0, Namer.SENTINELS);
        assertThat(Eligibility.refusal(facts(true, Optional.of(bySentinels)), OWN_MARK))
                .isNotNull();
        assertThat(Eligibility.refusal(facts(true, Optional.of(SHARD)), OWN_MARK))
                .isNull();
        assertThat(Eligibility.refusal(facts(false, Optional.empty()), OWN_MARK))
                .isNull();
    }

    /** Nor is a quarantine begun there: others would rely on its mark. */
    @Test
    void shard_thatTooFewOthersName_isRefused_untilTheyAreAskedAgain() {
        Appointment lacking = new Appointment(1, 7, 0, Namer.CLUSTER, OptionalInt.of(2));
        assertThat(Eligibility.refusal(facts(true, Optional.of(lacking)), null)).satisfies(refused -> {
            assertThat(refused.reason()).contains("its cluster names it").contains("fewer than 2 of the other");
            assertThat(refused.forgets()).isFalse();
            assertThat(refused.settlingNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
        });
        assertThat(Eligibility.refusal(facts(true, Optional.of(lacking)), OWN_MARK))
                .as("a client has waited for them before it set that mark")
                .isNull();
    }

    @Test
    void process_thatWasNamedAMomentAgo_isRefused_untilNoVoteOfTheOneBeforeCounts() {
        Appointment early = new Appointment(1, 7, 2_000_000, Namer.SENTINELS);
        assertThat(Eligibility.refusal(facts(false, Optional.of(early)), null)).satisfies(refused -> {
            assertThat(refused.reason()).contains("its Sentinels name it").contains("asked in 2 ms");
            assertThat(refused.forgets()).isFalse();
            assertThat(refused.settlingNanos()).isEqualTo(2_000_000);
        });
        BirthMark ofAnother = mark(new BirthMark.Process("another", 0, "-", "-"));
        assertThat(Eligibility.refusal(facts(false, Optional.of(early)), ofAnother))
                .as("that client has waited for another process")
                .isNotNull();
    }

    @Test
    void process_thatNeedNotBeWaitedFor_isRefusedAsAnyOther() {
        NodeFacts evicting = new NodeFacts(PROCESS, true, true, true, Optional.empty(), 3, Optional.of(SHARD));
        assertThat(Eligibility.refusal(evicting, null)).satisfies(refused -> {
            assertThat(refused.reason()).contains("it may evict locks");
            assertThat(refused.forgets()).isTrue();
        });
        NodeFacts forgetful =
                new NodeFacts(PROCESS, true, true, false, Optional.of("it is not"), 3, Optional.of(SHARD));
        assertThat(Eligibility.refusal(forgetful, null)).satisfies(refused -> {
            assertThat(refused.reason()).contains("it is said to be durable, but it is not");
            assertThat(refused.forgets()).isTrue();
        });
    }
}
