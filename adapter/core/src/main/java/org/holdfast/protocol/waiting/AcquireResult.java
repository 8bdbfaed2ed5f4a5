// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.time.Duration;
import java.util.Map;
import org.holdfast.protocol.lease.HeldLock;

/** The result of an acquisition, with waiting. */
public sealed interface AcquireResult {

    /** Returns the result as a word, for recordings. */
    String code();

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
