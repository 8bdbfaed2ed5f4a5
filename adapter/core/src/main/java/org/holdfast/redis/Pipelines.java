// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.LongSupplier;
import org.holdfast.protocol.env.Time;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.script.CallBytes;
import org.holdfast.redis.script.KnownScripts;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeConnection;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Reads the replies on the open connections of a channel, and drops connections that are of no more use.
 *
 * <p>A node that has not answered for a node timeout loses its connection here and is suspected; every request that was
 * under way to it is answered with {@code NoAnswer}. The channel's lock guards everything here. Each method is
 * called with the lock.
 */
final class Pipelines implements PendingRound.Reader {

    /** What one millisecond of the selector's clock may cost us when we compare with the node timeout. */
    private static final long CLOCK_GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final String LOST = "the connection to it was lost just now";
    private static final String NOT_READ = "the thread that reads its answers was woken and has not run for a second";

    private final AskedNodes nodes;
    private final VoterConnector connector;
    private final Time time;
    private final SharedReader reader;
    private final Replies replies;
    private final NodePipeline[] pipelines;

    /** @param lock the channel's */
    Pipelines(AskedNodes nodes, VoterConnector connector, KnownScripts scripts, Calls calls, Time time, Lock lock) {
        this.nodes = nodes;
        this.connector = connector;
        this.replies = new Replies(nodes, scripts, calls, time, this::send);
        this.time = time;
        this.reader = new SharedReader(lock, this::readAll, this::sendUnsent, () -> failAll(NOT_READ));
        this.pipelines = new NodePipeline[nodes.size()];
    }

    void requireSelector() throws IOException {
        reader.requireSelector();
    }

    /** Takes a new connection. The selector may have been given up while it was opened. */
    void add(int node, NodeConnection connection) {
        try {
            reader.requireSelector();
        } catch (IOException e) { // there is no file for another one: the next request opens a connection again
            connection.abandon();
            return;
        }
        NodePipeline pipeline = new NodePipeline(connection, time.nanoTime());
        reader.add(connection, node);
        pipelines[node] = pipeline;
    }

    boolean isConnected(int node) {
        return pipelines[node] != null;
    }

    boolean isQuorumConnected() {
        int connected = 0;
        for (NodePipeline pipeline : pipelines) {
            connected += pipeline == null ? 0 : 1;
        }
        return connected > pipelines.length / 2;
    }

    /** Reads nothing any more. */
    void close(String reason) throws IOException {
        reader.stop();
        failAll(reason);
        reader.close();
    }

    private void failAll(String reason) {
        for (int node = 0; node < pipelines.length; node++) {
            try {
                if (pipelines[node] != null) {
                    fail(node, reason);
                }
            } catch (OutOfMemoryError e) {
                Thread.onSpinWait(); // its callers wait until their deadlines, and the others are to be told
            }
        }
    }

    /** A connection from before the node was set aside proves nothing: a new connection inspects the node. */
    void dropIfSetAside(int node) {
        if (pipelines[node] != null && !nodes.health(node).isAsked()) {
            fail(node, nodes.health(node).reason());
        }
    }

    /**
     * Drops a connection that its node has closed, on which an answer is overdue, or that leads to a process which is
     * not known to be the voter any more.
     */
    void dropIfStale(int node) {
        NodePipeline pipeline = pipelines[node];
        if (pipeline == null) {
            return;
        }
        long now = time.nanoTime();
        String over = nodes.whyOver(node, pipeline.connection());
        if (over != null) {
            fail(node, over);
        } else if (pipeline.isClosedByNode(now)) {
            fail(node, "the node closed the connection");
        } else if (isOverdue(pipeline, now)) {
            reader.readWhatHasCome();
            dropIfOverdue(node);
        }
    }

    private boolean isOverdue(NodePipeline pipeline, long now) {
        return pipeline.isOverdue(now, silence());
    }

    /** Returns for how long a node may be silent. */
    private long silence() {
        return connector.nodeTimeoutNanos() - CLOCK_GRAIN_NANOS;
    }

    /** Returns why nothing more can be sent to a node now; null if something can. */
    @Nullable
    String whyNotSent(int node) {
        if (pipelines[node] != null && pipelines[node].isFull()) {
            sendUnsent(node); // it may take more by now
        }
        NodePipeline pipeline = pipelines[node];
        if (pipeline == null) {
            return LOST;
        }
        return pipeline.isFull() ? "it takes too little of what was sent to it before" : null;
    }

    private void dropIfOverdue(int node) {
        NodePipeline pipeline = pipelines[node];
        if (pipeline != null && isOverdue(pipeline, time.nanoTime())) {
            String reason = "no answer for " + TimeUnit.NANOSECONDS.toMillis(connector.nodeTimeoutNanos()) + " ms";
            fail(node, reason);
            nodes.health(node).failed(reason);
        }
    }

