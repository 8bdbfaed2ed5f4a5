// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.jspecify.annotations.Nullable;

/** Counts the answers to one command. Not safe for use by several threads. */
public final class Tally {

    private final int nodes;
    private Answer[] answers;
    private int answered;

    private NodeSet heard = NodeSet.NONE;
    private NodeSet granted = NodeSet.NONE;
    private NodeSet acknowledged = NodeSet.NONE;
    private NodeSet unanswered = NodeSet.NONE;
    private int skewed;
    private int refusals;
    private long holderRemainingMillis;
    private boolean contended;
    private int ticketRefusals;
    private int released;
    private int notReleased;
    private long listeners;

    /** The tokens by which nodes refused, the smallest first. */
    private List<Long> tokens = List.of();

    /** The numbers by which nodes refused the ticket, the smallest first. */
    private List<Long> tickets = List.of();

    /** The tickets behind that of the caller, as far as the nodes that granted agree. */
    private List<Long> behind = List.of();

    private Map<Integer, Integer> votes = Map.of();

    public Tally(int nodes) {
        this.nodes = nodes;
        this.answers = new Answer[nodes];
    }

    /** Counts answers until it is known whether a quorum grants, or the deadline; returns this. */
    Tally countUntilDecided(Round round, long deadline, UnaryOperator<Answer> taken) {
        while (!isGranted() && !isRefused()) {
            Answer answer = round.next(deadline);
            if (answer == null) {
                break;
            }
            count(taken.apply(answer));
        }
        return this;
    }

    public void count(Answer answer) {
        if (answered == answers.length) { // a node has answered once more than it was asked
            answers = Arrays.copyOf(answers, answered + nodes);
        }
        answers[answered++] = answer;
        int node = answer.node();
        Reply reply = answer.reply();
        heard = heard.with(node);
        if (reply instanceof Reply.NoAnswer) {
            unanswered = unanswered.with(node);
        } else if (!isFailure(reply)) {
            acknowledged = acknowledged.with(node);
        }
        if (reply instanceof Reply.Granted grant) {
            behind = granted.isEmpty() ? grant.behind() : commonBeginning(behind, grant.behind());
            granted = granted.with(node);
        } else if (reply instanceof Reply.Held other) {
            refusals++;
            notReleased++;
            contended = true;
            holderRemainingMillis = Math.max(holderRemainingMillis, other.remainingMillis());
        } else if (reply instanceof Reply.Queued other) {
            contended = true;
            holderRemainingMillis = Math.max(holderRemainingMillis, other.remainingMillis());
        } else if (reply instanceof Reply.TokenTooSmall stored) {
            refusals++;
            tokens = inOrder(tokens, stored.last());
        } else if (reply instanceof Reply.TokenSkewed) {
            skewed++;
        } else if (reply instanceof Reply.TicketTooSmall stored) {
            ticketRefusals++;
            tickets = inOrder(tickets, stored.largest());
        } else if (reply instanceof Reply.Gone) {
            notReleased++;
        } else if (reply instanceof Reply.Released released) {
            this.released++;
            listeners = Math.max(listeners, released.listeners());
        } else if (reply instanceof Reply.Free free) {
            votes = votes.isEmpty() ? new TreeMap<>() : votes;
            votes.merge(free.permit(), 1, Integer::sum);
        }
    }

    private static List<Long> commonBeginning(List<Long> some, List<Long> others) {
        int length = 0;
        while (length < some.size()
                && length < others.size()
                && some.get(length).equals(others.get(length))) {
            length++;
        }
        return some.subList(0, length);
    }

    private static List<Long> inOrder(List<Long> numbers, long more) {
        return Stream.concat(numbers.stream(), Stream.of(more)).sorted().toList();
    }

    private int quorum() {
        return nodes / 2 + 1;
    }

    /** A quorum has granted. */
    boolean isGranted() {
        return granted.size() >= quorum();
    }

    /**
     * No quorum can grant any more, whatever answers are still to come, and a quorum has taken part. Where too few
     * nodes take part, the other answers are waited for: they show what is wrong.
     */
    boolean isRefused() {
        return isAcknowledged() && granted.size() + (nodes - answered) < quorum();
    }

    /** So many nodes know of a later lease that no quorum can ever grant this one again. */
    boolean isSuperseded() {
        return refusals > nodes - quorum();
    }

    /** A quorum has run the command, whatever its result. */
    public boolean isAcknowledged() {
        return acknowledged.size() >= quorum();
    }

    /** The nodes that granted. */
    NodeSet granted() {
        return granted;
    }

    /** The numbers of the tickets that come next, see {@link QuorumResult.Acquired}; of a quorum that has granted. */
    List<Long> behind() {
        return behind;
    }

    /** The nodes that were sent the command and from which no answer is to be expected any more. */
    NodeSet unanswered() {
        return unanswered;
    }

