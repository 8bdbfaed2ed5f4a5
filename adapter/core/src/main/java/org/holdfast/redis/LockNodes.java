// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import org.holdfast.CheckReport;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.redis.releases.ReleaseSubscriber;
import org.holdfast.redis.survey.FoundLocks;
import org.holdfast.redis.survey.LockScan;
import org.holdfast.redis.survey.Waiting;

/** The nodes of one lock service, and what it does with them: connections, notifications and inspections. */
public interface LockNodes extends AutoCloseable {

    /** Returns new connections for callers that wait for their answers. They are opened when they are first used. */
    default NodeChannel open() {
        return open(WakeUp.NONE);
    }

    /**
     * Returns new connections. They are opened when they are first used.
     *
     * @param reads has {@link NodeChannel#isUsable} called for what no caller waits for
     */
    NodeChannel open(WakeUp reads);

    /**
     * Waits until every request on every connection has its answer, or its node is given up; until the deadline at the
     * most.
     */
    void awaitAnswers(long deadline);

    /**
     * Returns what receives releases by other processes.
     *
     * @param threads gives a thread for as long as it takes
     */
    ReleaseSubscriber subscriber(Executor threads);

    /** @param told receives for how many nanoseconds our own clock stood still */
    void onClockStoodStill(LongConsumer told);

    /** Returns in how many nanoseconds there is a node to look at, as far as is known now; 0 or less if there is. */
    long nanosUntilLook();

    /** Looks at the nodes that are due. For one thread at a time. Blocks for a few node timeouts a node that hangs. */
    void look();

    /** Closes the connections of looks: there are none any more. Called by the thread that looks. */
    void stopLooking();

    /** Takes note of where the nodes are, after they were asked about. */
    void rearrange();

    /**
     * Looks at every node now.
     *
     * @param maxSkewMicros by how much the wall clock of this machine may differ from those of a majority
     */
    CheckReport check(long maxSkewMicros);

    /**
     * Adds the locks whose keys are on the nodes, see {@link LockScan#find}.
     *
     * @param longestNanos when to leave a node, however many keys are left
     */
    void find(FoundLocks found, long longestNanos);

    /** Returns how many callers wait for each of some locks, see {@link LockScan#waiting}. */
    List<Waiting> waiting(List<String> names);

    /** Returns what the last look at each node found, in the order of the setting. Asks no node. */
    List<CheckReport.Node> known();

    /** Returns what is known of each node, by address without secrets. */
    Map<String, String> describeNodes();

    /**
     * Closes the connections that are still open: not every container ends the connections in its pool when their
     * adapter goes. Waits for what is under way, for 100 ms at the most.
     */
    @Override
    void close();
}
