// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.time.Duration;
import java.util.Map;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.quorum.QuorumResult;
import org.jspecify.annotations.Nullable;

/** The result of an acquisition, with waiting. */
public sealed interface AcquireResult {

    /** Returns the result as a word, for recordings. */
    String code();

    /**
     * Returns the result when there is no more time to wait.
     *
     * @param last what the nodes said last; null if they were not asked
     * @param nodes how many nodes there are
     */
    static AcquireResult givenUp(@Nullable QuorumResult last, int nodes, Duration waited) {
        if (last instanceof QuorumResult.Unavailable unavailable) {
            return new Unavailable(nodes, unavailable.failures(), waited);
        }
        if (last instanceof QuorumResult.Undetermined undetermined) {
            return new Unavailable(nodes, undetermined.failures(), waited);
        }
        return new TimedOut(waited);
    }

    /** Returns the result for a caller that has the lock. */
    static AcquireResult held(HeldLock heldLock) {
        try {
            return new Held(heldLock);
        } catch (OutOfMemoryError e) { // nothing else would release it
            heldLock.neglect();
            throw e;
        }
    }

    /** The lock is held. */
    record Held(HeldLock heldLock) implements AcquireResult {
        @Override
        public String code() {
            return "HELD";
        }
    }

    /** Another holder had it until the end of the wait. */
    record TimedOut(Duration waited) implements AcquireResult {
        @Override
        public String code() {
            return "TIMED_OUT";
        }
    }

    /**
     * Too few nodes took part in the last attempt; none may have granted by now.
     *
     * @param nodes how many nodes there are
     */
    record Unavailable(int nodes, Map<String, String> failures, Duration waited) implements AcquireResult {
        @Override
        public String code() {
            return "UNAVAILABLE";
        }
    }

    /** Our clock is too far from those of the nodes. */
    record ClockSkewed() implements AcquireResult {
        @Override
        public String code() {
            return "CLOCK_SKEWED";
        }
    }
}
