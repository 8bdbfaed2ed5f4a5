// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.latch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.holdfast.LockException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.quorum.Tally;
import org.jspecify.annotations.Nullable;

/**
 * What nodes reported of a latch in one round. For one thread.
 *
 * <p>The union of what they have recorded is what counts: each id was drawn for a call that was made, so there are
 * never more ids than calls, whatever nodes have lost.
 */
final class Count {

    private final Latch latch;
    private final int nodes;
    private final Tally tally;
    private final List<Reply.Counted> counted = new ArrayList<>();
    private final Set<String> union = new HashSet<>();

    /** How many nodes were not sent anything. */
    private int without;

    private @Nullable LockException refusal;

    Count(Latch latch, int nodes) {
        this.latch = latch;
        this.nodes = nodes;
        this.tally = new Tally(nodes);
    }

    void count(Answer answer) {
        tally.count(answer);
        Reply reply = answer.reply();
        if (reply instanceof Reply.Counted some) {
            counted.add(some);
            union.addAll(some.ids());
        } else if (reply instanceof Reply.NotSent) {
            without++;
        } else if (reply instanceof Reply.LatchReset reset) {
            refusal = new LockException("HF0219: " + latch.describe() + " is over: it was reset to generation "
                    + reset.generation() + "; a generation is not to be used again");
        } else if (reply instanceof Reply.LatchDiffers other) {
            refusal = new LockException("HF0220: " + latch.describe() + " has the count " + other.count()
                    + ", which its first use has fixed; it was asked for with the count " + latch.count());
        }
    }

    /** Returns whether a majority takes part: it has recorded what it was sent, and agrees on generation and count. */
    boolean isConfirmed() {
        return counted.size() > nodes / 2;
    }

    /** Returns whether the latch is open. A majority shares a node with each that has confirmed a call. */
    boolean isOpen() {
        return isConfirmed() && union.size() >= latch.count();
    }

    /** Returns whether some node may have recorded what it was sent, whatever it has answered or not. */
    boolean isPerhapsRecorded() {
        return without < nodes;
    }

    /** Returns the calls that some node does not know, which has lost them or was not reached. */
    Set<String> unevenlyKnown() {
        boolean even = counted.stream().allMatch(some -> some.ids().size() == union.size());
        return even ? Set.of() : Set.copyOf(union);
    }

    /** @throws LockException if so many nodes have another generation or count that no majority agrees */
    void requireAgreement() {
        if (refusal != null && !isConfirmed()) {
            throw refusal;
        }
    }

    Map<String, String> failures(Nodes names) {
        return tally.failures(names);
    }

    QuorumUnavailableException unavailable(Nodes names, Duration waited) {
        return QuorumUnavailableException.ofLatch(latch.describe(), nodes, waited, failures(names));
    }
}