    /** The nodes whose answer is still to come. */
    NodeSet pending() {
        return NodeSet.first(nodes).without(heard);
    }

    /** At one node at least there is another holder, or a waiter before the caller. */
    boolean isContended() {
        return contended;
    }

    /** For how long the holder keeps it at the most, if not renewed. */
    long holderRemainingMillis() {
        return holderRemainingMillis;
    }

    /** The token after which a quorum would grant, or 0; see {@link #enough}. */
    long tokenToExceed() {
        return enough(tokens, granted.size());
    }

    /** The number after which the ticket would have its place at a quorum, or 0; see {@link #enough}. */
    long ticketToExceed() {
        return enough(tickets, accepted());
    }

    /**
     * The smallest of the numbers by which nodes refused that is enough for a quorum: with a larger one, as many of
     * these nodes would agree as are missing.
     *
     * <p>Where three nodes refuse with 5, 7 and 900, 7 is enough for two of them. Every client proposes its next tokens
     * from it, so one node must not set it. It does not: where a quorum of the nodes that answered is honest, this is
     * not larger than the largest number that an honest one has on record, whatever the others answer. And it is always
     * enough for the nodes that answered, so no caller that could have the lock is kept from it. Safety never depends
     * on it: each node compares by itself.
     *
     * @return 0 if none is missing, or if no number that was received is enough
     */
    private long enough(List<Long> refused, int agreed) {
        int missing = quorum() - agreed;
        return missing <= 0 || missing > refused.size() ? 0 : refused.get(missing - 1);
    }

    /**
     * Returns whether a smaller number is enough for the ticket, or none is needed, if nodes that are still to answer
     * accept it.
     */
    boolean lowerTokenPossible() {
        return ticketToExceed() > enough(tickets, accepted() + pending().size());
    }

    /** How many nodes do not refuse the ticket. */
    private int accepted() {
        return acknowledged.size() - ticketRefusals;
    }

    /**
     * A node refuses the ticket, and it is not known to have its place at a quorum: one that came before could have its
     * own only at nodes that have not answered yet.
     */
    boolean isOvertaken() {
        return ticketRefusals > 0 && acknowledged.size() - ticketRefusals < quorum();
    }

    /** Whether the lock that a quorum was asked to release was its owner's until then. */
    ReleaseResult released() {
        if (released >= quorum()) {
            return ReleaseResult.RELEASED;
        }
        return notReleased > nodes - quorum() ? ReleaseResult.NOT_HELD : ReleaseResult.UNCONFIRMED;
    }

    /** How many connections a node has notified of the release, at the most. */
    long listeners() {
        return listeners;
    }

    /** The permit that most nodes believe to be free. */
    OptionalInt freePermit() {
        return votes.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(vote -> OptionalInt.of(vote.getKey()))
                .orElseGet(OptionalInt::empty);
    }

    /** A quorum finds the token too far from its clocks. */
    public boolean isTokenSkewed() {
        return skewed >= quorum();
    }

    /** A quorum of clocks is further from this moment than the limit. */
    boolean isSkewed(long micros, long limitMicros) {
        return Arrays.stream(answers, 0, answered)
                        .filter(a -> a.nodeMicros() != 0 && Math.abs(a.nodeMicros() - micros) > limitMicros)
                        .count()
                >= quorum();
    }

    /** What happened at each node that did not run the command, by address. */
    public Map<String, String> failures(Nodes names) {
        Map<String, String> failures = new TreeMap<>();
        for (int i = 0; i < answered; i++) {
            if (isFailure(answers[i].reply())) {
                failures.put(names.address(answers[i].node()), describe(answers[i].reply()));
            }
        }
        for (int node = 0; node < nodes; node++) {
            if (pending().contains(node)) {
                failures.put(names.address(node), "no answer in time");
            }
        }
        return failures;
    }

    /** The node has taken no part, for a reason that has nothing to do with the holder of the lock. */
    private static boolean isFailure(Reply reply) {
        return describe(reply) != null;
    }

    private static @Nullable String describe(Reply reply) {
        if (reply instanceof Reply.NoAnswer lost) {
            return lost.reason();
        } else if (reply instanceof Reply.NotSent unsent) {
            return unsent.reason();
        } else if (reply instanceof Reply.Refused refused) {
            return refused.reason();
        } else if (reply instanceof Reply.TokenSkewed far) {
            return "its clock and the token of this request are " + Math.abs(far.aheadMillis())
                    + " ms apart: its clock is wrong, or that of this machine";
        } else if (reply instanceof Reply.Quarantined quarantined) {
            return "in quarantine for another " + quarantined.remainingMillis()
                    + " ms: it may have forgotten locks that are still held";
        }
        return reply instanceof Reply.Forgotten ? "it has no birth mark of its own: it may have forgotten locks" : null;
    }
}
