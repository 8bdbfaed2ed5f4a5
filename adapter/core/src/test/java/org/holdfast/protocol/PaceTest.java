// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {

    private static final long HALF_A_SECOND = MILLISECONDS.toNanos(500);

    private final VirtualTime time = new VirtualTime();
    private final Pace pace = new Pace(time);

    /** Returns how many attempts are made in ten seconds with an announcement every 100 us. */
    private int attempts(long heldMillis, boolean changesHands) {
        int attempts = 0;
        long expiry = time.nanoTime() + MILLISECONDS.toNanos(heldMillis);
        for (int i = 0; i < 100_000; i++) {
            time.pass(100_000);
            if (!pace.isSet()) {
                pace.set(HALF_A_SECOND);
            }
            pace.hasten();
            if (pace.nanosLeft() <= 0) {
                attempts++;
                pace.attempted();
                pace.foundHeld(changesHands ? MILLISECONDS.toNanos(heldMillis) : expiry - time.nanoTime());
            }
        }
        return attempts;
    }

    @Test
    void announcements_ofALockThatStaysAsItIs_hastenFewAttempts() {
        assertThat(attempts(30_000, false)).isBetween(250, 600);
    }

    @Test
    void announcements_ofALockThatChangesHands_hastenAnAttemptEach() {
        assertThat(attempts(30_000, true)).isEqualTo(100_000);
    }

    @Test
    void attempt_isNotPutOffByWhatWakesTheWaiter() {
        attempts(30_000, false); // nothing is left to hasten with
        pace.set(HALF_A_SECOND);
        for (int i = 0; i < 100 && pace.nanosLeft() > 0; i++) {
            time.passMillis(1);
            pace.hasten();
        }
        assertThat(pace.nanosLeft()).as("40 ms at the most").isLessThanOrEqualTo(0);
    }

    @Test
    void lock_thatIsHeldWithAShorterTtl_hasChangedHands() {
        attempts(30_000, false);
        pace.foundHeld(SECONDS.toNanos(5));
        for (int i = 0; i < 25; i++) {
            pace.set(HALF_A_SECOND);
            pace.hasten();
            assertThat(pace.nanosLeft()).isLessThanOrEqualTo(0);
        }
        pace.set(HALF_A_SECOND);
        assertThat(pace.hasten()).isFalse();
        assertThat(pace.nanosLeft()).isPositive();
    }
}
