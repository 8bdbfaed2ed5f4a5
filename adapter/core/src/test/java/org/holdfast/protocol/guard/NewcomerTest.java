// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What others have seen of a shard, and could not note, they note before a client that starts relies on the mark. */
class NewcomerTest extends GuardedNode {

    private NodeGuard starting() {
        return guard(new AcceptedSettings(SHORT), false);
    }

    private void voteAsShard() {
        node.clustered = true;
        voteAfterQuarantine();
    }

    /** Looks once. */
    private void assertWaits(NodeGuard client, long millis) {
        int told = node.othersFirst;
        String mark = node.mark;
        assertThat(client.admit(node))
                .isInstanceOfSatisfying(
                        NodeGuard.Admission.Admitted.class,
                        admitted -> assertThat(admitted.quarantineMicros()).isEqualTo(millis * 1_000));
        assertThat(node.othersFirst - told).as("lets others go first").isEqualTo(millis > 0 ? 1 : 0);
        assertThat(node.mark.equals(mark)).as("notes nothing").isEqualTo(millis > 0);
    }

    @Test
    void clientThatStarts_whereNoLookWasNotedForSomeSeconds_waitsForTwoLooksOfOthers() {
        voteAsShard();
        pass(Duration.ofMillis(2_500));
        NodeGuard late = starting();
        assertWaits(late, 3_500);
        pass(Duration.ofMillis(1_500));
        assertWaits(late, 2_000);
        pass(Duration.ofMillis(2_000));
        assertWaits(late, 0);
    }

    @Test
    void clientThatStarts_whereAnotherHasNotedALook_doesNotWait() {
        voteAsShard();
        pass(Duration.ofMillis(2_499));
        assertWaits(starting(), 0);
    }

    @Test
    void clientThatWaits_whileAnotherNotesALook_goesOn() {
        voteAsShard();
        pass(Duration.ofSeconds(3));
        NodeGuard late = starting();
        assertWaits(late, 3_500);
        guard.admit(node);
        pass(Duration.ofSeconds(1));
        assertWaits(late, 0);
    }

    @Test
    void clientThatHasLookedBefore_waitsIfItHasNotHeardOfTheShardMeanwhile() {
        voteAsShard();
        pass(Duration.ofSeconds(3));
        node.heardSince = time.nanoTime();
        assertWaits(guard, 3_500);
        pass(Duration.ofMillis(3_500));
        assertWaits(guard, 0);
        pass(Duration.ofSeconds(3));
        node.heardSince = time.nanoTime();
        assertWaits(guard, 3_500);
    }

    /** Its looks failed, as those of all others, and others wait for what it has seen. */
    @Test
    void clientThatHasHeardOfTheShardAllTheTime_doesNotWait() {
        voteAsShard();
        pass(Duration.ofSeconds(8));
        assertWaits(guard, 0);
    }

    @Test
    void clientThatStarts_atANodeThatIsNoShard_doesNotWait() {
        voteAfterQuarantine();
        pass(Duration.ofSeconds(4));
        assertWaits(starting(), 0);
    }

    private void failOver() {
        node.clustered = true;
        guard = guard(new AcceptedSettings(SHORT), true);
        voteAfterQuarantine();
        watch(Duration.ofSeconds(12));
        node.process = new BirthMark.Process("next", 0, "-@2", "-");
    }

    private void assertRefused(NodeGuard client, long settlingMillis) {
        String mark = node.mark;
        assertThat(client.admit(node)).isInstanceOfSatisfying(NodeGuard.Admission.Refused.class, refused -> assertThat(
                        refused.settlingNanos())
                .isEqualTo(settlingMillis * 1_000_000));
        assertThat(node.mark).isEqualTo(mark);
    }

    private void assertAdmitted(NodeGuard client, boolean inQuarantine) {
        assertThat(client.admit(node))
                .isInstanceOfSatisfying(
                        NodeGuard.Admission.Admitted.class,
                        admitted -> assertThat(admitted.quarantineMicros() > 0).isEqualTo(inQuarantine));
        assertThat(node.parsed().process().runId()).isEqualTo("next");
    }

    @Test
    void clientThatHasNeverLooked_takesNothingOver_andLeavesThatToOthersFirst() {
        failOver();
        NodeGuard late = guard(new AcceptedSettings(SHORT), true);
        assertRefused(late, 3_500);
        assertAdmitted(guard, false);
        assertAdmitted(late, false);
    }

    @Test
    void failoverThatNoClientHasWatched_hasAQuarantine() {
        failOver();
        NodeGuard late = guard(new AcceptedSettings(SHORT), true);
        assertRefused(late, 3_500);
        pass(Duration.ofMillis(3_500));
        assertAdmitted(late, true);
        assertAdmitted(guard, true);
    }

    /** It stood still, for instance. */
    @Test
    void clientThatHasMissedWhatBecameOfThePrimary_takesNothingOver() {
        failOver();
        node.watchedSince = time.nanoTime() + 1;
        assertRefused(guard, 3_500);
        pass(Duration.ofMillis(3_500));
        assertAdmitted(guard, true);
    }

    @Test
    void clientThatDoesNotKnowWhereOthersLook_takesNothingOver_untilItDoes() {
        failOver();
        node.isMarkOfAll = false;
        assertRefused(guard, 500);
        node.isMarkOfAll = true;
        assertAdmitted(guard, false);
    }

    /** It could not note that before the failover. */
    @Test
    void clientThatSawTheClockOfTheFormerPrimaryJump_takesNothingOver() {
        failOver();
        formerClockDoubted = true;
        assertAdmitted(guard, true);
    }
}
