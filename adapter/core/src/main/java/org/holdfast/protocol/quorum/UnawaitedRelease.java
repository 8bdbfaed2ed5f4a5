// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import java.util.function.Consumer;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;

/**
 * Counts the answers to a release that no caller waits for.
 *
 * <p>Safe for use by any number of threads: each node's answer is read by any of them.
 */
final class UnawaitedRelease implements Consumer<Answer> {

    private final int nodes;
    private final Command.Release release;
    private final UnfinishedReleases unfinished;
    private final Consumer<Redlock.Freed> whenKnown;
    private final Tally tally;
    private int answers;
    private boolean known;

    /** @param whenKnown receives the result, once. Must not block */
    UnawaitedRelease(
            int nodes, Command.Release release, UnfinishedReleases unfinished, Consumer<Redlock.Freed> whenKnown) {
        this.nodes = nodes;
        this.release = release;
        this.unfinished = unfinished;
        this.whenKnown = whenKnown;
        this.tally = new Tally(nodes);
    }

    @Override
    public synchronized void accept(Answer answer) {
        answers++;
        tally.count(answer);
        unfinished.addUnlessConfirmed(answer, release);
        if (!known && (answers == nodes || tally.released() != ReleaseResult.UNCONFIRMED)) {
            known = true;
            whenKnown.accept(new Redlock.Freed(tally.released(), tally.listeners()));
        }
    }
}
