// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.holdfast.LockMode;
import org.holdfast.protocol.ScriptedNotifications;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.node.HolderInfo;
import org.holdfast.protocol.node.ProcessInfo;
import org.junit.jupiter.api.Test;

class HandoffYieldTest {

    private static final long TOKEN = 64;

    /** For how long this process had the lock. */
    private static final long BRIEF = MILLISECONDS.toNanos(1);

    private static final long LONG = MILLISECONDS.toNanos(110);

    /** The length of the first moment, as the random source gives it. */
    private static final long MOMENT = MILLISECONDS.toNanos(3);

    /** Within how many nanoseconds sweeps were asked for. */
    private final List<Long> sweeps = new ArrayList<>();

    /** That of the last claim of this process. */
    private long token = TOKEN;

    private final VirtualTime time = new VirtualTime();
    private final ScriptedNotifications notifications = new ScriptedNotifications();
    private final HandoffYield handoffYield = new HandoffYield(time, random(), notifications, sweeps::add);

    private static Randomness random() {
        return new Randomness() {
            @Override
            public byte[] uniqueId() {
                return new byte[20];
            }

            @Override
            public long below(long bound) {
                return bound / 2;
            }
        };
    }

    /** Returns what is published when an owner with that token releases. */
    private static String owner(long token) {
        HolderInfo info = new HolderInfo(new ProcessInfo("other", 7), "thread", LockMode.EXCLUSIVE, token, 1);
        return info.owner(new byte[20]).value();
    }

    @Test
    void release_thatOthersWaitFor_letsThemGoFirstForAMoment() {
        handoffYield.released("a", TOKEN, BRIEF, 1);
        assertThat(handoffYield.nanosLeft("a")).isPositive();
        assertThat(handoffYield.nanosLeft("b")).isZero();
        time.passMillis(5);
        assertThat(handoffYield.nanosLeft("a")).isNegative();
        time.passMillis(1_000);
        handoffYield.sweep();
        assertThat(handoffYield.size()).isZero();
    }

    @Test
    void release_thatOnlyThisProcessHasHeard_letsNoneGoFirst() {
        notifications.heard = true;
        notifications.subscribe("a");
        handoffYield.released("a", TOKEN, BRIEF, 1);
        assertThat(handoffYield.nanosLeft("a")).isZero();
    }

    /** No sweep comes before the moment that was reported, and each sweep forgets the moments of before. */
    @Test
    void othersTurn_isReportedWhenItBeginsAndInEachSweep_untilItIsForgotten() {
        handoffYield.released("a", TOKEN, BRIEF, 1);
        long memory = MILLISECONDS.toNanos(1_000);
        assertThat(sweeps).containsExactly(MOMENT + memory);
        sweeps.clear();
        time.passMillis(600);
        handoffYield.sweep();
        assertThat(sweeps).containsExactly(MOMENT + memory - MILLISECONDS.toNanos(600));
        assertThat(handoffYield.size()).isOne();
        sweeps.clear();
        time.passMillis(500);
        handoffYield.sweep();
        assertThat(sweeps).isEmpty();
        assertThat(handoffYield.size()).isZero();
    }

    @Test
    void othersTurn_endsWhenOneOfThemHasHadTheLock() {
        handoffYield.released("a", TOKEN, BRIEF, 1);
        handoffYield.released("b", TOKEN, BRIEF, 1);
        handoffYield.heard("a", owner(TOKEN + 16));
        assertThat(handoffYield.nanosLeft("a")).isZero();
        assertThat(handoffYield.nanosLeft("b")).isPositive();
    }

    /** Of each node one comes, and some come late. */
    @Test
    void othersTurn_isNotEndedByOwnReleasesNorByEarlierOnes() {
        handoffYield.released("a", TOKEN, BRIEF, 1);
        handoffYield.heard("a", owner(TOKEN));
        handoffYield.heard("a", owner(TOKEN - 16));
        handoffYield.heard("a", "");
        handoffYield.heard("a", "latch");
        handoffYield.heard("a", "0".repeat(40));
        assertThat(handoffYield.nanosLeft("a")).isPositive();
    }

    /** Has the lock, releases it, and lets the others' moment pass; returns how long that was. */
    private long momentAfter(long heldNanos) {
        token += 32;
        handoffYield.released("a", token, heldNanos, 1);
        long moment = handoffYield.nanosLeft("a");
        time.pass(Math.max(0, moment));
        handoffYield.sweep();
        return moment;
    }

    private void anotherHasTheLock() {
        handoffYield.heard("a", owner(token + 16));
    }

    @Test
    void moment_thatPassedInVain_makesTheNextOneTwiceAsLong_upToABound() {
        for (int doublings = 0; doublings <= 4; doublings++) {
            assertThat(momentAfter(LONG)).isEqualTo(MOMENT << doublings);
        }
        time.passMillis(100);
        assertThat(momentAfter(LONG))
                .as("the longest was in vain: it is not waited for")
                .isEqualTo(MOMENT);
    }

    /** Connections of processes that wait for nothing listen too, for a while: each release would cost a moment. */
    @Test
    void longestMoment_thatPassedInVain_letsNoneGoFirstFor100Millis() {
        for (int i = 0; i <= 4; i++) {
            momentAfter(BRIEF);
        }
        for (int millis = 0; millis < 100; millis++) {
            assertThat(momentAfter(BRIEF)).as("after %d ms", millis).isEqualTo(-MILLISECONDS.toNanos(millis));
            time.passMillis(1);
        }
        assertThat(momentAfter(BRIEF)).isEqualTo(MOMENT);
    }

