// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Redlock: a lock is held by whoever a majority of independent nodes has granted it to, for as long as is left of the TTL.
 *
 * <p>After <a href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed Locks with
 * Redis</a>, with three differences. All nodes are asked at once, and the answer of a quorum is enough. The client proposes
 * a fencing token that a node grants only if it is larger than any before: two quorums share a node, hence every later
 * lease has a larger token. And a release leaves the token behind, one larger, so that nothing which is still under way of
 * that lease can bring it back.
 */
public final class Redlock {

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
     * @param deadline when to give up; the node timeout may come earlier
     */
    Outcome acquire(Nodes nodes, Command.Acquire command, long deadline) {
        nodes.prepare();
        long started = time.nanoTime(); // before anything is sent: no node counts the TTL from an earlier moment
        long validUntil = started + timing.validityNanos(command.ttlMillis());
        Round round = nodes.send(command, NodeSet.first(nodes.count()));
        Tally tally = gather(nodes, round, earlier(started + timing.patienceNanos(command.ttlMillis()), deadline));

        boolean skewed = tally.isSkewed(time.epochMicros(), timing.maxSkewMicros());
        if (tally.isGranted() && !skewed && time.nanoTime() - validUntil < 0) {
            round.leave(late -> {}); // a node that is late is told of the release like any other
            return new Outcome.Acquired(started, validUntil);
        }
        undo(nodes, command, round, tally);
        return skewed ? new Outcome.ClockSkewed() : refusal(nodes, tally);
    }

    private Tally gather(Nodes nodes, Round round, long deadline) {
        Tally tally = new Tally(nodes.count());
        while (!tally.isGranted() && !tally.isRefused()) {
            Answer answer = round.next(deadline);
            if (answer == null) {
                break;
            }
            tally.count(answer);
        }
        return tally;
    }

    /**
     * Takes back what an attempt may have got.
     *
     * <p>Where the answer is still to come, the release follows the acquisition on the same connection and cannot
     * overtake it. Where no answer will come, the acquisition may still be under way elsewhere: only there the release
     * leaves a tombstone. A tombstone raises the token, which would keep the present holder from healing that node.
     */
    private void undo(Nodes nodes, Command.Acquire command, Round round, Tally tally) {
        round.leave(late -> {
            if (late.reply() instanceof Reply.NoAnswer) {
                unfinished.add(late.node(), command.release(true), command.ttlMillis());
            }
        });
        unfinished.add(tally.unanswered(), command.release(true), command.ttlMillis());
        NodeSet reachable = tally.granted().and(tally.pending());
        if (!reachable.isEmpty()) {
            nodes.send(command.release(false), reachable).leave(late -> finish(late, command));
        }
    }

    private static Outcome refusal(Nodes nodes, Tally tally) {
        if (tally.isGranted()) {
            return new Outcome.Undetermined(Map.of("quorum", "granted only when the validity was over"));
        }
        if (!tally.isAcknowledged()) {
            return tally.unanswered().and(tally.pending()).isEmpty()
                    ? new Outcome.Unavailable(tally.failures(nodes))
                    : new Outcome.Undetermined(tally.failures(nodes));
        }
        return tally.isHeld()
                ? new Outcome.Contended(tally.holderRemainingMillis())
                : new Outcome.TokenTooSmall(tally.largestToken());
    }

    /** A renewal that is under way. */
    record Renewing(Hold hold, long started, Round round) {}

    /** Sends the renewals of leases, all at once. */
    List<Renewing> startRenewals(Nodes nodes, List<Hold> holds) {
        long started = time.nanoTime();
        List<Command> commands = new ArrayList<>(holds.size());
        holds.forEach(hold -> commands.add(hold.command().renewal()));
        List<Round> rounds = nodes.sendAll(commands, NodeSet.first(nodes.count()));
        List<Renewing> renewing = new ArrayList<>(holds.size());
        for (int i = 0; i < holds.size(); i++) {
            renewing.add(new Renewing(holds.get(i), started, rounds.get(i)));
        }
        return renewing;
    }

    /**
     * Waits for the answers to a renewal and extends the lease if a quorum granted it.
     *
     * <p>A node that has no holder grants a renewal too, if no larger token is on record: so a node that missed the
     * acquisition, or lost it, is healed. That is safe even late: had anyone taken the lock since, every quorum would
     * contain a node with a larger token, which refuses.
     *
     * @return whether the lease was extended
     */
    boolean finishRenewal(Nodes nodes, Renewing renewing) {
        Hold hold = renewing.hold();
        long patience = timing.patienceNanos(hold.command().ttlMillis());
        Tally tally = gather(nodes, renewing.round(), renewing.started() + patience);
        renewing.round().leave(late -> {});
        if (tally.isSuperseded()) {
            hold.lose("nodes know of a later lease", time.nanoTime());
            return false;
        }
        if (!tally.isGranted()) {
            hold.renewalFailed("the last renewal reached too few nodes: " + tally.failures(nodes));
            return false;
        }
        long ttlMillis = hold.command().ttlMillis();
        return hold.extend(renewing.started() + timing.validityNanos(ttlMillis), time.nanoTime());
    }

    /** Sends the releases of leases to all nodes, all at once. */
    List<Round> startReleases(Nodes nodes, List<Hold> holds) {
        List<Command> commands = new ArrayList<>(holds.size());
        holds.forEach(hold -> commands.add(hold.command().release(true)));
        return nodes.sendAll(commands, NodeSet.first(nodes.count()));
    }

    /**
     * Waits until a quorum has let go; nodes that have not done so by then, or in time, are told again.
     *
     * @param started when the release was sent
     */
    void finishRelease(Nodes nodes, Hold hold, Round round, long started) {
        long deadline = started + timing.patienceNanos(hold.command().ttlMillis());
        Tally tally = new Tally(nodes.count());
        while (!tally.isAcknowledged()) {
            Answer answer = round.next(deadline);
            if (answer == null) {
                break;
            }
            tally.count(answer);
            finish(answer, hold.command());
        }
        round.leave(late -> finish(late, hold.command()));
    }

    /** Has a lease that is lost taken back on every node, by and by. */
    void abandon(Hold hold) {
        Command.Acquire command = hold.command();
        unfinished.add(NodeSet.first(unfinished.nodes()), command.release(true), command.ttlMillis());
    }

    /** Sees to it that a node which has not confirmed a release is told again. */
    private void finish(Answer answer, Command.Acquire command) {
        Reply reply = answer.reply();
        if (reply instanceof Reply.NoAnswer || reply instanceof Reply.NotSent || reply instanceof Reply.Refused) {
            unfinished.add(answer.node(), command.release(true), command.ttlMillis());
        }
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }
}
