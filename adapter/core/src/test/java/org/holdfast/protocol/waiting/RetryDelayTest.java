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
        assertThat(Duration.ofNanos(delay.nanosWhileHeard(9, 30)))
                .isBetween(Duration.ofMillis(31), Duration.ofMillis(36));
    }

    @ParameterizedTest
    @ValueSource(longs = {5_000, 9_223_372_036_854L, 999_999_999_999_999_999L}) // what a node may say, in its 18 digits
    void delay_whileALockIsHeldForLong_isNeitherLongNorNone(long remainingMillis) {
        assertThat(Duration.ofNanos(delay.nanosWhileHeard(9, remainingMillis)))
                .isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
    }
}
