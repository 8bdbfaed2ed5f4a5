// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.Map;

/** What came of one attempt to acquire. Whatever is not {@link Acquired} has been undone, or is being undone. */
public sealed interface Outcome {

    /** A quorum granted in time. */
    record Acquired(long startedNanos, long validUntilNanos) implements Outcome {}

    /** Enough nodes answered, and somebody else has the lock; for so long if not renewed. */
    record Contended(long remainingMillis) implements Outcome {}

    /** Larger tokens are on record: a new attempt with one larger than this may succeed at once. */
    record TokenTooSmall(long last) implements Outcome {}

    /** The ticket is too late for its number: a new one, with one larger than this, is needed. */
    record Overtaken(long last) implements Outcome {}

    /** Too few nodes took part, and no other can have granted. */
    record Unavailable(Map<String, String> failures) implements Outcome {}

    /** Too few answers came to know: a quorum may have granted or may grant yet. It is being told to forget. */
    record Undetermined(Map<String, String> failures) implements Outcome {}

    /** Our clock and those of a quorum differ so much that our tokens would prove nothing. */
    record ClockSkewed() implements Outcome {}

    /**
     * The token is too far from the clocks of a quorum, and our clock is not: it was drawn long ago, or before a clock was set
     * right. A new attempt with a new one may succeed at once.
     */
    record TokenOutOfDate() implements Outcome {}
}
