// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

/** What is to be done with a node. */
sealed interface Verdict {

    /** The mark is right as it is. */
    record Trusted(BirthMark mark) implements Verdict {}

    /**
     * The mark seems right, but clients that know more may not have noted that yet.
     *
     * @param nanos for how long this client asks for nothing new
     */
    record OthersFirst(BirthMark mark, long nanos) implements Verdict {}

    /** The mark must be set before the node is asked for anything. */
    record SetMark(MarkChange change) implements Verdict {}

    /**
     * The node is not to be used.
     *
     * @param forgets whether it must be in quarantine too, for processes that have not looked at it lately
     * @param settlingNanos for how long that is so, where time alone ends it; else 0
     */
    record Refused(String reason, boolean forgets, long settlingNanos) implements Verdict {}
}
