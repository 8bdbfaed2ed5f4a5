// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.holdfast.protocol.VirtualTime;
import org.junit.jupiter.api.Test;

class PatienceTest {

    private final VirtualTime time = new VirtualTime();

    @Test
    void patience_ofMoreNanosecondsThanALongHolds_lastsForEver() {
        Patience patience = new Patience(time, Duration.ofSeconds(Long.MAX_VALUE));
        assertThat(patience.mayWait()).isTrue();
        time.pass(Duration.ofDays(10_000).toNanos());
        assertThat(patience.left()).isGreaterThan(Duration.ofDays(90_000).toNanos());
    }

    @Test
    void patience_isUsedUpByTheTimeThatPasses() {
        Patience patience = new Patience(time, Duration.ofMillis(5));
        time.passMillis(3);
        assertThat(patience.left()).isEqualTo(2_000_000);
        assertThat(patience.waited()).isEqualTo(Duration.ofMillis(3));
        time.passMillis(3);
        assertThat(patience.left()).isNegative();
        assertThat(new Patience(time, Duration.ZERO).mayWait()).isFalse();
    }
}
