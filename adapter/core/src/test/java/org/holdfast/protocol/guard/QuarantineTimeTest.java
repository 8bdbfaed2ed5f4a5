// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When a quarantine begins and ends by a clock that moves, or that no process has watched. */
class QuarantineTimeTest extends GuardedNode {

    @Test
    void clock_setBack_beginsAQuarantine_unlessByLittle() {
        voteAfterQuarantine();
        watch(Duration.ofSeconds(60));
        node.now -= SECOND / 3;
        assertVotes();
        watch(Duration.ofSeconds(5));
        assertVotes();
        node.now -= 30 * SECOND;
        assertBegins("set back");
        watch(Duration.ofSeconds(12));
        assertVotes();
    }

    @Test
    void clock_behindForAMoment_beginsTheQuarantineAnewWhenItIsRight() {
        voteAfterQuarantine();
        watch(Duration.ofSeconds(60));
        node.now -= 30 * SECOND;
        steadySince = node.now;
        assertBegins("set back");
        node.now += 30 * SECOND;
        assertBegins("may have been behind");
        watch(Duration.ofSeconds(12));
        assertVotes();
    }

    @Test
    void clock_behindForAMoment_andSetBackByLittleMeanwhile_beginsTheQuarantineAnewWhenItIsRight() {
        voteAfterQuarantine();
        watch(Duration.ofSeconds(60));
        node.now -= 30 * SECOND;
        steadySince = node.now;
        assertBegins("set back");
        watch(Duration.ofSeconds(1));
        node.now -= SECOND / 3;
        assertThat(admitted().reason()).isEmpty();
        node.now += 30 * SECOND;
        assertBegins("may have been behind");
    }

    /** Where the mark is gone the process that looks remembers what the clock has shown. */
    @Test
    void clock_behindForAMomentWhileMemoryIsFlushed_beginsTheQuarantineAnewWhenItIsRight() {
        voteAfterQuarantine();
        node.mark = "";
        node.now -= 30 * SECOND;
        steadySince = node.now;
        assertBegins("flushed");
        node.now += 30 * SECOND;
        assertBegins("may have been behind");
    }

    @Test
    void clock_setBackForGood_andWatchedForAQuarantine_beginsNoOther() {
        voteAfterQuarantine();
        watch(Duration.ofSeconds(60));
        node.now -= 30 * SECOND;
        steadySince = node.now;
        assertBegins("set back");
        long since = node.parsed().sinceMicros();
        watch(Duration.ofSeconds(12));
        assertVotes();
        watch(Duration.ofSeconds(60));
        assertVotes();
        assertThat(node.parsed().sinceMicros()).isEqualTo(since);
    }

    @Test
    void clock_setBackForGood_andNotWatchedSince_beginsAQuarantineAnew() {
        voteAfterQuarantine();
        node.now -= 30 * SECOND;
        steadySince = node.now;
        assertBegins("set back");
        pass(Duration.ofSeconds(31));
        steadySince = node.now;
        assertBegins("may have been behind");
    }

    /** By a process that has just started, and cannot know whether the clock went ahead before. */
    @Test
    void quarantine_thatNoProcessHasWatched_countsOnlyTimeThatWasWatched() {
        admitted();
        watch(Duration.ofSeconds(4));
        pass(Duration.ofSeconds(4));
        steadySince = node.now;
        assertThat(admitted().reason()).contains("no process has watched its clock");
        long left = QUARANTINE - 4 * SECOND + 3_500_000;
        assertThat(admitted().quarantineMicros()).isEqualTo(left);
    }

    /** Each lives for a moment, and finds that no process has watched the clock before it. */
    @Test
    void quarantine_thatOnlyShortLivedProcessesSee_endsAfterTwoAtTheLatest() {
        admitted();
        long begun = node.now;
        for (int job = 0; job < 4; job++) {
            pass(Duration.ofSeconds(5));
            steadySince = node.now;
            assertThat(admitted().quarantineMicros()).isBetween(1L, begun + 2 * QUARANTINE - node.now);
        }
        pass(Duration.ofSeconds(5));
        steadySince = node.now;
        assertVotes();
    }

    @Test
    void quarantine_thatNoProcessHasSeenEnd_isOverAfterTwo() {
        admitted();
        pass(Duration.ofHours(8));
        steadySince = node.now;
        assertThat(admitted()).satisfies(it -> {
            assertThat(it.quarantineMicros()).isZero();
            assertThat(it.reason()).isEmpty();
        });
        assertThat(node.parsed().sinceMicros()).as("memory is whole since then").isEqualTo(START);
    }

