// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.protocol.quorum.UnfinishedReleases;
import org.holdfast.redis.LockNodes;
import org.holdfast.redis.NodeChannel;
import org.holdfast.redis.voter.Locators;

/** The answers that a service which was stopped still waits for, and the connections over which they come. */
final class LastAnswers implements AutoCloseable {

    private final Timing timing;
    private final Time time;
    private final LockNodes nodes;
    private final NodeChannel own;
    private final NodeChannel forWaiting;
    private final Locators locators;
    private final UnfinishedReleases unfinished;

    LastAnswers(
            Timing timing,
            Time time,
            LockNodes nodes,
            NodeChannel own,
            NodeChannel forWaiting,
            Locators locators,
            UnfinishedReleases unfinished) {
        this.timing = timing;
        this.time = time;
        this.nodes = nodes;
        this.own = own;
        this.forWaiting = forWaiting;
        this.locators = locators;
        this.unfinished = unfinished;
    }

    /** Returns until when to wait: nodes have their time, and no more than is left until the deadline. */
    long endsAt(long deadline) {
        long now = time.nanoTime();
        return now + Math.min(deadline - now, timing.nodeTimeout().toNanos());
    }

    void await(long until) {
        own.awaitAnswers(until); // a quorum was waited for: now also for the other nodes
        nodes.awaitAnswers(until); // releases on connections that no thread reads any more
        unfinished.retryAll(own, own::awaitAnswers, until);
    }

    /** Closes the connections, each though another one fails to close. */
    @Override
    public void close() {
        try {
            own.close();
        } finally {
            try {
                forWaiting.close();
            } finally {
                closeNodes();
            }
        }
    }

    private void closeNodes() {
        try {
            nodes.close();
        } finally {
            locators.close();
        }
    }
}
