// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TokenClockTest {

    private final VirtualTime time = new VirtualTime();
    private final TokenClock clock = new TokenClock(time);

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
    void next_withASlowClock_isNotRefusedByTheTombstoneOfTheOneBefore() {
        clock.observe(time.epochMicros() + 5_000_000);
        long givenUp = clock.next(0);
        long tombstone = givenUp + 1;
        assertThat(clock.next(0)).isGreaterThan(tombstone);
    }
}