    /** It has looked seldom, and yet knows that the clock has not gone ahead. */
    @Test
    void quarantine_thatOneProcessHasSeenWithGaps_isNoLonger() {
        admitted();
        unmovedSince = START;
        for (int look = 0; look < 3; look++) {
            pass(Duration.ofMillis(3_600));
            steadySince = node.now;
            admitted();
        }
        assertVotes();
    }

    /** The clock went ahead between that look and the moment at which it was noted. */
    @Test
    void watch_thatIsNoted_reachesNoFurtherThanTheLook() {
        voteAfterQuarantine();
        pass(Duration.ofSeconds(1));
        node.beforeWrite = () -> {
            pass(Duration.ofSeconds(3));
            steadySince = node.now; // as the reply shows
        };
        admitted();
        assertThat(node.parsed().watchedMicros()).isEqualTo(node.now - 3 * SECOND);
        node.beforeWrite = () -> {};
        pass(Duration.ofSeconds(3));
        admitted();
        assertThat(node.parsed().steadyMicros()).isEqualTo(steadySince);
    }

    @Test
    void quarantine_thatOtherProcessesWatch_isLongerForAProcessThatHasJustStarted() {
        admitted();
        watch(Duration.ofSeconds(11));
        assertVotes();
        steadySince = node.now;
        assertThat(admitted().quarantineMicros()).isBetween(2 * SECOND, 3 * SECOND);
    }

    /** Another process has looked first, and does not know what this one has seen. */
    @Test
    void clock_behindWhereAnotherProcessHasSetTheMark_beginsAQuarantineAnewWhenItIsRight() {
        voteAfterQuarantine();
        NodeGuard knowing = guard;
        node.mark = "";
        node.process = new BirthMark.Process("other", 0, "-", "-");
        pass(Duration.ofSeconds(4));
        node.now -= 60 * SECOND;
        steadySince = node.now;
        guard = guard(new AcceptedSettings(SHORT), false);
        guard.admit(node);
        guard = knowing;
        guard.admit(node);
        node.now += 60 * SECOND;
        assertBegins("may have been behind");
    }

    /** Its look hides by a new heartbeat that the clock came back, and with which keys. */
    @Test
    void clock_thatCameBack_afterAFreshProcessHasLookedMeanwhile_beginsAQuarantine() {
        voteAfterQuarantine();
        NodeGuard old = guard;
        node.now += 60 * SECOND;
        node.heartbeatUntil = 0; // it has expired
        guard = guard(new AcceptedSettings(SHORT), false);
        guard.admit(node);
        node.now -= 60 * SECOND;
        guard = old;
        assertBegins("set back");
    }

    @Test
    void clock_setBackBeforeTheMark_beginsAQuarantine() {
        voteAfterQuarantine();
        node.now -= 60 * SECOND;
        steadySince = node.now;
        assertBegins("set back");
    }

    /** An answer that came just after the look shows a jump. What that is worth is found out apart from this look. */
    @Test
    void quarantine_thatWasWatchedToItsEnd_isOver_whateverTheClockShowsAfterTheLook() {
        voteAfterQuarantine();
        long since = node.parsed().sinceMicros();
        pass(Duration.ofSeconds(3));
        steadySince = node.now + 30 * SECOND;
        assertThat(admitted().reason()).isEmpty();
        assertThat(node.parsed().sinceMicros()).isEqualTo(since);
    }

    /** By a process that was there before the last look of another: no gap lies in between. */
    @Test
    void watch_ofOneProcessAfterTheOther_isOne() {
        voteAfterQuarantine();
        steadySince = node.now;
        watch(Duration.ofSeconds(5));
        assertThat(watchedSince).isEqualTo(START);
        assertThat(node.parsed().steadyMicros()).isEqualTo(START);
    }

    /** What was watched before cannot be compared, though the clock shows the same moments again soon. */
    @Test
    void clock_setBackByLittle_isNotedAtOnce_asWatchedSinceThen() {
        voteAfterQuarantine();
        node.now -= SECOND / 3;
        admitted();
        assertThat(node.parsed().steadyMicros()).isEqualTo(node.now);
    }

    /** Others may have watched it without a gap: their watch must show whose clock it was. */
    @Test
    void look_byAProcessThatDoubtsTheClock_isNotNoted() {
        voteAfterQuarantine();
        pass(Duration.ofSeconds(4));
        String mark = node.mark;
        steadySince = node.now;
        clockDoubted = true;
        assertVotes();
        assertThat(node.mark).isEqualTo(mark);
        clockDoubted = false;
        assertVotes();
        assertThat(node.mark).isNotEqualTo(mark);
    }
}
