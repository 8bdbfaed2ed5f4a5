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
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.quorum.Tally;
import org.jspecify.annotations.Nullable;

/**
 * What nodes reported of a latch in one round. For one thread.
 *
 * <p>The union of what they have recorded is what counts, with what they had recorded in the rounds before: each id was
 * drawn for a call that was made, so there are never more ids than calls, whatever nodes have lost.
 */
final class Count {

    private final Latch latch;
    private final Set<String> sent;
    private final int nodes;
    private final Tally tally;
    private final List<Reply.Counted> counted = new ArrayList<>();

    /** As many ids as open the latch, or fewer. */
    private final Set<String> union = new HashSet<>();

    /** How many nodes have answered, or were not sent anything. */
    private int heard;

    /** How many nodes were not sent anything. */
    private int without;

    /** How many nodes have another generation or count. */
    private int refusals;

    private @Nullable LockException refusal;

    /** @param seen what nodes reported in the rounds before, also those that have forgotten it since */
    Count(Command.UseLatch command, int nodes, Set<String> seen) {
        this.latch = command.latch();
        this.sent = command.ids();
        this.nodes = nodes;
        this.tally = new Tally(nodes);
        add(seen);
    }

    void count(Answer answer) {
        heard++;
        Reply reply = checked(answer.reply());
        if (reply instanceof Reply.Counted some) {
            counted.add(some);
            add(some.ids());
        } else if (reply instanceof Reply.NotSent) {
            without++;
        } else if (reply instanceof Reply.LatchReset reset) {
            reply = withoutVote(
                    "it has generation " + reset.generation(),
                    new LockException("HF0219: " + latch.describe() + " is over: it was reset to generation "
                            + reset.generation() + "; a generation is not to be used again"));
        } else if (reply instanceof Reply.LatchDiffers other) {
            reply = withoutVote(
                    "it has the count " + other.count(),
                    new LockException("HF0220: " + latch.describe() + " has the count " + other.count()
                            + ", which its first use has fixed; it was asked for with the count " + latch.count()));
        }
        tally.count(new Answer(answer.node(), reply, answer.nodeMicros()));
    }

    private void add(Set<String> ids) {
        for (String id : ids) {
            if (union.size() < latch.count()) {
                union.add(id);
            }
        }
    }

    /** @param disagreement what the caller is told if enough nodes disagree */
    private Reply withoutVote(String reason, LockException disagreement) {
        refusals++;
        refusal = disagreement;
        return new Reply.Refused(reason);
    }

    /** Takes a reply that the script does not return to this command for none: the node has no vote. */
    private Reply checked(Reply reply) {
        boolean isPossible = true;
        if (reply instanceof Reply.Counted some) {
            int recorded = some.ids().size();
            isPossible = recorded == latch.count()
                    || recorded < latch.count() && some.ids().containsAll(sent);
        } else if (reply instanceof Reply.LatchReset reset) {
            isPossible = reset.generation() > latch.generation();
        } else if (reply instanceof Reply.LatchDiffers other) {
            isPossible = other.count() != latch.count();
        }
        return isPossible ? reply : new Reply.Refused("the node returned what no script of ours returns");
    }

    /** Returns whether a majority takes part: it has recorded what it was sent, and agrees on generation and count. */
    boolean isConfirmed() {
        return counted.size() > nodes / 2;
    }

    /** Returns whether a majority may still take part, with nodes that have not answered yet. */
    boolean isUndecided() {
        return !isConfirmed() && counted.size() + (nodes - heard) > nodes / 2;
    }

    /** Returns whether the latch is open. A majority shares a node with each that has confirmed a call. */
    boolean isOpen() {
        return isConfirmed() && union.size() >= latch.count();
    }

    /** Returns whether some node may have recorded what it was sent, whatever it has answered or not. */
    boolean isPerhapsRecorded() {
        return without < nodes;
    }

    /** Returns all calls that are known. */
    Set<String> seen() {
        return Set.copyOf(union);
    }

    /** Returns these calls if some node does not know them all: it has lost them, or was not reached. */
    Set<String> unevenlyKnown() {
        boolean even = counted.stream().allMatch(some -> some.ids().size() == union.size());
        return even ? Set.of() : seen();
    }

    /** @throws LockException if so many nodes have another generation or count that no majority can agree */
    void requireAgreement() {
        if (refusal != null && refusals >= nodes - nodes / 2) {
            throw refusal;
        }
    }

    Map<String, String> failures(Nodes names) {
        return tally.failures(names);
    }

    QuorumUnavailableException unavailable(Nodes names, Duration waited) {
        return QuorumUnavailableException.of(latch.describe(), nodes, waited, failures(names));
    }
}
