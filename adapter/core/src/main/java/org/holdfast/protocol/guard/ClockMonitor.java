// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.SharedSettings;

/**
 * Watches the clocks of the nodes: each answer carries the node's time, which must keep its distance from our own
 * clock.
 *
 * <p>An answer was given between the sending of its request and its arrival, so it bounds that distance from both
 * sides. Bounds of many answers are intersected, and widened by the drift that may have come since: what lies ahead of
 * them is a jump. It is seen in the very answer that would otherwise have granted a lock whose last holder still counts
 * on its TTL. A clock that is set back only makes locks last longer. But what is granted or renewed before it is set
 * right ends early: it does not count until the other processes have seen that clock, too.
 *
 * <p>A node that has jumped is doubted: none of its grants counts until the doubt is {@linkplain #settle settled}, and
 * then only those that were asked for later. The other nodes show whether that clock jumped or ours stood still. Steps
 * smaller than the best round trip, the drift since the last answer and 2 ms are not seen. Nor does a process see a
 * jump that came before its first answer from that node.
 *
 * <p>Safe for use by any number of threads.
 */
public final class ClockMonitor implements NodeGuard.ClockWatch {

    /** Even where no drift is allowed for: clocks are not that good. */
    private static final double LEAST_DRIFT = 0.001;

    /** So long the other nodes, and the other processes, may take to show which clock caused the jump. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** For a larger jump another process, if there is one, shows at once which clock caused it: it has looked since. */
    private static final long SMALL_JUMP_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** A standstill of ours for so long is seen at every node, however slow the network. */
    private static final long UNMISTAKABLE_JUMP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final double drift;
    private final long longestLeaseMicros;
    private final WatchedClock[] watched;

    /** @param settings bound the difference of clock rates, and the time for which a lease may last */
    public ClockMonitor(int nodes, SharedSettings settings) {
        this.drift = Math.max(settings.driftFactor(), LEAST_DRIFT);
        this.longestLeaseMicros =
                TimeUnit.NANOSECONDS.toMicros(settings.quarantine().toNanos());
        this.watched = new WatchedClock[nodes];
        for (int node = 0; node < nodes; node++) {
            watched[node] = new WatchedClock(drift, 0, false);
        }
    }

    /** Which clock caused the jump. */
    public enum Finding {
        /** The others have not shown it yet. */
        OPEN,
        /** That node's. */
        NODE,
        /** Ours: a quorum of nodes is ahead by the same. */
        CLIENT
    }

    /**
     * Takes note of the time in an answer, and returns what the answer is worth: a grant by a clock that has jumped is
     * none. What was done there is as unknown as if no answer had come, and must be undone like that.
     *
     * @param command what it answers
     * @param term of the node, see {@link #note}
     * @param sentAt when its request was sent, by our clock
     * @param receivedAt when it had come, by our clock
     */
    public Answer weigh(Answer answer, Command command, int term, long sentAt, long receivedAt) {
        boolean counts = note(answer.node(), term, sentAt, receivedAt, answer.nodeMicros());
        if (answer.reply() instanceof Reply.Ended ended) {
            return counts
                    ? believe(answer, ended)
                    : new Answer(answer.node(), new Reply.Refused(describe(answer.node())), 0);
        }
        if (!(answer.reply() instanceof Reply.Granted)) {
            return answer;
        }
        if (!counts) {
            return new Answer(answer.node(), new Reply.NoAnswer(describe(answer.node())), 0);
        }
        long early = command instanceof Command.Acquire ? microsTooEarly(answer) : 0;
        return early > 0 ? new Answer(answer.node(), new Reply.NoAnswer(describeQuarantine(early)), 0) : answer;
    }

    private static String describeQuarantine(long micros) {
        return "in quarantine for another " + TimeUnit.MICROSECONDS.toMillis(micros)
                + " ms for this process, which has not watched its clock since the quarantine began";
    }

    /**
     * Believes a node that says that a lease has ended, if its clock was watched for long enough. That clock may have
     * jumped before: then a lease that was granted before lasts no longer than a quarantine.
     */
    private synchronized Answer believe(Answer answer, Reply.Ended ended) {
        long nowMicros = answer.nodeMicros();
        long waitMicros = watched[answer.node()].believedFromMicros(longestLeaseMicros) - nowMicros;
        boolean past = TimeUnit.MILLISECONDS.toNanos(ended.atMillis()) <= nowMicros * 1_000 + WatchedClock.GRAIN_NANOS;
        return past && waitMicros <= 0
                ? answer
                : new Answer(answer.node(), new Reply.Held(Math.max(1, waitMicros / 1_000)), nowMicros);
    }

