// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.Target;

/**
 * Redlock: a lock is held by the owner to which a majority of independent nodes has granted it, for as long as is left
 * of the TTL.
 *
 * <p>After <a href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed Locks with
 * Redis</a>, with three differences. All nodes are asked at once, and the answer of a quorum is enough. The client
 * proposes a fencing token that a node grants only if it is larger than any before: two quorums share a node, hence
 * every later lease has a larger token. And a release leaves the token behind, one larger, so that no command of that
 * lease which is still under way can bring it back.
 */
public final class Redlock {

    /** What a node is late by at the least that answers as fast as the others. */
    private static final long LEAST_VOTE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Time time;
    private final Timing timing;
    private final UnfinishedReleases unfinished;

    public Redlock(Time time, Timing timing, UnfinishedReleases unfinished) {
        this.time = time;
        this.timing = timing;
        this.unfinished = unfinished;
    }

    /**
     * Attempts to take a lock, once.
     *
     * @param drawnAt a moment before the token was drawn. A node that has forgotten a larger one meanwhile grants
     *     nothing for the longest TTL: so a grant that comes earlier is of a larger token than any before it
     * @param deadline when to give up; the node timeout may come earlier
     * @param countsVotes whether the caller has to know of a vote that does not help it: then all answers are waited
     *     for, as long again as those that were enough
     * @param whenSent is run when the attempt has been sent, unless it is not sent. Must not block
     */
    public QuorumResult acquire(
            Nodes nodes, Command.Acquire command, long drawnAt, long deadline, boolean countsVotes, Runnable whenSent) {
        nodes.prepare();
        Optional<QuorumResult> skewed = skew(nodes, command, deadline);
        if (skewed.isPresent()) {
            return skewed.get();
        }
        long ttlMillis = command.claim().ttlMillis();
        long started = time.nanoTime(); // before anything is sent: no node counts the TTL from an earlier moment
        long validUntil = started + timing.validityNanos(ttlMillis);
        Round round = nodes.send(command, NodeSet.first(nodes.count()));
        whenSent.run();
        long patience = time.nanoTime() + timing.patienceNanos(ttlMillis); // sending itself may have taken long
        Tally tally = new Tally(nodes.count()).countUntilDecided(round, earlier(patience, deadline), this::believable);
        awaitDecisiveReplies(tally, round, earlier(patience, deadline));
        if (countsVotes && tally.isRefused()) {
            long asked = time.nanoTime() - started;
            awaitVote(tally, round, earlier(started + asked + Math.max(asked, LEAST_VOTE_NANOS), deadline));
        }

        long now = time.nanoTime();
        if (tally.isGranted() && now - validUntil < 0 && now - drawnAt < timing.tokenNanos()) {
            round.leave(late -> {}); // a node that is late is sent the release like any other
            return new QuorumResult.Acquired(started, validUntil, tally.behind());
        }
        undo(nodes, command.claim(), round, tally);
        return refusal(nodes, tally);
    }

    /**
     * Returns what is wrong with the token by the clocks of the nodes. Asks the nodes only if something seems wrong.
     *
     * <p>The token is compared, not our clock: the token may have been drawn long ago, or by a clock that is right by
     * now. Nodes compare it once more when they grant it.
     */
    private Optional<QuorumResult> skew(Nodes nodes, Command.Acquire command, long deadline) {
        long limit = command.maxSkewMicros();
        long token = command.claim().token();
        if (!nodes.isClockSkewed(token, limit)) {
            return Optional.empty();
        }
        Tally tally = ask(nodes, new Command.Inspect(List.of(command.claim().target())), deadline);
        return tally.isSkewed(token, limit) ? Optional.of(clockOrToken(tally)) : Optional.empty();
    }

    /** Returns whether our clock is wrong or only the token, where a quorum finds the token too far from its clocks. */
    private QuorumResult clockOrToken(Tally tally) {
        return tally.isSkewed(time.epochMicros(), timing.maxSkewMicros())
                ? new QuorumResult.ClockSkewed()
                : new QuorumResult.TokenOutOfDate();
    }

    /** Waits for the remaining nodes before a ticket is given up: the first replies may come from faulty nodes. */
    private void awaitDecisiveReplies(Tally tally, Round round, long deadline) {
        Answer answer;
        while (tally.lowerTokenPossible() && (answer = round.next(deadline)) != null) {
            tally.count(believable(answer));
        }
    }

    private static void awaitVote(Tally tally, Round round, long deadline) {
        Answer answer;
        while (tally.granted().isEmpty() && (answer = round.next(deadline)) != null) {
            tally.count(answer);
        }
    }