    /** Its own releases have larger tokens, each, and end nothing. */
    @Test
    void restAfterTheLongestMoment_endsWhenAnotherHasTheLock_notWithOwnReleases() {
        for (int i = 0; i <= 4; i++) {
            momentAfter(BRIEF);
        }
        handoffYield.released("a", token + 16, BRIEF, 1);
        handoffYield.heard("a", owner(token + 16));
        handoffYield.heard("a", owner(token + 32)); // before it is reported
        handoffYield.released("a", token + 32, BRIEF, 1);
        assertThat(handoffYield.nanosLeft("a")).isNotPositive();
        handoffYield.heard("a", owner(token + 48));
        handoffYield.released("a", token + 64, BRIEF, 1);
        assertThat(handoffYield.nanosLeft("a")).isPositive();
    }

    @Test
    void moment_inWhichAnotherHadTheLock_isAsLongTheNextTime() {
        momentAfter(LONG);
        for (int i = 0; i < 10; i++) {
            assertThat(momentAfter(LONG)).isEqualTo(2 * MOMENT);
            anotherHasTheLock(); // of each node one comes
            anotherHasTheLock();
        }
        time.passMillis(1_000);
        assertThat(momentAfter(LONG)).as("forgotten").isEqualTo(MOMENT);
    }

    /** Else the lock would be idle most of the time where it is held briefly. */
    @Test
    void moment_isNotLongerThanHalfOfTheTimeForWhichTheLockWasHeld_unlessItIsTheShortest() {
        for (int i = 0; i < 4; i++) {
            assertThat(momentAfter(BRIEF)).isEqualTo(MOMENT);
        }
        time.passMillis(1_000);
        momentAfter(MILLISECONDS.toNanos(8));
        assertThat(momentAfter(MILLISECONDS.toNanos(8))).isEqualTo(MILLISECONDS.toNanos(4));
    }

    /** It was taken by a caller that does not wait, and so does not let others go first. */
    @Test
    void moment_thatHasNotPassed_wasNotInVain() {
        momentAfter(LONG);
        handoffYield.released("a", ++token, LONG, 1);
        time.pass(MOMENT);
        assertThat(momentAfter(LONG)).isEqualTo(2 * MOMENT);
    }

    @Test
    void moment_thatPassedInVainLongAgo_isForgotten() {
        momentAfter(LONG);
        time.passMillis(1_000);
        assertThat(momentAfter(LONG)).isEqualTo(MOMENT);
    }

    @Test
    void othersTurn_inWhichOneHadTheLock_takesNoMemoryAfterASecond() {
        handoffYield.released("a", token, LONG, 1);
        time.passMillis(400);
        anotherHasTheLock();
        time.passMillis(999);
        handoffYield.sweep();
        assertThat(handoffYield.size()).isOne();
        time.passMillis(1);
        handoffYield.sweep();
        assertThat(handoffYield.size()).isZero();
    }

    /** The thread that receives announcements may be faster than the one that has released. */
    @Test
    void ownRelease_thatIsHeardBeforeItIsReported_isNotThatOfAnother() {
        for (int doublings = 0; doublings <= 4; doublings++) {
            long token = TOKEN + 16 * doublings;
            handoffYield.heard("a", owner(token));
            handoffYield.released("a", token, LONG, 1);
            assertThat(handoffYield.nanosLeft("a")).isEqualTo(MOMENT << doublings);
            time.pass(MOMENT << doublings);
        }
    }

    @Test
    void releaseOfAnother_thatIsHeardAfterOurNextOne_isNotMissed() {
        momentAfter(LONG);
        handoffYield.heard("a", owner(token + 32)); // our own
        anotherHasTheLock();
        handoffYield.released("a", token + 32, LONG, 1);
        assertThat(handoffYield.nanosLeft("a")).isEqualTo(MOMENT);
    }

    /** The thread that has released waits for a processor, while another process has the lock and gives it back. */
    @Test
    void release_thatIsReportedAfterThatOfALaterOwner_letsNoneGoFirst() {
        momentAfter(LONG);
        handoffYield.heard("a", owner(token + 32)); // our own
        handoffYield.heard("a", owner(token + 48));
        handoffYield.released("a", token + 32, LONG, 1);
        assertThat(handoffYield.nanosLeft("a")).isNotPositive();
        handoffYield.released("a", token + 64, LONG, 1);
        assertThat(handoffYield.nanosLeft("a")).as("the next one").isPositive();
    }

    /** A client that may only publish could say so again and again. */
    @Test
    void tokenThatNoOwnerHad_preventsOneMoment_notAllLaterOnes() {
        momentAfter(LONG);
        handoffYield.heard("a", owner(Long.MAX_VALUE / 2));
        handoffYield.released("a", token + 32, LONG, 1);
        handoffYield.released("a", token + 64, LONG, 1);
        assertThat(handoffYield.nanosLeft("a")).isPositive();
    }

    @Test
    void release_thatIsReportedAfterALaterOneOfThisProcess_changesNothing() {
        handoffYield.released("a", TOKEN + 32, LONG, 1);
        long left = handoffYield.nanosLeft("a");
        time.pass(left / 2);
        handoffYield.released("a", TOKEN, LONG, 1);
        assertThat(handoffYield.nanosLeft("a")).isEqualTo(left - left / 2);
    }
}
