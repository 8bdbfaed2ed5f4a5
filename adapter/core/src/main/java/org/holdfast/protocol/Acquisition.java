// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.time.Duration;
import java.util.Map;

/** What came of acquiring, with waiting. */
sealed interface Acquisition {

    /** The lock is held. */
    record Held(Hold hold) implements Acquisition {}

    /** Somebody else held it until the end. */
    record TimedOut(Duration waited) implements Acquisition {}

    /** Too few nodes took part in the last attempt; none may have granted by now. */
    record Unavailable(Map<String, String> failures, Duration waited) implements Acquisition {}

    /** Our clock is too far from those of the nodes. */
    record ClockSkewed() implements Acquisition {}
}
