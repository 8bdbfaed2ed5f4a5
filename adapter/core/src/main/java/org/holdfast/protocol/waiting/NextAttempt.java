// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.queue.Places;
import org.holdfast.protocol.quorum.QuorumResult;

/**
 * When one waiter attempts next, by what it has found and by what else this process knows. For one thread at a time.
 */
final class NextAttempt {

    private final Pace pace;
    private final Places.Place place;
    private final FailedAttempts failed;
    private final RetryDelay retryDelay;

    NextAttempt(Pace pace, Places.Place place, FailedAttempts failed, RetryDelay retryDelay) {
        this.pace = pace;
        this.place = place;
        this.failed = failed;
        this.retryDelay = retryDelay;
    }

    /** Returns how long to wait before it, unless a release wakes the waiter; 0 or less if it is time. */
    long pause() {
        if (!pace.isSet()) {
            pace.set(pauseForOutcome());
        }
        return Math.max(pace.nanosLeft(), place.yieldNanos());
    }

    private long pauseForOutcome() {
        // while this process holds the lock the nodes need not be asked, but for a place in line
        long local = place.isNew() ? 0 : place.keptOutNanos();
        return local > 0 || failed.isEmpty() ? local : failed.pauseNanos(retryDelay, place.isSubscribed());
    }

    /**
     * Something has changed, or seems to have: it is time for an attempt, unless so many attempts failed that
     * announcements are not believed at once any more.
     */
    void hasten() {
        pause(); // else the pace knows of no attempt to hasten
        if (pace.hasten()) {
            failed.news();
        }
    }

    /** Takes note of what an attempt has found. */
    void attempted(QuorumResult found) {
        pace.attempted();
        if (found instanceof QuorumResult.Contended other) {
            pace.foundHeld(TimeUnit.MILLISECONDS.toNanos(other.remainingMillis()));
        }
    }
}
