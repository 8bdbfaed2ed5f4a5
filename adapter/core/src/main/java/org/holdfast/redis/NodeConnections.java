// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * One connection to each node, and one selector to wait for all of them.
 *
 * <p>No thread of its own: a thread that waits for an answer reads. If several threads wait, one of them, the reader
 * thread, reads for all, and hands over when it has its own answer. So requests of many threads are under way at once
 * on the same connections, and a thread that uses a channel alone waits on nothing but the nodes.
 *
 * <p>A node that has not answered for a node timeout loses its connection here and is suspected; every request that was
 * under way to it is answered with {@link Reply.NoAnswer}. Connections are opened when they are needed.
 */
public final class NodeConnections implements Nodes, AutoCloseable {

    /** How long the rest of an answer may take that is late already. */
    private static final long LEAST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** How long to wait for answers, at the most, when a channel is closed: what is answered need not be sent again. */
    static final long CLOSING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** What one millisecond of the selector's clock may cost us when we compare with the node timeout. */
    private static final long CLOCK_GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final NodeGroup cluster;
    private final NodePipeline[] pipelines;
    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when what has come was read. */
    private final Condition wasRead = lock.newCondition();

    /** The rounds whose threads wait while another thread reads for them. */
    private final ArrayDeque<PendingRound> readFor = new ArrayDeque<>();

    private final Openings openings;
    private Selector selector;
    private boolean reading;
    private long reads;

    /** Whether nothing is sent any more. */
    private volatile boolean closing;

    /** Whether nothing is read any more. */
    private boolean closed;

    NodeConnections(NodeGroup cluster) {
        this.cluster = cluster;
        this.pipelines = new NodePipeline[cluster.size()];
        this.openings = new Openings(cluster, new Opened(), lock);
    }

    @Override
    public int count() {
        return cluster.size();
    }

    @Override
    public String address(int node) {
        return cluster.address(node).toString();
    }

