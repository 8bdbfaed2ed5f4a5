// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.latch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.Set;
import org.holdfast.CountDownUnconfirmedException;
import org.holdfast.DistributedLatch;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.InterruptedWaits;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/** When a call that counts down is confirmed, and what it reports else. */
class CountDownTest extends LatchOnThreeNodes {

    @Test
    void countDown_isSentAgainUnderTheSameId() {
        nodes.node(0, NO_ANSWER).node(1, NOT_SENT);
        assertThatExceptionOfType(CountDownUnconfirmedException.class)
                .isThrownBy(latch::countDown)
                .satisfies(e -> assertThat(memory.get(2)).containsExactly(e.id()));
        assertThat(rounds()).isGreaterThan(3);
    }

    @Test
    void countDown_thatIsSentAgain_keepsNoConnectionMeanwhile() {
        latch.countDown();
        assertThat(waits).as("confirmed at once").isZero();
        nodes.node(0, NO_ANSWER).node(1, command -> waits == 0 ? NOT_SENT : new Reply.Counted(memory.get(2)));
        latch.countDown();
        assertThat(waits).isEqualTo(1);
    }

    @Test
    void countDown_ofAConnectionThatIsClosedMeanwhile_isNotSentAgain() {
        nodes.node(0, NO_ANSWER).node(1, command -> {
            open = false;
            return NO_ANSWER;
        });
        assertThatExceptionOfType(CountDownUnconfirmedException.class).isThrownBy(latch::countDown);
        assertThat(rounds()).isEqualTo(1);
    }

    @Test
    void countDown_thatNoNodeCanHaveRecorded_isAnOutage() {
        nodes.node(0, NOT_SENT).node(1, NOT_SENT).node(2, NOT_SENT);
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(latch::countDown)
                .withMessageContaining("HF0202: latch 'x', generation 0")
                .withMessageContaining("it is gone");
    }

    /** What a node returned that no script of ours returns says nothing of what it has recorded. */
    @Test
    void countDown_thatANodeAnswersWithAnError_isUnconfirmed() {
        nodes.node(0, NOT_SENT).node(1, new Reply.Refused("OOM")).node(2, NOT_SENT);
        assertThatExceptionOfType(CountDownUnconfirmedException.class)
                .isThrownBy(latch::countDown)
                .withMessageContaining("OOM");
    }

    @Test
    void countDown_thatOneAttemptMayHaveLeft_isUnconfirmed() {
        nodes.node(0, NOT_SENT).node(1, NOT_SENT);
        int[] attempts = new int[1];
        nodes.node(2, command -> attempts[0]++ == 0 ? NO_ANSWER : NOT_SENT);
        assertThatExceptionOfType(CountDownUnconfirmedException.class).isThrownBy(latch::countDown);
    }

    @Test
    void countDown_onAnInterruptedThread_isConfirmed() {
        Thread.currentThread().interrupt();
        latch.countDown();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(memory.get(0)).hasSize(1);
    }

    @Test
    void countDown_thatANodeAcknowledgesWithoutRecordingIt_isUnconfirmed() {
        nodes.node(0, new Reply.Counted(Set.of())).node(1, new Reply.Counted(Set.of("other")));
        assertThatExceptionOfType(CountDownUnconfirmedException.class).isThrownBy(latch::countDown);
        nodes.node(0, new Reply.Counted(Set.of("any", "other"))); // it is open there, and records no more
        latch.countDown();
    }

    @Test
    void countDown_thatAMajorityConfirms_doesNotWaitForTheOthers() {
        nodes.latency(2, 40);
        long before = fixture.time.nanoTime();
        latch.countDown();
        assertThat(fixture.time.nanoTime() - before)
                .isEqualTo(Duration.ofMillis(1).toNanos());
        assertThat(nodes.roundsNotLeft()).isZero();
    }

    /** It is not counted, or it is: another attempt might tell, and must not be waited for. */
    @Test
    void countDown_interruptedBetweenTwoAttempts_isUnconfirmed_andTheThreadStaysInterrupted() {
        nodes.node(0, NO_ANSWER).node(1, NO_ANSWER);
        Latches interrupted = new Latches(
                new InterruptedWaits(fixture.time),
                fixture.randomness,
                fixture.timing,
                nodes,
                fixture.notifications,
                new StopFlag());
        DistributedLatch other = interrupted.open(new Latch("x", 0, 2), Duration.ofMillis(500), caller);
        assertThatExceptionOfType(CountDownUnconfirmedException.class).isThrownBy(other::countDown);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(rounds()).isEqualTo(1);
    }
}
