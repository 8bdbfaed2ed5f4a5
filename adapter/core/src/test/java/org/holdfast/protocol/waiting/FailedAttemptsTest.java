// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.quorum.QuorumResult;
import org.junit.jupiter.api.Test;

/** When a waiter that receives announcements asks again. */
class FailedAttemptsTest {

    private static final long LONGEST_IN_A_CONTEST = MILLISECONDS.toNanos(80);

    private final RetryDelay delay = new RetryDelay(new ProtocolFixture(1).randomness);
    private final FailedAttempts failed = new FailedAttempts(false);
    private long now;

    private void finds(long remainingMillis, boolean hasVotes) {
        failed.add(new QuorumResult.Contended(remainingMillis, hasVotes), now, now + 1_000);
    }

    private long pause() {
        return failed.pauseNanos(delay, true);
    }

    private void waitLong() {
        for (int attempt = 0; attempt < 14; attempt++) {
            finds(30_000, false);
            now += MILLISECONDS.toNanos(1_000);
        }
        assertThat(pause()).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(5_000));
    }

    /** They all ask when it ends, and take each other's votes: nothing announces that these are given back. */
    @Test
    void waiters_ofALeaseThatEndedByItself_askAgainSoonHoweverLongTheyHaveWaited() {
        waitLong();
        finds(40, false);
        now += MILLISECONDS.toNanos(42);
        for (int attempt = 0; attempt < 6; attempt++) {
            finds(30_000, false);
            assertThat(pause()).isLessThanOrEqualTo(LONGEST_IN_A_CONTEST);
            now += pause();
        }
    }

    @Test
    void contest_goesOnWhileTheWaiterHasVotes_andIsOverWhenItHasNone() {
        waitLong();
        finds(40, false);
        now += MILLISECONDS.toNanos(42);
        for (int attempt = 0; attempt < 20; attempt++) {
            finds(30_000, true);
            assertThat(pause()).isLessThanOrEqualTo(LONGEST_IN_A_CONTEST);
            now += pause();
        }
        finds(30_000, false);
        assertThat(pause()).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(5_000));
    }

    @Test
    void lease_thatIsRenewed_isNoContest() {
        waitLong();
        finds(40, false);
        now += MILLISECONDS.toNanos(20);
        finds(30_000, false);
        assertThat(pause()).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(5_000));
    }
}
