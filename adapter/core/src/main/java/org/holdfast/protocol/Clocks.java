// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.concurrent.TimeUnit;

/**
 * Watches the clocks of the nodes: each answer carries the node's time, which must keep its distance from our own clock.
 *
 * <p>An answer was given between the sending of its request and its arrival, so it bounds that distance from both sides.
 * Bounds of many answers are intersected, and widened by the drift that may have come since: what does not overlap them is a
 * jump. It is seen in the very answer that would otherwise have granted a lock whose last holder still counts on its TTL.
 *
 * <p>A node that has jumped is doubted: none of its grants counts until its quarantine has begun ({@link #settle}), and then
 * only those that were asked for later. Steps smaller than the best round trip, the drift since the last answer and 2 ms are
 * not seen. Nor does a process see a jump that came before its first answer from that node.
 *
 * <p>Safe for use by any number of threads.
 */
public final class Clocks {

    private static final long GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final double driftFactor;
    private final Watched[] watched;

    /** @param driftFactor bound on the difference of clock rates, as a part of the time that passes */
    public Clocks(int nodes, double driftFactor) {
        this.driftFactor = driftFactor;
        this.watched = new Watched[nodes];
        for (int node = 0; node < nodes; node++) {
            watched[node] = new Watched();
        }
    }

    /** The clock of one node: bounds of its distance from ours, and the jump that was seen last. */
    private static final class Watched {
        private boolean known;
        private long low;
        private long high;
        private long at;
        private boolean jumped;
        private boolean doubted;
        private long believedFrom;
        private long jumpLow;
        private long jumpHigh;
    }

    /**
     * Takes note of the time in an answer, and returns what the answer is worth: a grant by a clock that has jumped is none.
     * What was done there is as unknown as if no answer had come, and must be undone like that.
     *
     * @param sentAt when its request was sent, by our clock
     * @param receivedAt when it had come, by our clock
     */
    public Answer weigh(Answer answer, long sentAt, long receivedAt) {
        boolean counts = note(answer.node(), sentAt, receivedAt, answer.nodeMicros());
        return counts || !(answer.reply() instanceof Reply.Granted)
                ? answer
                : new Answer(answer.node(), new Reply.NoAnswer(describe(answer.node())), 0);
    }

    /**
     * Takes note of a node's time.
     *
     * @param nodeMicros its time; 0 if it told none
     * @return whether a grant in the same answer counts
     */
    public synchronized boolean note(int node, long sentAt, long receivedAt, long nodeMicros) {
        Watched clock = watched[node];
        if (clock.jumped && sentAt - clock.believedFrom < 0) {
            return false; // it may have been answered before the jump was seen, or before the quarantine
        }
        if (nodeMicros != 0 && !(clock.known && receivedAt - clock.at < 0)) {
            long nodeNanos = TimeUnit.MICROSECONDS.toNanos(nodeMicros);
            compare(clock, nodeNanos - receivedAt, nodeNanos - sentAt, receivedAt);
        }
        return !clock.doubted;
    }

    /** Nothing but differences of distances is compared: our clock may begin anywhere. */
    private void compare(Watched clock, long low, long high, long at) {
        long drift = clock.known ? (long) ((at - clock.at) * driftFactor) : 0;
        long knownLow = clock.low - drift;
        long knownHigh = clock.high + drift;
        boolean apart = clock.known && (low - knownHigh > GRAIN_NANOS || knownLow - high > GRAIN_NANOS);
        if (apart) {
            clock.jumped = true;
            clock.doubted = true;
            clock.believedFrom = at;
            clock.jumpLow = low - knownHigh;
            clock.jumpHigh = high - knownLow;
        }
        boolean narrows = clock.known && !apart && low - knownHigh <= 0 && knownLow - high <= 0;
        clock.low = narrows && knownLow - low > 0 ? knownLow : low;
        clock.high = narrows && knownHigh - high < 0 ? knownHigh : high;
        clock.at = at;
        clock.known = true;
    }

    /** Returns whether this node has ever told us its time. */
    public synchronized boolean isKnown(int node) {
        return watched[node].known;
    }

    /** Returns whether this node's clock has jumped, and its quarantine has not begun. */
    public synchronized boolean isDoubted(int node) {
        return watched[node].doubted;
    }

    /** Returns the nodes whose clocks have jumped, and whose quarantine has not begun. */
    public synchronized NodeSet doubted() {
        NodeSet doubted = NodeSet.NONE;
        for (int node = 0; node < watched.length; node++) {
            doubted = watched[node].doubted ? doubted.with(node) : doubted;
        }
        return doubted;
    }

    /** Says how far a node's clock has jumped. */
    public synchronized String describe(int node) {
        return "its clock jumped by "
                + TimeUnit.NANOSECONDS.toMillis(watched[node].jumpLow / 2 + watched[node].jumpHigh / 2) + " ms";
    }

    /**
     * Returns for how long our own clock stood still, as it does while a virtual machine is suspended; 0 if it did not.
     *
     * <p>If the clocks of a quorum have jumped ahead by the same, it was ours that did not go on. To be asked when every node
     * that can be reached has answered since the first jump. A single node cannot testify against us.
     */
    public synchronized long stoodStillNanos() {
        for (Watched one : watched) {
            int alike = 0;
            for (Watched other : watched) {
                boolean agrees = one.doubted
                        && other.doubted
                        && one.jumpLow - other.jumpHigh <= 0
                        && other.jumpLow - one.jumpHigh <= 0;
                alike += agrees ? 1 : 0;
            }
            if (one.jumpLow > 0 && alike > 1 && alike >= watched.length / 2 + 1) {
                return one.jumpLow;
            }
        }
        return 0;
    }

    /** The quarantine of a node has begun, or is not needed: what is asked of it from now on counts again. */
    public synchronized void settle(int node, long now) {
        watched[node].doubted = false;
        watched[node].believedFrom = now;
    }
}
