// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.LongSupplier;
import org.holdfast.protocol.VirtualTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PaceTest {

    private static final long HALF_A_SECOND = MILLISECONDS.toNanos(500);

    private final VirtualTime time = new VirtualTime();
    private final Pace pace = new Pace(time);

    /**
     * Returns how many attempts are made in ten seconds.
     *
     * @param betweenMicros there is an announcement so often
     * @param remaining what an attempt finds, in nanoseconds
     */
    private int attempts(long betweenMicros, LongSupplier remaining) {
        int attempts = 0;
        long end = time.nanoTime() + SECONDS.toNanos(10);
        while (time.nanoTime() - end < 0) {
            time.pass(MICROSECONDS.toNanos(betweenMicros));
            if (!pace.isSet()) {
                pace.set(HALF_A_SECOND);
            }
            pace.hasten();
            if (pace.nanosLeft() <= 0) {
                attempts++;
                pace.attempted();
                pace.foundHeld(remaining.getAsLong());
            }
        }
        return attempts;
    }

    private LongSupplier staysAsItIs() {
        long expiry = time.nanoTime() + SECONDS.toNanos(30);
        return () -> expiry - time.nanoTime();
    }

    /** Renewed after a third of its TTL; what is seen of it is late by up to 20 ms, and one time of twenty by 200. */
    private LongSupplier renewed(long ttlMillis) {
        long begun = time.nanoTime();
        long third = MILLISECONDS.toNanos(ttlMillis) / 3;
        Random random = new Random(1);
        return () -> {
            long late = MILLISECONDS.toNanos(random.nextInt(20) == 0 ? 200 : random.nextInt(20));
            return 3 * third - (time.nanoTime() - begun) % third + late;
        };
    }

    @Test
    void announcements_ofALockThatStaysAsItIs_hastenFewAttempts() {
        assertThat(attempts(100, staysAsItIs())).isBetween(250, 400);
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000, 3_000, 30_000})
    void announcements_ofALockThatIsRenewed_hastenFewAttempts(long ttlMillis) {
        assertThat(attempts(100, renewed(ttlMillis))).isBetween(250, 400);
    }

    /** Two each: that of the release, and that of a contender which undoes its attempt. */
    @Test
    void announcements_ofALockThatChangesHandsNowAndThen_hastenAnAttemptEach() {
        long ttl = SECONDS.toNanos(30);
        long begun = time.nanoTime();
        long held = MILLISECONDS.toNanos(60);
        assertThat(attempts(30_000, () -> ttl - (time.nanoTime() - begun) % held))
                .isEqualTo(334);
    }

    @Test
    void announcements_ofALockThatChangesHandsFast_hastenHundredsASecond() {
        assertThat(attempts(1_000, () -> SECONDS.toNanos(30))).isBetween(1_000, 10_000);
    }

    @Test
    void attempt_isNotPutOffByWhatWakesTheWaiter() {
        attempts(100, staysAsItIs()); // nothing is left to hasten with
        pace.set(HALF_A_SECOND);
        for (int i = 0; i < 100 && pace.nanosLeft() > 0; i++) {
            time.passMillis(1);
            pace.hasten();
        }
        assertThat(pace.nanosLeft()).as("40 ms at the most").isLessThanOrEqualTo(0);
    }

    @Test
    void lock_thatIsHeldWithAShorterTtl_hasChangedHands() {
        attempts(100, staysAsItIs());
        pace.foundHeld(SECONDS.toNanos(5));
        for (int i = 0; i < 2; i++) {
            pace.set(HALF_A_SECOND);
            pace.hasten();
            assertThat(pace.nanosLeft()).isLessThanOrEqualTo(0);
        }
        pace.set(HALF_A_SECOND);
        assertThat(pace.hasten()).isFalse();
        assertThat(pace.nanosLeft()).isPositive();
    }
}
