// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.QuorumUnavailableException;
import org.junit.jupiter.api.Test;

class LockFailuresTest {

    private static final LockRequest REQUEST = LockRequest.of("a").waitTimeout(Duration.ofSeconds(5));

    @Test
    void failure_saysWhyThereIsNoLock() {
        assertThat(LockFailures.of(new AcquireResult.TimedOut(Duration.ofSeconds(5)), REQUEST))
                .isInstanceOf(LockTimeoutException.class);
        assertThat(LockFailures.of(
                        new AcquireResult.Unavailable(3, Map.of("node-1", "silence"), Duration.ofSeconds(5)), REQUEST))
                .isInstanceOf(QuorumUnavailableException.class)
                .hasMessageContaining("silence");
        assertThat(LockFailures.of(new AcquireResult.ClockSkewed(), REQUEST)).hasMessageStartingWith("HF0205:");
    }
}