    /**
     * A clock may go ahead by the same twice, and its node's mark be set meanwhile: memory is whole since a moment in
     * between. To a client that has not looked since, the clock seems never to have moved.
     *
     * @return by how much the grant came before the end of the quarantine; 0 or less if it did not
     */
    private synchronized long microsTooEarly(Answer grant) {
        return watched[grant.node()].wholeFromMicros - grant.nodeMicros();
    }

    @Override
    public synchronized void admitted(int node, int term, long wholeFromMicros, long steadyMicros) {
        if (isOf(term, node)) {
            watched[node].wholeFromMicros = wholeFromMicros;
            watched[node].steadyForAllMicros = steadyMicros;
            watched[node].wasDoubted = false; // what was to be done about it is done
        }
    }

    /** Another process is the node, with another clock: what was seen of the former one is forgotten. */
    public synchronized void begin(int node, int term) {
        if (term > watched[node].term) {
            watched[node] = new WatchedClock(drift, term, watched[node].doubted || watched[node].wasDoubted);
        }
    }

    /** The same process is the node in another term. */
    public synchronized void goesOn(int node, int term) {
        watched[node].term = Math.max(term, watched[node].term);
    }

    private boolean isOf(int term, int node) {
        begin(node, term);
        return watched[node].term == term;
    }

    /**
     * Takes note of a node's time.
     *
     * @param term in which it answered, see {@link org.holdfast.protocol.term.Terms}; 0 at a fixed address. In each
     *     term another process answers, with a clock of its own
     * @param nodeMicros its time; 0 if it reported none
     * @return whether a grant in the same answer counts
     */
    public synchronized boolean note(int node, int term, long sentAt, long receivedAt, long nodeMicros) {
        if (!isOf(term, node)) {
            return false;
        }
        WatchedClock clock = watched[node];
        if (!clock.isComparable(sentAt)) {
            return false;
        }
        if (nodeMicros != 0) {
            long nodeNanos = TimeUnit.MICROSECONDS.toNanos(nodeMicros);
            long underWay = (long) ((receivedAt - sentAt) * drift); // the older bound is widened to the newer moment
            clock.measured(nodeNanos - receivedAt, nodeNanos - sentAt + underWay, sentAt, receivedAt, nodeMicros);
        }
        return clock.counts(sentAt);
    }

    /**
     * Returns the earliest moment that a node's clock shows from now on if it is not behind, in milliseconds; 0 if that
     * is not known.
     */
    public synchronized long earliestMillis(int node, long now) {
        WatchedClock clock = watched[node];
        return clock.known && clock.counts(now) ? TimeUnit.NANOSECONDS.toMillis(clock.earliestNanos(now)) : 0;
    }

    /** Returns whether this node has ever reported its time. */
    public synchronized boolean isKnown(int node) {
        return watched[node].known;
    }

    /** Returns whether a quorum is further from a wall clock than the limit, by what was measured last. */
    public synchronized boolean areFarFrom(long wallMicros, long now, long limitMicros) {
        long ours = TimeUnit.MICROSECONDS.toNanos(wallMicros) - now;
        long limit = TimeUnit.MICROSECONDS.toNanos(limitMicros);
        int far = 0;
        for (WatchedClock clock : watched) {
            far += clock.known && (clock.low - ours > limit || ours - clock.high > limit) ? 1 : 0;
        }
        return far >= quorum();
    }

    @Override
    public synchronized long steadyMicros(int node) {
        return watched[node].steadyMicros;
    }

    @Override
    public synchronized long unwatchedMicros(int node, long fromMicros) {
        return watched[node].unwatchedMicros(fromMicros);
    }

    /**
     * Returns whether other processes have watched without a gap a node's clock that seems to have jumped: then our
     * clock stood still, unless so many other nodes {@linkplain #isContradicted show} that it did not. The node's
     * time is to be noted with what is asked here: a clock that is back again shows a look from after that, which is no
     * testimony.
     *
     * @param steadyMicros since when they have, by the node's clock
     * @param watchedMicros until when they have, by the node's clock
     */
    public synchronized boolean isVouchedFor(int node, long steadyMicros, long watchedMicros) {
        WatchedClock clock = watched[node];
        long gapMicros = clock.microsAtJump - watchedMicros; // the jump does not fit into a gap that is shorter
        return clock.doubted
                && !clock.returned
                && steadyMicros <= clock.microsBefore
                && TimeUnit.MICROSECONDS.toNanos(gapMicros) < clock.jumpLow;
    }