    @Override
    public void prepare() {
        lock.lock();
        try {
            for (int node = 0; node < pipelines.length; node++) {
                dropIfStale(node);
            }
            NodeSet wanted = closing ? NodeSet.NONE : cluster.connectable();
            NodeSet needed = NodeSet.NONE;
            for (int node = 0; node < pipelines.length; node++) {
                if (wanted.contains(node)) {
                    dropIfSetAside(node);
                    needed = pipelines[node] == null ? needed.with(node) : needed;
                }
            }
            open(needed);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isClockSkewed(long wallMicros, long limitMicros) {
        return cluster.clockMonitor().areFarFrom(wallMicros, cluster.time().nanoTime(), limitMicros);
    }

    @Override
    public Round send(Command command, NodeSet targets) {
        lock.lock();
        try {
            String[] obstacles = openWhatIsMissing(targets);
            Round round = writeTo(targets, obstacles, command);
            pushTo(targets);
            return round;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<Round> sendAll(List<? extends Command> commands, NodeSet targets) {
        List<Round> rounds = new ArrayList<>(commands.size());
        lock.lock();
        try {
            String[] obstacles = openWhatIsMissing(targets);
            for (Command command : commands) {
                rounds.add(writeTo(targets, obstacles, command));
            }
            pushTo(targets);
        } finally {
            lock.unlock();
        }
        return rounds;
    }

    private Round writeTo(NodeSet targets, String[] obstacles, Command command) {
        PendingRound round = new PendingRound(this, lock, targets.size());
        NodeSet open = whereItGoes(targets, obstacles, round);
        boolean known = cluster.scripts().areKnown(ScriptCodec.script(command), open);
        CommandArguments encoded = cluster.codec().usual(command, known);
        PendingRequest request =
                new PendingRequest(command, round, cluster.time().nanoTime(), false);
        for (int node = 0; node < pipelines.length; node++) {
            if (open.contains(node)) {
                write(node, request, encoded);
            }
        }
        return round;
    }

    private void pushTo(NodeSet targets) {
        for (int node = 0; node < pipelines.length; node++) {
            if (targets.contains(node) && pipelines[node] != null) {
                push(node);
            }
        }
    }

    /** Opens the connections that targets lack; returns what stands against them by node, or null if none was lacking. */
    private String[] openWhatIsMissing(NodeSet targets) {
        for (int node = 0; node < pipelines.length; node++) {
            if (targets.contains(node)) {
                dropIfStale(node); // may read, and so drop others too: nothing is opened before all were checked
            }
        }
        NodeSet needed = NodeSet.NONE;
        for (int node = 0; node < pipelines.length; node++) {
            if (targets.contains(node) && pipelines[node] == null && whyNotAsked(node) == null) {
                needed = needed.with(node);
            }
        }
        return open(needed);
    }

    /** Opens what is needed, and with it whatever else is missing: it will be needed soon, and may hang as well. */
    private String[] open(NodeSet needed) {
        if (needed.isEmpty()) {
            return null;
        }
        NodeSet missing = needed;
        for (int node = 0; node < pipelines.length; node++) {
            if (pipelines[node] == null && cluster.health(node).isAsked()) {
                missing = missing.with(node);
            }
        }
        try {
            if (selector == null) {
                selector = Selector.open();
            }
            return openings.open(missing, needed);
        } catch (IOException e) {
            String[] obstacles = new String[pipelines.length];
            Arrays.fill(obstacles, Failures.describe(cluster.localFailure(e)));
            return obstacles;
        }
    }

    /** Reports to a round which of its nodes cannot be asked, and returns the others. */
    private NodeSet whereItGoes(NodeSet targets, String[] obstacles, PendingRound round) {
        NodeSet open = NodeSet.NONE;
        for (int node = 0; node < pipelines.length; node++) {
            if (targets.contains(node)) {
                String obstacle = obstacle(node, obstacles);
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
    private String obstacle(int node, String[] obstacles) {
        if (pipelines[node] == null && obstacles != null && obstacles[node] != null) {
            return obstacles[node];
        }
        String reason = whyNotAsked(node); // by now: what was opened may have taken its vote
        return reason == null && pipelines[node] == null ? "the connection to it was lost just now" : reason;
    }

    /** Returns null if it may be asked. */
    private String whyNotAsked(int node) {
        if (closing) {
            return "this channel is closed";
        }
        return cluster.health(node).isAsked() ? null : cluster.health(node).reason();
    }

    /** Takes the connections that were opened. */
    private final class Opened implements Openings.Owner {

        @Override
        public void opened(int node, NodeConnection connection) {
            if (closing) {
                connection.abandon();
                return;
            }
            connection.register(selector, node);
            pipelines[node] = new NodePipeline(connection, cluster.time().nanoTime());
            if (reading) {
                selector.wakeup(); // the thread that reads does not know of the new connection yet
            }
        }

        @Override
        public boolean isQuorumConnected() {
            int connected = 0;
            for (NodePipeline pipeline : pipelines) {
                connected += pipeline == null ? 0 : 1;
            }
            return connected > pipelines.length / 2;
        }
    }

    /** A connection from before the node was set aside proves nothing: a new connection inspects the node. */
    private void dropIfSetAside(int node) {
        if (pipelines[node] != null && !cluster.health(node).isAsked()) {
            fail(node, cluster.health(node).reason());
        }
    }

    private void dropIfStale(int node) {
        NodePipeline pipeline = pipelines[node];
        if (pipeline == null) {
            return;
        }
        long now = cluster.time().nanoTime();
        if (pipeline.isClosedByNode(now)) {
            fail(node, "the node closed the connection");
        } else if (isOverdue(pipeline, now)) {
            readWhatHasCome();
            dropIfOverdue(node);
        }
    }

    private boolean isOverdue(NodePipeline pipeline, long now) {
        return pipeline.isOverdue(now, cluster.nodeTimeoutNanos() - CLOCK_GRAIN_NANOS);
    }

    private void dropIfOverdue(int node) {
        NodePipeline pipeline = pipelines[node];
        if (pipeline != null && isOverdue(pipeline, cluster.time().nanoTime())) {
            String reason = "no answer for " + TimeUnit.NANOSECONDS.toMillis(cluster.nodeTimeoutNanos()) + " ms";
            fail(node, reason);
            cluster.health(node).failed(reason);
        }
    }

    private void write(int node, PendingRequest request, CommandArguments encoded) {
        try {
            pipelines[node].write(request, encoded);
        } catch (RuntimeException | OutOfMemoryError e) { // perhaps after a part of it: nothing may follow that
            fail(node, Failures.describe(e));
        }
    }

    private void push(int node) {
        try {
            pipelines[node].push();
        } catch (RuntimeException | OutOfMemoryError e) {
            fail(node, Failures.describe(e));
        }
    }

    /** Gives up a connection: nothing that is under way on it will be answered. */
    private void fail(int node, String reason) {
        NodePipeline pipeline = pipelines[node];
        pipelines[node] = null;
        pipeline.abandon(node, reason);
        wasRead.signalAll();
        if (reading) {
            selector.wakeup(); // the reader thread may have got its answer just now
        }
    }

    /**
     * Waits until something may have changed for the round. Called with the lock.
     *
     * @return false if the deadline has passed: what has come by then counts, and overdue connections are given up
     */
    boolean awaitChange(PendingRound round, long deadline) {
        long left = deadline - cluster.time().nanoTime();
        if (left <= 0) {
            readWhatHasCome();
            for (int node = 0; node < pipelines.length; node++) {
                dropIfOverdue(node);
            }
            return false;
        }
        if (reading) {
            awaitReader(round, left);
        } else {
            select(left);
        }
        return true;
    }

    private void awaitReader(PendingRound round, long nanos) {
        readFor.addLast(round);
        try {
            round.changed().awaitNanos(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // a change all the same: the round sees to it
        } finally {
            readFor.remove(round);
        }
    }

    /** A thread that has its answer stops reading: if no other one reads, a waiting one must. Called with the lock. */
    void passOnReading() {
        PendingRound next = reading ? null : readFor.peekFirst();
        if (next != null) {
            next.changed().signal();
        }
    }

    /** Waits until something has come, so long at the most, and reads it. Called with the lock, waits without. */
    private void select(long nanos) {
        reading = true;
        lock.unlock();
        try {
            selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos + 999_999)));
        } catch (ClosedSelectorException e) {
            // the channel was closed meanwhile: every request has its answer by now
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.lock();
            reading = false;
            readSelected();
            wasRead.signalAll();
        }
    }

    /** Reads what has come, without waiting for more. */
    private void readWhatHasCome() {
        if (selector == null || closed) {
            return;
        }
        if (reading) {
            letReaderRead();
            return;
        }
        try {
            selector.selectNow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        readSelected();
    }

    /** Makes the reader thread read at once, so that no node is found overdue while its answer lies unread. */
    private void letReaderRead() {
        long seen = reads;
        selector.wakeup();
        while (reading && reads == seen && !closed) {
            wasRead.awaitUninterruptibly();
        }
    }

    private void readSelected() {
        reads++;
        if (closed) {
            return;
        }
        Set<SelectionKey> ready = selector.selectedKeys();
        for (SelectionKey key : ready) {
            int node = (Integer) key.attachment();
            if (key.isValid() && pipelines[node] != null) {
                readAll(node);
            }
        }
        ready.clear();
    }

    private void readAll(int node) {
        NodePipeline pipeline = pipelines[node];
        do {
            readOne(node, pipeline);
        } while (pipelines[node] == pipeline && pipeline.hasBuffered());
    }

    /**
     * How long to wait for the rest of an answer that has begun to come. Nothing else is read meanwhile, so an answer that comes
     * byte by byte may take no longer than one that does not come: a node that answers each request so slowly would hold up the
     * others for as long as it is asked.
     */
    private long patience(PendingRequest request) {
        long left = cluster.nodeTimeoutNanos() - (cluster.time().nanoTime() - request.sentAt());
        return Math.max(left, LEAST_PATIENCE_NANOS);
    }

    private void readOne(int node, NodePipeline pipeline) {
        PendingRequest request = pipeline.oldest();
        if (request == null) {
            fail(node, "the node closed the connection or sent what nobody asked for");
            return;
        }
        Object reply;
        try {
            reply = pipeline.read(patience(request));
        } catch (JedisDataException e) {
            reply = e;
        } catch (RuntimeException | OutOfMemoryError e) { // lost, or read in part: what follows would be misread
            fail(node, Failures.describe(e));
            if (Failures.innermost(e) instanceof SocketTimeoutException) { // it hangs, though it began to answer
                cluster.health(node).failed(Failures.describe(e));
            }
            return;
        }
        pipeline.dropOldest(); // whatever comes of it
        if (reply instanceof JedisNoScriptException && !request.again()) {
            cluster.scripts().forgotten(node);
            sendSource(node, request);
            return;
        }
        cluster.scripts().answered(node, ScriptCodec.script(request.command()));
        Answer answer = reply instanceof JedisDataException error
                ? new Answer(node, new Reply.Refused(ScriptCodec.explain(request.command(), error.getMessage())), 0)
                : ScriptCodec.answer(node, reply);
        request.round().answered(cluster.weigh(answer, request.command(), request.sentAt()));
        if (answer.reply() instanceof Reply.Forgotten) {
            fail(node, "the node has lost its birth mark"); // to connect anew sets it
        } else if (cluster.clockMonitor().isDoubted(node)) {
            fail(node, cluster.health(node).reason());
        }
    }

    /**
     * Sends a request again, with the script that the node does not know.
     *
     * <p>An acquisition whose caller no longer waits is not sent again: its release may have been sent already, and the
     * acquisition would come after it. Its script is only made known, for the next one. A renewal may be sent again: a
     * lease that is released leaves a tombstone, which refuses the renewal.
     */
    private void sendSource(int node, PendingRequest request) {
        boolean tooLate =
                request.command() instanceof Command.Acquire && request.round().isLeft();
        ScriptCodec codec = cluster.codec();
        PendingRequest again = new PendingRequest(
                request.command(), request.round(), cluster.time().nanoTime(), true);
        write(node, again, tooLate ? codec.load(request.command()) : codec.bySource(request.command()));
        if (pipelines[node] != null) {
            push(node);
        }
    }

    /**
     * Closes the connections. Waits for what is under way, for 100 ms and a node timeout at the most; what has not come by then
     * is answered with {@link Reply.NoAnswer}. An interrupt ends the wait, and stays set.
     */
    @Override
    public void close() {
        close(System.nanoTime() + Math.min(CLOSING_NANOS, cluster.nodeTimeoutNanos()));
    }

    /** @param deadline on the scale of {@link System#nanoTime()} */
    void close(long deadline) {
        cluster.closed(this);
        lock.lock();
        try {
            closing = true;
            awaitAnswers(System::nanoTime, deadline);
            closed = true;
            for (int node = 0; node < pipelines.length; node++) {
                if (pipelines[node] != null) {
                    fail(node, "the channel was closed");
                }
            }
            if (selector != null) {
                selector.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether this channel can still be used, without a check of its connections. */
    public boolean isOpen() {
        return !closing;
    }

    /**
     * Reads the answers that have come and no caller waits for, drops connections that their nodes have closed, and
     * returns whether this channel can still be used. Such an answer may report that a node does not know a script,
     * which must then be sent to it.
     */
    public boolean isUsable() {
        lock.lock();
        try {
            if (!reading && isSomethingUnderWay()) { // else another thread reads
                readWhatHasCome();
            }
            for (int node = 0; node < pipelines.length; node++) {
                dropIfStale(node);
            }
            return !closing;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until every request has its answer, or its node is given up.
     *
     * @param deadline when to stop waiting; an interrupt stops it too, and stays set
     */
    public void awaitAnswers(long deadline) {
        lock.lock();
        try {
            awaitAnswers(cluster.time()::nanoTime, deadline);
        } finally {
            lock.unlock();
        }
    }

    private void awaitAnswers(LongSupplier clock, long deadline) {
        try {
            long left = deadline - clock.getAsLong();
            while (!closed
                    && left > 0
                    && isSomethingUnderWay()
                    && !Thread.currentThread().isInterrupted()) {
                if (reading) {
                    wasRead.awaitNanos(left);
                } else {
                    select(left);
                }
                left = deadline - clock.getAsLong();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isSomethingUnderWay() {
        for (NodePipeline pipeline : pipelines) {
            if (pipeline != null && pipeline.isSomethingUnderWay()) {
                return true;
            }
        }
        return false;
    }
}
