// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import org.holdfast.protocol.VirtualTime;
import org.junit.jupiter.api.Test;

class TokenClockTest {

    private final VirtualTime time = new VirtualTime();
    private final TokenClock clock = new TokenClock(time, 10_000_000);

    @Test
    void next_isTheWallClockUnlessThatStandsStill() {
        long now = time.epochMicros();
        assertThat(clock.next(0)).isEqualTo(now);
        assertThat(clock.next(0)).isEqualTo(now + 2);
        time.passMillis(1);
        assertThat(clock.next(0)).isEqualTo(now + 1_000);
    }

    @Test
    void next_afterALargerTokenWasSeen_isLargerStill() {
        long seen = time.epochMicros() + 5_000_000;
        clock.observe(seen);
        clock.observe(1);
        assertThat(clock.next(0)).isEqualTo(seen + 2);
    }

    @Test
    void tokenFurtherAheadThanARightClockMayPropose_isNotFollowed() {
        clock.observe(time.epochMicros() + 10_000_001);
        assertThat(clock.next(0)).isEqualTo(time.epochMicros());
        clock.observe(time.epochMicros() + 10_000_000);
        assertThat(clock.next(0)).isEqualTo(time.epochMicros() + 10_000_002);
    }

    @Test
    void tokenThatAWrongClockHasDrawn_doesNotLeadThoseThatARightOneDraws() {
        long right = time.epochMicros();
        time.setEpochMicros(right + 31_536_000_000_000L);
        assertThat(clock.next(15)).isEqualTo(right + 31_536_000_000_000L);
        time.setEpochMicros(right);
        assertThat(clock.next(0)).isEqualTo(right);
        assertThat(clock.next(0)).isEqualTo(right + 2);
    }

    @Test
    void tokenThatNodesHaveRefused_isForgotten() {
        clock.observe(time.epochMicros() + 9_000_000);
        clock.next(0);
        clock.forget();
        assertThat(clock.next(0)).isEqualTo(time.epochMicros());
    }

    @Test
    void next_withASlowClock_isNotRefusedByTheTombstoneOfTheOneBefore() {
        clock.observe(time.epochMicros() + 5_000_000);
        long givenUp = clock.next(0);
        long tombstone = givenUp + 1;
        assertThat(clock.next(0)).isGreaterThan(tombstone);
    }

    @Test
    void tokenThatNoRightClockHasProposed_hidesNoneThatIsToBeExceeded() {
        long seen = time.epochMicros() + 5_000_000;
        clock.observe(seen);
        clock.observe(time.epochMicros() + 10_000_001);
        assertThat(clock.next(0)).isEqualTo(seen + 2);
    }
}
