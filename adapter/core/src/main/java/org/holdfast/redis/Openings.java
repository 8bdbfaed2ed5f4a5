// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.holdfast.protocol.env.SureLock;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.LocalFailureException;
import org.holdfast.redis.wire.NodeConnection;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one channel that are being opened: to all nodes at once, within one node timeout altogether.
 *
 * <p>The caller that needs them opens one. Threads of the lock service open the others; those that no thread has begun
 * the caller opens too, one after the other. The channel's lock guards everything here, and is not held while a
 * connection is opened: requests to nodes that are connected go on.
 */
final class Openings {

    /** Attempts on other threads have the same deadline as ours: it takes them a moment more to report their end. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final String FAILED = "this process could not connect to it";

    /** The channel, to which the connections go. Called with its lock. */
    interface Owner {

        /** Takes a connection, or closes it. */
        void opened(int node, NodeConnection connection);

        /** Returns whether enough nodes are connected for a lock. */
        boolean isQuorumConnected();
    }

    private final AskedNodes nodes;
    private final VoterConnector connector;
    private final Owner owner;
    private final Lock lock;

    /** Signalled when an attempt has ended. */
    private final Condition over;

    /** What is under way, by node. */
    private final Attempt[] pending;

    Openings(AskedNodes nodes, VoterConnector connector, Owner owner, Lock lock) {
        this.nodes = nodes;
        this.connector = connector;
        this.owner = owner;
        this.lock = lock;
        this.over = lock.newCondition();
        this.pending = new Attempt[nodes.size()];
    }

    /** One attempt to connect to a node. Running it once more does nothing. */
    private final class Attempt implements Runnable {

        private final int node;
        private final long deadline;
        private final AtomicBoolean begun = new AtomicBoolean();
        private @Nullable String obstacle = "it is being connected to, which takes longer than the node timeout";
        private boolean ended;

        Attempt(int node, long deadline) {
            this.node = node;
            this.deadline = deadline;
        }

        @Override
        public void run() {
            if (!begun.compareAndSet(false, true)) {
                return;
            }
            NodeConnection connection = null;
            String failure = FAILED;
            try {
                requireTime();
                connection = nodes.connect(node, deadline);
            } catch (RuntimeException e) {
                failure = Failures.describe(e);
            } finally { // whatever fails, as without memory: the caller waits for it
                end(connection, failure);
            }
        }

        /** With little time left it would seem that the node is late. */
        private void requireTime() {
            if (hasLostTime()) {
                throw connector.localFailure(new LocalFailureException("no thread had time for it"));
            }
        }

        private void end(@Nullable NodeConnection connection, String failure) {
            SureLock.take(lock);
            try {
                obstacle = failure;
                if (connection != null) {
                    handOver(connection);
                    obstacle = null;
                }
            } finally {
                try {
                    settle();
                } finally {
                    lock.unlock();
                }
            }
        }

        private void handOver(NodeConnection connection) {
            try {
                owner.opened(node, connection);
            } catch (RuntimeException | Error e) {
                connection.abandon();
                throw e;
            }
        }

        /** Leaves the node to another attempt, unless a thread has begun this one. Called with the lock. */
        private void giveUp() {
            if (begun.compareAndSet(false, true)) {
                obstacle = FAILED;
                settle();
            }
        }

        private boolean isWaiting() {
            return !begun.get();
        }

        /** Returns whether no thread has begun it, and none has the time any more. */
        private boolean isTooLate() {
            return isWaiting() && hasLostTime();
        }

        private boolean hasLostTime() {
            return deadline - System.nanoTime() < connector.nodeTimeoutNanos() / 2;
        }

        /**
         * Returns whether it should have ended long ago: the JVM may have lost its thread, as it may when the heap is
         * full. Not sooner: on a busy machine it ends late, and the caller that has waited for it would wait again.
         */
        private boolean isOverdue() {
            return left() + connector.nodeTimeoutNanos() <= 0;
        }

        private long left() {
            return deadline + GRACE_NANOS - System.nanoTime();
        }

        private void settle() {
            ended = true;
            if (pending[node] == this) {
                pending[node] = null;
            }
            over.signalAll();
        }
    }

