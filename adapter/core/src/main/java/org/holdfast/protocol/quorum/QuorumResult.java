// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import java.util.List;
import java.util.Map;

/** The result of one attempt to acquire. Whatever is not {@link Acquired} has been undone, or is being undone. */
public sealed interface QuorumResult {

    /**
     * A quorum granted in time.
     *
     * @param behind the numbers of the tickets that come next, in their order, as far as all these nodes agree. A
     *     ticket that is not among them has a place behind them: its place is at a quorum, which shares a node with
     *     this one
     */
    record Acquired(long startedNanos, long validUntilNanos, List<Long> behind) implements QuorumResult {

        public Acquired {
            behind = List.copyOf(behind);
        }

        /** To a caller without a ticket. */
        public Acquired(long startedNanos, long validUntilNanos) {
            this(startedNanos, validUntilNanos, List.of());
        }
    }

    /**
     * Enough nodes answered, and another holder has the lock, for so long if it is not renewed.
     *
     * @param hasVotes whether a node granted it to the caller, as far as the answers were waited for: perhaps several
     *     callers have taken each other's votes, and none of them has the lock
     */
    record Contended(long remainingMillis, boolean hasVotes) implements QuorumResult {

        /** Returns the same where another permit will be free earlier; 0 if that is not known. */
        public Contended orFreeIn(long millis) {
            return millis > 0 && millis < remainingMillis ? new Contended(millis, hasVotes) : this;
        }

        /** Returns the result of both attempts, of which the other one came before, for another permit. */
        public Contended after(Contended other) {
            return new Contended(remainingMillis, hasVotes || other.hasVotes);
        }
    }

    /** Larger tokens are on record: a new attempt with one larger than this may succeed at once. */
    record TokenTooSmall(long last) implements QuorumResult {}

    /** The ticket is too late for its number: a new one, with one larger than this, is needed. */
    record Overtaken(long last) implements QuorumResult {}

    /** Too few nodes took part, and no other can have granted. */
    record Unavailable(Map<String, String> failures) implements QuorumResult {}

    /** Too few answers came to know: a quorum may have granted or may grant yet. The attempt is being undone. */
    record Undetermined(Map<String, String> failures) implements QuorumResult {}

    /** Our clock and those of a quorum differ so much that our tokens would prove nothing. */
    record ClockSkewed() implements QuorumResult {}

    /**
     * The token is too far from the clocks of a quorum, and our clock is not: it was drawn long ago, or before a clock
     * was set right. A new attempt with a new one may succeed at once.
     */
    record TokenOutOfDate() implements QuorumResult {}
}