    /**
     * A number that no right clock can have proposed is not followed: this process would bring it to other names, and
     * other processes would follow it from there. Such a node takes no part until it has forgotten the number; an idle
     * fence is forgotten after the retention.
     */
    private Answer believable(Answer answer) {
        Reply reply = answer.reply();
        if (reply instanceof Reply.Granted) {
            return answer; // as most are: the clock need not be read
        }
        long last = reply instanceof Reply.TokenTooSmall stored
                ? stored.last()
                : reply instanceof Reply.TicketTooSmall stored ? stored.largest() : 0;
        long ahead = last - time.epochMicros();
        return ahead <= timing.maxTokenLeadMicros() ? answer : new Answer(answer.node(), tooFarAhead(ahead), 0);
    }

    private static Reply tooFarAhead(long micros) {
        return new Reply.Refused("the last token on record there is " + TimeUnit.MICROSECONDS.toSeconds(micros)
                + " s ahead of the clock of this machine: it was granted while clocks were wrong, or the clocks were set"
                + " back since");
    }

    /**
     * Releases what an attempt may have got.
     *
     * <p>Where the answer is still to come, the release follows the acquisition on the same connection and cannot
     * overtake it. Where no answer will come, or the release cannot be sent behind it, the acquisition may still be
     * under way elsewhere: only there the release leaves a tombstone.
     */
    private void undo(Nodes nodes, Claim claim, Round round, Tally tally) {
        round.leave(late -> {
            if (late.reply() instanceof Reply.NoAnswer) {
                unfinished.add(late.node(), Command.Release.ofLostAttempt(claim));
            }
        });
        unfinished.add(tally.unanswered(), Command.Release.ofLostAttempt(claim));
        NodeSet reachable = tally.granted().and(tally.pending());
        if (!reachable.isEmpty()) {
            nodes.send(Command.Release.ofAttempt(claim), reachable)
                    .leave(late -> unfinished.addUnlessUndone(late, claim));
        }
    }

    private QuorumResult refusal(Nodes nodes, Tally tally) {
        if (tally.isGranted()) {
            return new QuorumResult.Undetermined(Map.of("quorum", "granted only when the validity was over"));
        }
        if (tally.isTokenSkewed()) {
            return clockOrToken(tally);
        }
        if (!tally.isAcknowledged()) {
            return tally.unanswered().and(tally.pending()).isEmpty()
                    ? new QuorumResult.Unavailable(tally.failures(nodes))
                    : new QuorumResult.Undetermined(tally.failures(nodes));
        }
        if (tally.isOvertaken()) {
            return new QuorumResult.Overtaken(tally.ticketToExceed());
        }
        return tally.isContended()
                ? new QuorumResult.Contended(
                        tally.holderRemainingMillis(), !tally.granted().isEmpty())
                : new QuorumResult.TokenTooSmall(tally.tokenToExceed());
    }

    /**
     * A renewal that is under way.
     *
     * @param started before it was sent: the new validity counts from then
     * @param sent when it had been sent: sending takes long where a connection has to be opened first, and answers come
     *     after
     */
    public record Renewing(Claim claim, long started, long sent, Round round) {}

    /** Sends the renewals of claims, all at once. */
    public List<Renewing> startRenewals(Nodes nodes, List<Claim> claims) {
        long started = time.nanoTime();
        List<Round> rounds = nodes.sendAll(
                claims.stream().map(claim -> new Command.Renew(claim)).toList(), NodeSet.first(nodes.count()));
        long sent = time.nanoTime();
        List<Renewing> renewing = new ArrayList<>(claims.size());
        for (int i = 0; i < claims.size(); i++) {
            renewing.add(new Renewing(claims.get(i), started, sent, rounds.get(i)));
        }
        return renewing;
    }

    /**
     * Waits for the answers to a renewal.
     *
     * <p>A node that has no holder grants a renewal too, if no larger token is on record: so a node that missed the
     * acquisition, or lost it, is healed. That is safe even late: had another holder taken the lock since, every quorum
     * would contain a node with a larger token, which refuses.
     */
    public RenewalResult finishRenewal(Nodes nodes, Renewing renewing) {
        long ttlMillis = renewing.claim().ttlMillis();
        long patience = timing.patienceNanos(ttlMillis);
        Tally tally = new Tally(nodes.count())
                .countUntilDecided(renewing.round(), renewing.sent() + patience, UnaryOperator.identity());
        renewing.round().leave(late -> {});
        if (tally.isSuperseded()) {
            return new RenewalResult.Superseded();
        }
        return tally.isGranted()
                ? new RenewalResult.Extended(renewing.started() + timing.validityNanos(ttlMillis))
                : new RenewalResult.Failed(tally.failures(nodes));
    }

