// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.holdfast.protocol.ProtocolFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryDelayTest {

    private final RetryDelay delay = new RetryDelay(new ProtocolFixture(1).randomness);

    @Test
    void delay_whileTheReleaseWillBeHeard_endsSoonAfterTheLockExpires() {
        assertThat(Duration.ofNanos(delay.nanosWhileHeard(12, 30, false)))
                .isBetween(Duration.ofMillis(31), Duration.ofMillis(36));
    }

    @ParameterizedTest
    @ValueSource(
            longs = {20_001, 9_223_372_036_854L, 999_999_999_999_999_999L}) // what a node may say, in its 18 digits
    void delay_whileALockIsHeldForLong_isNeitherLongNorNone(long remainingMillis) {
        assertThat(Duration.ofNanos(delay.nanosWhileHeard(12, remainingMillis, false)))
                .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10));
    }

    /** Else it would meet all others at the end of a lease that was renewed long ago. */
    @Test
    void delay_whileTheLeaseEndsSoon_isHalfOfWhatIsLeft() {
        assertThat(Duration.ofNanos(delay.nanosWhileHeard(12, 3_000, false))).isEqualTo(Duration.ofMillis(1_500));
    }

    @Test
    void delay_ofAContenderWithVotes_isASecondAtTheMost() {
        assertThat(Duration.ofNanos(delay.nanosWhileHeard(12, 30_000, true)))
                .isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
    }

    /** They have all been refused, and no release will announce to them that the lock is free. */
    @Test
    void delay_ofContendersThatSplitTheVotes_isShortAtFirst() {
        assertThat(Duration.ofNanos(delay.nanosWhileHeard(1, 5_000, false)))
                .isBetween(Duration.ofNanos(2_500_000), Duration.ofMillis(5));
        assertThat(Duration.ofNanos(delay.nanosWhileHeard(2, 5_000, false)))
                .isBetween(Duration.ofMillis(5), Duration.ofMillis(10));
    }
}
