// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.HolderEntry;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;

/** Counts how many nodes report the same owner of a lock. Not safe for use by several threads. */
final class OwnerTally {

    private final int nodes;
    private final Map<Owned, Integer> reports = new HashMap<>();
    private int answers;
    private int most;

    private record Owned(int lock, String owner) {}

    OwnerTally(int nodes) {
        this.nodes = nodes;
    }

    /**
     * Counts answers until the result is known, or the deadline.
     *
     * @return whether a quorum reports the same owner
     */
    boolean countUntilKnown(Round round, long deadline) {
        Answer answer;
        while (isOpen() && (answer = round.next(deadline)) != null) {
            count(answer);
        }
        return isHeld();
    }

    private void count(Answer answer) {
        answers++;
        if (answer.reply() instanceof Reply.Seen seen) {
            for (Owned each : new HashSet<>(
                    seen.holderEntries().stream().map(OwnerTally::owned).toList())) {
                most = Math.max(most, reports.merge(each, 1, Integer::sum));
            }
        }
    }

    private static Owned owned(HolderEntry entry) {
        return new Owned(entry.lock(), entry.value());
    }

    private int quorum() {
        return nodes / 2 + 1;
    }

    private boolean isHeld() {
        return most >= quorum();
    }

    /** Answers that are still to come can change the result. */
    private boolean isOpen() {
        return !isHeld() && most + (nodes - answers) >= quorum();
    }
}
