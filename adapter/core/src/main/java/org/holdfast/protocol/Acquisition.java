// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.time.Duration;
import java.util.Map;

/** What came of acquiring, with waiting. */
sealed interface Acquisition {

    /** Returns what came of it in a word. */
    String outcome();

    /** The lock is held. */
    record Held(Hold hold) implements Acquisition {
        @Override
        public String outcome() {
            return "HELD";
        }
    }

    /** Somebody else held it until the end. */
    record TimedOut(Duration waited) implements Acquisition {
        @Override
        public String outcome() {
            return "TIMED_OUT";
        }
    }

    /** Too few nodes took part in the last attempt; none may have granted by now. */
    record Unavailable(Map<String, String> failures, Duration waited) implements Acquisition {
        @Override
        public String outcome() {
            return "UNAVAILABLE";
        }
    }

    /** Our clock is too far from those of the nodes. */
    record ClockSkewed() implements Acquisition {
        @Override
        public String outcome() {
            return "CLOCK_SKEWED";
        }
    }
}
