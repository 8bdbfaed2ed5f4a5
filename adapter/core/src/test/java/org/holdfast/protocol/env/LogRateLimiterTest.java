// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import static org.assertj.core.api.Assertions.assertThat;

import org.holdfast.protocol.VirtualTime;
import org.junit.jupiter.api.Test;

class LogRateLimiterTest {

    private final VirtualTime time = new VirtualTime();
    private final LogRateLimiter logLimiter = new LogRateLimiter(time);

    @Test
    void messages_byTheThousand_areOneASecondWithACount() {
        assertThat(logLimiter.leave()).isEmpty();
        for (int i = 0; i < 10_000; i++) {
            assertThat(logLimiter.leave()).isNull();
        }
        time.passMillis(1_000);
        assertThat(logLimiter.leave()).isEqualTo(" (and 10000 like it that were not logged)");
        time.passMillis(999);
        assertThat(logLimiter.leave()).isNull();
        time.passMillis(1);
        assertThat(logLimiter.leave()).contains("1 like it");
        time.passMillis(60_000);
        assertThat(logLimiter.leave()).isEmpty();
    }
}