    /** Writes a call to a node that was connected just now; {@link #push} sends it. */
    void write(int node, PendingCall call, CallBytes encoded) {
        NodePipeline pipeline = pipelines[node];
        if (pipeline == null) {
            call.lost(node, LOST);
            return;
        }
        try {
            pipeline.write(call, nodes.codec(node).seenAs(pipeline.process(), call.command(), encoded));
        } catch (RuntimeException | OutOfMemoryError e) { // perhaps after a part of it: nothing may follow that
            lose(node, e);
        }
    }

    private void send(int node, PendingCall call, CallBytes encoded) {
        write(node, call, encoded);
        if (pipelines[node] != null) {
            push(node);
        }
    }

    void push(int node) {
        try {
            NodePipeline pipeline = pipelines[node];
            pipeline.push(time.nanoTime(), silence());
            if (pipeline.hasUnsent()) {
                reader.sendLater(pipeline.connection());
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            lose(node, e);
        }
    }

    private void sendUnsent(int node) {
        NodePipeline pipeline = pipelines[node];
        if (pipeline == null) {
            return; // it was dropped meanwhile
        }
        try {
            if (pipeline.sendUnsent(time.nanoTime(), silence())) {
                reader.sendNoMore(pipeline.connection());
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            lose(node, e);
        }
    }

    private void lose(int node, Throwable failure) {
        fail(node, Failures.describe(failure));
    }

    /** Gives up a connection: nothing that is under way on it will be answered. */
    private void fail(int node, String reason) {
        NodePipeline pipeline = pipelines[node];
        pipelines[node] = null;
        pipeline.abandon(node, reason);
        reader.answered();
    }

    @Override
    public boolean awaitChange(PendingRound round, long deadline) {
        long left = deadline - time.nanoTime();
        if (left <= 0) {
            reader.readWhatHasCome();
            for (int node = 0; node < pipelines.length; node++) {
                dropIfOverdue(node);
            }
            return false;
        }
        reader.await(round, left);
        return true;
    }

    @Override
    public void passOnReading() {
        reader.passOn();
    }

    /** Reads the answers that have come and no caller waits for, unless another thread reads. */
    void readUnawaited() {
        if (!reader.isReading() && isSomethingUnderWay()) {
            reader.readWhatHasCome();
        }
    }

    /**
     * Waits until every request has its answer, or its node is given up.
     *
     * @param deadline when to stop waiting, by the clock; an interrupt stops it too, and stays set
     */
    void awaitAnswers(LongSupplier clock, long deadline) {
        try {
            long left = deadline - clock.getAsLong();
            while (!reader.isStopped()
                    && left > 0
                    && isSomethingUnderWay()
                    && !Thread.currentThread().isInterrupted()) {
                reader.awaitAny(left);
                left = deadline - clock.getAsLong();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits like that, and for longer while nodes take what was sent or answer it: four node timeouts more at the most.
     *
     * @param pause for so long nothing may happen then
     */
    void awaitWhatGoesOn(LongSupplier clock, long deadline, long pause) {
        long latest = deadline + NodePipeline.TAKING * connector.nodeTimeoutNanos();
        long until = deadline;
        long before;
        do {
            before = progress();
            awaitAnswers(clock, until);
            long next = clock.getAsLong() + pause;
            until = next - latest < 0 ? next : latest;
        } while (progress() != before && isSomethingUnderWay() && clock.getAsLong() - latest < 0);
        if (isSomethingUnderWay()) {
            reader.readWhatHasCome(); // this thread may have stood still until the deadline
        }
    }

    private long progress() {
        long progress = 0;
        for (NodePipeline pipeline : pipelines) {
            progress += pipeline == null ? 0 : pipeline.progress();
        }
        return progress;
    }

    private void readAll(int node) {
        NodePipeline pipeline = pipelines[node];
        if (pipeline == null) {
            return; // it was dropped meanwhile
        }
        boolean read = true;
        while (read && pipelines[node] == pipeline) {
            read = readOne(node, pipeline) && pipeline.hasBuffered();
        }
    }

    /**
     * Reads an answer if it has come. The rest of one that has come in part is not waited for: the lock is held, and
     * other nodes answer.
     */
    private boolean readOne(int node, NodePipeline pipeline) {
        PendingCall call = pipeline.oldest();
        if (call == null) {
            fail(node, "the node closed the connection or sent what was not asked for");
            return false;
        }
        Object reply;
        try {
            reply = pipeline.poll();
        } catch (JedisDataException e) {
            reply = e;
        } catch (RuntimeException | OutOfMemoryError e) { // lost, or read in part: what follows would be misread
            lose(node, e);
            return false;
        }
        if (reply == NodeConnection.INCOMPLETE) {
            return false;
        }
        pipeline.dropOldest(); // whatever comes of it
        String over = replies.replied(node, pipeline, call, reply);
        if (over != null && pipelines[node] == pipeline) {
            fail(node, over);
        }
        return true;
    }

    /** Returns whether a request waits for its answer. */
    boolean isSomethingUnderWay() {
        for (NodePipeline pipeline : pipelines) {
            if (pipeline != null && pipeline.isSomethingUnderWay()) {
                return true;
            }
        }
        return false;
    }
}
