// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import org.holdfast.protocol.env.SureLock;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.script.KnownScripts;
import org.holdfast.redis.voter.VoterConnector;
import org.jspecify.annotations.Nullable;

/**
 * One connection to each node, opened when it is needed: sends commands to many nodes at once.
 *
 * <p>Requests of many threads are under way at once on the same connections, and a thread that uses a channel alone
 * waits on nothing but the nodes: see {@link SharedReader}. {@link Pipelines} decides what becomes of a request. Safe
 * for use by any number of threads.
 */
public final class NodeConnections implements NodeChannel {

    /** How long to wait for answers, at the most, when a channel is closed: what is answered need not be sent again. */
    static final long CLOSING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** So long after a request is sent what no caller waits for is read. */
    private static final long READING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** So deep, in steps of the stack, a thread goes to send something: to write, to connect, to report what fails. */
    private static final int STEPS = 256;

    private final AskedNodes nodes;
    private final VoterConnector connector;
    private final Calls calls;
    private final Time time;
    private final WakeUp reads;
    private final Consumer<NodeConnections> onClose;
    private final Lock lock = new SureLock(System::nanoTime);
    private final Pipelines pipelines;
    private final MissingConnections missing;

    /**
     * @param reads has {@link #isUsable} called for what no caller waits for
     * @param onClose receives this channel when it is closed
     */
    NodeConnections(
            AskedNodes nodes,
            VoterConnector connector,
            KnownScripts scripts,
            Time time,
            WakeUp reads,
            Consumer<NodeConnections> onClose) {
        this.nodes = nodes;
        this.connector = connector;
        this.calls = new Calls(nodes, scripts);
        this.time = time;
        this.reads = reads;
        this.onClose = onClose;
        this.pipelines = new Pipelines(nodes, connector, scripts, calls, time, lock);
        this.missing = new MissingConnections(nodes, connector, pipelines, lock);
    }

    @Override
    public int count() {
        return nodes.size();
    }

    @Override
    public String address(int node) {
        return nodes.address(node).toString();
    }