    /**
     * Connects to nodes. Called with the lock, held once; waits without. Works on an interrupted thread and leaves the
     * interrupt status as it was.
     *
     * @param missing all nodes that should be connected and are not
     * @param needed those that the caller waits for. It does not wait for what others open if a quorum is connected
     * @return what stands against a connection, by node; null where nothing does
     */
    String[] open(NodeSet missing, NodeSet needed) {
        Attempt[] awaited = new Attempt[pending.length];
        Attempt[] mine = newAttempts(missing, true);
        boolean patient = false;
        for (int node = 0; node < pending.length; node++) {
            if (needed.contains(node)) {
                awaited[node] = pending[node];
                patient |= mine[node] != null;
                if (mine[node] == null && pending[node].isWaiting() && !owner.isQuorumConnected()) {
                    mine[node] = pending[node]; // for a thread, which there may not be
                }
            }
        }
        runWithoutLock(mine, needed);
        await(awaited, patient);
        return obstacles(awaited);
    }

    /**
     * As {@link #open}, and waits for nothing: other threads connect. Where there is none for it, a caller that waits
     * will.
     */
    String[] begin(NodeSet missing, NodeSet needed) {
        Attempt[] awaited = new Attempt[pending.length];
        Attempt[] mine = newAttempts(missing, false);
        for (int node = 0; node < pending.length; node++) {
            awaited[node] = needed.contains(node) ? pending[node] : null;
        }
        giveToOthers(mine);
        return obstacles(awaited);
    }

    /**
     * Returns new attempts for those of these nodes that have none.
     *
     * @param waits whether the caller waits: an attempt that no thread had time for is of no use to it
     */
    private Attempt[] newAttempts(NodeSet missing, boolean waits) {
        long deadline = connector.deadline();
        Attempt[] mine = new Attempt[pending.length];
        for (int node = 0; node < pending.length; node++) {
            Attempt known = pending[node];
            if (missing.contains(node) && (known == null || known.isOverdue() || waits && known.isTooLate())) {
                mine[node] = new Attempt(node, deadline);
            }
        }
        for (int node = 0; node < pending.length; node++) { // without memory there is none of them
            if (mine[node] != null) {
                pending[node] = mine[node];
            }
        }
        return mine;
    }

    private String[] obstacles(Attempt[] awaited) {
        String[] obstacles = new String[pending.length];
        for (int node = 0; node < pending.length; node++) {
            obstacles[node] = awaited[node] == null ? null : awaited[node].obstacle;
        }
        return obstacles;
    }

    private void giveToOthers(Attempt[] mine) {
        boolean[] given = new boolean[mine.length];
        lock.unlock();
        try {
            for (int node = 0; node < mine.length; node++) {
                given[node] = mine[node] != null && connector.runElsewhere(mine[node]);
            }
        } finally {
            SureLock.take(lock);
            for (int node = 0; node < mine.length; node++) {
                if (mine[node] != null && !given[node]) {
                    mine[node].giveUp();
                }
            }
        }
    }

    private void runWithoutLock(Attempt[] mine, NodeSet needed) {
        lock.unlock();
        try {
            Attempt own = null;
            for (Attempt attempt : mine) {
                if (attempt != null && own == null && needed.contains(attempt.node)) {
                    own = attempt;
                } else if (attempt != null) {
                    connector.runElsewhere(attempt);
                }
            }
            if (own != null) {
                own.run();
            }
            for (Attempt attempt : mine) {
                if (attempt != null) {
                    attempt.run(); // unless a thread has begun: it may wait for one, or there is none
                }
            }
        } finally {
            SureLock.take(lock);
            for (Attempt attempt : mine) {
                if (attempt != null) {
                    attempt.giveUp(); // where one has failed, as without memory: they would be under way for ever
                }
            }
        }
    }

    private void await(Attempt[] awaited, boolean patient) {
        boolean interrupted = false;
        for (Attempt attempt : awaited) {
            while (attempt != null && !attempt.ended && (patient || !owner.isQuorumConnected())) {
                long left = attempt.left();
                if (left <= 0) {
                    break;
                }
                try {
                    over.awaitNanos(left);
                } catch (InterruptedException e) {
                    interrupted = true; // wait on, and restore the status later
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
