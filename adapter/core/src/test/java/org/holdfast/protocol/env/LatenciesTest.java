// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatenciesTest {

    private final Latencies latencies = new Latencies();

    @Test
    void nothingNoted_isZero() {
        assertThat(latencies.nanosOf(0.5)).isZero();
        assertThat(latencies.longestNanos()).isZero();
    }

    @Test
    void parts_areExactToAQuarterWhateverTheRange() {
        for (long magnitude = 1; magnitude < Long.MAX_VALUE / 2_000; magnitude *= 10) {
            Latencies some = new Latencies();
            for (int i = 1; i <= 1_000; i++) {
                some.note(i * magnitude);
            }
            assertThat(some.nanosOf(0.5)).isBetween(500 * magnitude, 625 * magnitude);
            assertThat(some.nanosOf(0.99)).isBetween(990 * magnitude, 1_000 * magnitude);
            assertThat(some.nanosOf(1)).isEqualTo(1_000 * magnitude);
        }
    }

    @Test
    void timesOutOfRange_areTaken() {
        latencies.note(-5);
        latencies.note(0);
        latencies.note(Long.MAX_VALUE);
        assertThat(latencies.longestNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(latencies.nanosOf(0.1)).isLessThan(3);
    }
}
