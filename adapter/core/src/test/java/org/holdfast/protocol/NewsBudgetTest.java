// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NewsBudgetTest {

    private final long begun = Long.MAX_VALUE - SECONDS.toNanos(1); // a clock that overflows soon
    private final NewsBudget budget = new NewsBudget(begun);

    /** Returns how many announcements are believed in ten seconds, one every 100 us. */
    private int believed(long expiryMovesByNanos) {
        int believed = 0;
        long expiry = begun + SECONDS.toNanos(30);
        for (long passed = 0; passed < SECONDS.toNanos(10); passed += 100_000) {
            if (budget.take(begun + passed)) {
                believed++;
                budget.found(expiry);
            }
            expiry += expiryMovesByNanos;
        }
        return believed;
    }

    @Test
    void announcements_ofALockThatStaysAsItIs_areBelievedSeldom() {
        assertThat(believed(0)).isBetween(250, 350);
    }

    @Test
    void announcements_ofALockThatChangesHands_areAllBelieved() {
        assertThat(believed(100_000)).isEqualTo(100_000);
    }

    @Test
    void lock_thatIsHeldWithAShorterTtl_hasChangedHands() {
        believed(0);
        long later = begun + SECONDS.toNanos(10);
        budget.found(begun + SECONDS.toNanos(20));
        for (int i = 0; i < 50; i++) {
            assertThat(budget.take(later)).isTrue();
        }
        assertThat(budget.take(later)).isFalse();
        assertThat(budget.nextAt() - later).isBetween(0L, MILLISECONDS.toNanos(40));
    }
}