    /** Our own clock stood still, as other processes show; returns for how long, 0 if that was returned before. */
    public synchronized long stoodStillBy(int node) {
        WatchedClock clock = watched[node];
        boolean first = clock.jumped && !clock.told;
        clock.tell(clock.jumpSeenAt);
        return first ? clock.jumpHigh : 0;
    }

    /** Returns whether this node's clock has jumped, and the doubt is not settled. */
    @Override
    public synchronized boolean isDoubted(int node) {
        return watched[node].doubted;
    }

    @Override
    public synchronized boolean wasDoubted(int node) {
        return watched[node].wasDoubted;
    }

    /** Returns the nodes that are doubted. */
    public synchronized NodeSet doubted() {
        NodeSet doubted = NodeSet.NONE;
        for (int node = 0; node < watched.length; node++) {
            doubted = watched[node].doubted ? doubted.with(node) : doubted;
        }
        return doubted;
    }

    /** Describes how far a node's clock has stepped last. */
    public synchronized String describe(int node) {
        return watched[node].describe();
    }

    /**
     * Returns for how long our own clock stood still, as it does while a virtual machine is suspended; 0 if it did not,
     * or if that was returned before.
     *
     * <p>If the clocks of a quorum are ahead by the same, it was ours that did not go on; whether or not one of them
     * has been put in quarantine meanwhile. A single node cannot testify against us.
     */
    public synchronized long stoodStillNanos() {
        for (WatchedClock one : watched) {
            for (WatchedClock other : watched) {
                one.tellIfToldBy(other);
            }
            if (one.jumped && !one.told && isOurs(one)) {
                one.tellAlike(watched);
                return one.jumpHigh;
            }
        }
        return 0;
    }

    private boolean isOurs(WatchedClock clock) {
        int alike = 0;
        for (WatchedClock other : watched) {
            alike += clock.isLike(other) ? 1 : 0;
        }
        return alike > 1 && alike >= quorum();
    }

    private int quorum() {
        return watched.length / 2 + 1;
    }

    /**
     * Returns which clock caused the jump of a node that is doubted.
     *
     * <p>Ours if a quorum is ahead by the same. That node's if it went back since. Also if so many nodes have answered
     * otherwise since that there can be no such quorum, and no other process can show that it was ours. Also if they
     * take too long to show it. A small jump cannot be distinguished from the pause between two looks of another
     * process: its next look is awaited.
     */
    public synchronized Finding find(int node, long now) {
        WatchedClock clock = watched[node];
        if (clock.returned) {
            return Finding.NODE;
        }
        if (isOurs(clock)) {
            return Finding.CLIENT;
        }
        boolean mayBeOurs = watched.length > 1 && !isContradicted(clock);
        long small = watched.length > 1 ? UNMISTAKABLE_JUMP_NANOS : SMALL_JUMP_NANOS;
        boolean mayBeShown = clock.jumpLow < small; // by another process at its next look
        boolean open = (mayBeOurs || mayBeShown) && now - clock.jumpSeenAt < PATIENCE_NANOS;
        return open ? Finding.OPEN : Finding.NODE;
    }

    /**
     * Returns whether so many other nodes have answered without the jump of this one that no quorum can show it: our
     * clock has not stood still, whatever this node says.
     */
    public synchronized boolean isContradicted(int node) {
        return isContradicted(watched[node]);
    }

    private boolean isContradicted(WatchedClock clock) {
        int otherwise = 0;
        for (WatchedClock other : watched) {
            boolean answeredSince = other.known && other.lastSentAt - clock.jumpSeenAt >= 0;
            otherwise += answeredSince && other != clock && !clock.isLike(other) ? 1 : 0;
        }
        return watched.length - otherwise < quorum();
    }

    /** Returns what stands for the present doubt in a node: another jump makes another doubt. */
    public synchronized long doubt(int node) {
        return watched[node].jumpSeenAt;
    }

    /**
     * The quarantine of a node has begun, or is not needed: what is asked of it from now on counts again.
     *
     * @param doubt which doubt is settled; a newer one stays
     */
    public synchronized void settle(int node, long doubt, long now) {
        if (watched[node].jumpSeenAt == doubt) {
            watched[node].settle(now);
        }
    }
}
