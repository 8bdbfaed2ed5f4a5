// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThrottleTest {

    private final VirtualTime time = new VirtualTime();
    private final Throttle throttle = new Throttle(time);

    @Test
    void messages_byTheThousand_areOneASecondWithACount() {
        assertThat(throttle.leave()).isEmpty();
        for (int i = 0; i < 10_000; i++) {
            assertThat(throttle.leave()).isNull();
        }
        time.passMillis(1_000);
        assertThat(throttle.leave()).isEqualTo(" (and 10000 like it that were not logged)");
        time.passMillis(999);
        assertThat(throttle.leave()).isNull();
        time.passMillis(1);
        assertThat(throttle.leave()).contains("1 like it");
        time.passMillis(60_000);
        assertThat(throttle.leave()).isEmpty();
    }
}