    @Override
    public void prepare() {
        SureLock.requireRoom(STEPS);
        lock.lock();
        try {
            missing.prepare();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isClockSkewed(long wallMicros, long limitMicros) {
        return nodes.clockMonitor().areFarFrom(wallMicros, time.nanoTime(), limitMicros);
    }

    @Override
    public Round send(Command command, NodeSet targets) {
        SureLock.requireRoom(STEPS);
        lock.lock();
        try {
            PendingRound round = writeTo(targets, missing.open(targets, command.awaited()), command);
            round.pushed(pushTo(targets));
            return round;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<Round> sendAll(List<? extends Command> commands, NodeSet targets) {
        SureLock.requireRoom(STEPS);
        List<PendingRound> rounds = new ArrayList<>(commands.size());
        lock.lock();
        try {
            String @Nullable [] obstacles = commands.isEmpty()
                    ? null
                    : missing.open(targets, commands.get(0).awaited()); // of one kind
            boolean mayBeTogether = calls.mayRenewTogether(targets);
            for (int from = 0; from < commands.size(); ) {
                int together = mayBeTogether ? PendingRenewals.count(commands, from) : 0;
                if (together > 1) {
                    rounds.addAll(writeTogether(targets, obstacles, commands.subList(from, from + together)));
                } else {
                    rounds.add(writeTo(targets, obstacles, commands.get(from)));
                }
                from += Math.max(1, together);
            }
            long pushedAt = pushTo(targets);
            rounds.forEach(round -> round.pushed(pushedAt));
        } finally {
            lock.unlock();
        }
        return List.copyOf(rounds);
    }

    private PendingRound writeTo(NodeSet targets, String @Nullable [] obstacles, Command command) {
        long now = time.nanoTime();
        PendingRound round = new PendingRound(pipelines, lock, targets.size(), now);
        NodeSet open = whereItGoes(targets, obstacles, command, round);
        PendingRequest request = new PendingRequest(command, round, now);
        for (int node = 0; node < nodes.size(); node++) {
            if (open.contains(node)) {
                pipelines.write(node, request, calls.usual(node, command, open));
            }
        }
        return round;
    }

    /** Writes renewals which one call of a script carries out; returns a round for each. */
    private List<PendingRound> writeTogether(
            NodeSet targets, String @Nullable [] obstacles, List<? extends Command> commands) {
        long now = time.nanoTime();
        List<PendingRequest> requests = commands.stream()
                .map(command ->
                        new PendingRequest(command, new PendingRound(pipelines, lock, targets.size(), now), now))
                .toList();
        NodeSet open = NodeSet.NONE;
        for (int node = 0; node < nodes.size(); node++) {
            String obstacle = targets.contains(node) ? obstacle(node, obstacles, commands.get(0)) : null;
            if (obstacle != null) { // once for all: it may change at any time
                Answer notSent = new Answer(node, new Reply.NotSent(obstacle), 0);
                requests.forEach(request -> request.round().answered(notSent));
            } else if (targets.contains(node)) {
                open = open.with(node);
            }
        }
        if (!open.isEmpty()) {
            PendingRenewals renewals = new PendingRenewals(requests, false);
            for (int node = 0; node < nodes.size(); node++) {
                if (open.contains(node)) {
                    pipelines.write(node, renewals, calls.together(node, renewals, open));
                }
            }
        }
        return requests.stream().map(PendingRequest::round).toList();
    }

    /** Returns when all that was written has been given to the sockets. */
    private long pushTo(NodeSet targets) {
        for (int node = 0; node < nodes.size(); node++) {
            if (targets.contains(node) && pipelines.isConnected(node)) {
                pipelines.push(node);
            }
        }
        haveRead();
        return time.nanoTime();
    }

    private void haveRead() {
        if (pipelines.isSomethingUnderWay()) {
            reads.within(READING_NANOS);
        }
    }

    /** Reports to a round which of its nodes cannot be asked, and returns the others. */
    private NodeSet whereItGoes(NodeSet targets, String @Nullable [] obstacles, Command command, PendingRound round) {
        NodeSet open = NodeSet.NONE;
        for (int node = 0; node < nodes.size(); node++) {
            if (targets.contains(node)) {
                String obstacle = obstacle(node, obstacles, command);
                if (obstacle == null) {
                    open = open.with(node);
                } else {
                    round.answered(new Answer(node, new Reply.NotSent(obstacle), 0));
                }
            }
        }
        return open;
    }

    /** Returns null if it is to be asked. */
    private @Nullable String obstacle(int node, String @Nullable [] obstacles, Command command) {
        if (!pipelines.isConnected(node) && obstacles != null && obstacles[node] != null) {
            return obstacles[node];
        }
        String reason = missing.whyNotAsked(node); // by now: what was opened may have taken its vote
        reason = reason == null ? pipelines.whyNotSent(node) : reason;
        return reason == null ? nodes.codec(node).whyNotYet(command) : reason;
    }

    @Override
    public void close() {
        close(System.nanoTime() + Math.min(CLOSING_NANOS, connector.nodeTimeoutNanos()));
    }

    @Override
    public void close(long deadline) {
        onClose.accept(this);
        lock.lock();
        try {
            missing.stop();
            pipelines.awaitWhatGoesOn(System::nanoTime, deadline, CLOSING_NANOS);
            pipelines.close("the channel was closed");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isOpen() {
        return !missing.isStopped();
    }

    @Override
    public boolean isUsable() {
        lock.lock();
        try {
            pipelines.readUnawaited();
            for (int node = 0; node < nodes.size(); node++) {
                pipelines.dropIfStale(node);
            }
            haveRead();
            return !missing.isStopped();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void awaitAnswers(long deadline) {
        lock.lock();
        try {
            pipelines.awaitAnswers(time::nanoTime, deadline);
        } finally {
            lock.unlock();
        }
    }
}