    /**
     * Lets nodes keep a released lock for so much longer. Its TTL is at least as long, so a node that does not receive
     * this keeps it too: the command only allows nodes to let it expire earlier. Blocks for a round trip, one node
     * timeout at the most.
     *
     * @param until when to stop waiting at the latest
     */
    public ReleaseResult letExpire(Nodes nodes, Claim claim, long millis, long until) {
        Command.Renew last = new Command.Renew(claim.lasting(millis), true);
        Round round = nodes.send(last, NodeSet.first(nodes.count()));
        long deadline = earlier(time.nanoTime() + timing.patienceNanos(claim.ttlMillis()), until);
        Tally tally = new Tally(nodes.count()).countUntilDecided(round, deadline, UnaryOperator.identity());
        round.leave(late -> {});
        if (tally.isGranted()) {
            return ReleaseResult.RELEASED;
        }
        return tally.isSuperseded() ? ReleaseResult.NOT_HELD : ReleaseResult.UNCONFIRMED;
    }

    /** Sends releases of leases to all nodes, all at once. */
    public List<Round> startReleases(Nodes nodes, List<Command.Release> releases) {
        return nodes.sendAll(releases, NodeSet.first(nodes.count()));
    }

    /**
     * The result of a release.
     *
     * @param listeners how many connections a node has notified of it, at the most
     */
    public record Freed(ReleaseResult result, long listeners) {}

    /**
     * Waits until enough nodes have answered to know whether the lock was still ours. The release is sent again to
     * nodes that do not confirm it in time.
     *
     * @param round the answers to it
     * @param sent when the release had been sent: that takes long where connections have to be opened first
     * @param until when to stop waiting at the latest
     */
    public Freed finishRelease(Nodes nodes, Command.Release release, Round round, long sent, long until) {
        long deadline = earlier(sent + timing.patienceNanos(release.claim().ttlMillis()), until);
        Tally tally = new Tally(nodes.count());
        while (tally.released() == ReleaseResult.UNCONFIRMED) {
            Answer answer = round.next(deadline);
            if (answer == null) {
                break;
            }
            tally.count(answer);
            unfinished.addUnlessConfirmed(answer, release);
        }
        round.leave(late -> unfinished.addUnlessConfirmed(late, release));
        return new Freed(tally.released(), tally.listeners());
    }

    /**
     * Returns the release of a lease that no caller waits for; it is not sent yet.
     *
     * @param whenKnown receives the result, once, on the thread that reads the answers. Must not block
     */
    public UnawaitedRelease unawaitedRelease(Nodes nodes, Claim claim, BiConsumer<UnawaitedRelease, Freed> whenKnown) {
        return new UnawaitedRelease(
                time,
                timing.patienceNanos(claim.ttlMillis()),
                nodes.count(),
                Command.Release.ofLease(claim),
                unfinished,
                whenKnown);
    }

    /** Has a lost claim released on every node, in the background. */
    public void abandon(Claim claim) {
        unfinished.add(NodeSet.first(unfinished.nodes()), Command.Release.ofLease(claim));
    }

    /**
     * Returns whether a quorum knows one owner of any of these locks. Asks all nodes, and waits until it is known, one
     * node timeout at the most.
     */
    public boolean isHeld(Nodes nodes, List<Target> locks, long deadline) {
        Round round = nodes.send(new Command.Inspect(locks), NodeSet.first(nodes.count()));
        long patience = earlier(time.nanoTime() + timing.nodeTimeout().toNanos(), deadline);
        boolean isHeld = new OwnerTally(nodes.count()).countUntilKnown(round, patience);
        round.leave(late -> {});
        return isHeld;
    }

    /** Looks for a permit that is free. */
    public PermitSearch findPermit(Nodes nodes, Command.FindPermit command, long deadline) {
        Tally tally = ask(nodes, command, deadline);
        return new PermitSearch(tally.freePermit(), tally.holderRemainingMillis());
    }

    /** Sends a command that changes nothing, and waits until a quorum has answered. */
    private Tally ask(Nodes nodes, Command command, long deadline) {
        Round round = nodes.send(command, NodeSet.first(nodes.count()));
        Tally tally = new Tally(nodes.count());
        long patience = earlier(time.nanoTime() + timing.nodeTimeout().toNanos(), deadline);
        Answer answer;
        while (!tally.isAcknowledged() && (answer = round.next(patience)) != null) {
            tally.count(answer);
        }
        round.leave(late -> {});
        return tally;
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }
}
