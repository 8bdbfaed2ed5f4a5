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

    private static long settling(NodeGuard.Admission admission) {
        return admission instanceof NodeGuard.Admission.Refused refused ? refused.settlingNanos() : 0;
    }

    @Test
    void clientThatStarts_whereNoLookWasNotedForSomeSeconds_waitsForTwoLooksOfOthers() {
        voteAsShard();
        pass(Duration.ofMillis(2_500));
        NodeGuard late = starting();
        String mark = node.mark;
        assertThat(settling(late.admit(node))).isEqualTo(3_500_000_000L);
        pass(Duration.ofMillis(1_500));
        assertThat(settling(late.admit(node))).isEqualTo(2_000_000_000L);
        assertThat(node.mark).as("it notes nothing").isEqualTo(mark);
        pass(Duration.ofMillis(500));
        pass(Duration.ofMillis(1_500));
        assertThat(late.admit(node)).isInstanceOf(NodeGuard.Admission.Admitted.class);
    }

    @Test
    void clientThatStarts_whereAnotherHasNotedALook_doesNotWait() {
        voteAsShard();
        pass(Duration.ofMillis(2_499));
        assertThat(starting().admit(node)).isInstanceOf(NodeGuard.Admission.Admitted.class);
    }

    @Test
    void clientThatWaits_whileAnotherNotesALook_goesOn() {
        voteAsShard();
        pass(Duration.ofSeconds(3));
        NodeGuard late = starting();
        assertThat(settling(late.admit(node))).isPositive();
        guard.admit(node);
        assertThat(late.admit(node)).isInstanceOf(NodeGuard.Admission.Admitted.class);
    }

    @Test
    void clientThatHasLookedBefore_doesNotWait() {
        voteAsShard();
        pass(Duration.ofSeconds(3));
        assertThat(guard.admit(node)).isInstanceOf(NodeGuard.Admission.Admitted.class);
    }

    @Test
    void clientThatStarts_atANodeThatIsNoShard_doesNotWait() {
        voteAfterQuarantine();
        pass(Duration.ofSeconds(4));
        assertThat(starting().admit(node)).isInstanceOf(NodeGuard.Admission.Admitted.class);
    }
}
