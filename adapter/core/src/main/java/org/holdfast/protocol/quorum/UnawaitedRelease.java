// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import java.util.function.BiConsumer;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Round;
import org.jspecify.annotations.Nullable;

/**
 * The release of a lease that its caller does not wait for. It is sent again to nodes that do not confirm it.
 *
 * <p>Safe for use by any number of threads: each node's answer is read by any of them.
 */
public final class UnawaitedRelease {

    private final Command.Release release;
    private final UnfinishedReleases unfinished;
    private final BiConsumer<UnawaitedRelease, Redlock.Freed> whenKnown;
    private final Tally tally;
    private final Time time;
    private final long patienceNanos;
    private final int nodes;
    private int answers;
    private volatile boolean known;
    private volatile @Nullable Round round;

    /**
     * @param patienceNanos how long a caller waits for its answers after all
     * @param whenKnown receives the result, once. Must not block
     */
    UnawaitedRelease(
            Time time,
            long patienceNanos,
            int nodes,
            Command.Release release,
            UnfinishedReleases unfinished,
            BiConsumer<UnawaitedRelease, Redlock.Freed> whenKnown) {
        this.time = time;
        this.patienceNanos = patienceNanos;
        this.nodes = nodes;
        this.release = release;
        this.unfinished = unfinished;
        this.whenKnown = whenKnown;
        this.tally = new Tally(nodes);
    }

    /** Sends it to all nodes, once. */
    public void send(Nodes to) {
        Round sent = to.send(release, NodeSet.first(nodes));
        sent.leave(this::count);
        round = sent;
    }

    private synchronized void count(Answer answer) {
        answers++;
        tally.count(answer);
        unfinished.addUnlessConfirmed(answer, release);
        if (answers == nodes || tally.released() != ReleaseResult.UNCONFIRMED) {
            known();
        }
    }

    /**
     * Waits after all until enough nodes have answered, a node timeout at the most. Later callers do not wait again:
     * what this process sends to a node comes behind the release, and without memory an answer may have been lost.
     */
    public void await() {
        Round sent = round;
        if (sent != null) { // else another thread sends it in this moment
            sent.awaitLate(() -> known, time.nanoTime() + patienceNanos);
            known();
        }
    }

    private synchronized void known() {
        if (!known) {
            known = true;
            whenKnown.accept(this, new Redlock.Freed(tally.released(), tally.listeners()));
        }
    }
}
