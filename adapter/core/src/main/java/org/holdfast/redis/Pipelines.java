// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.script.KnownScripts;
import org.holdfast.redis.script.ReplyDecoder;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeConnection;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Gives each reply on the open connections of a channel to the round that it belongs to, and drops connections that are
 * of no more use.
 *
 * <p>A node that has not answered for a node timeout loses its connection here and is suspected; every request that was
 * under way to it is answered with {@link Reply.NoAnswer}. The channel's lock guards everything here. Each method is
 * called with the lock.
 */
final class Pipelines implements PendingRound.Reader {

    /** How long the rest of an answer may take that is late already. */
    private static final long LEAST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** What one millisecond of the selector's clock may cost us when we compare with the node timeout. */
    private static final long CLOCK_GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final AskedNodes nodes;
    private final VoterConnector connector;
    private final KnownScripts scripts;
    private final Time time;
    private final SharedReader reader;
    private final NodePipeline[] pipelines;

    /** @param lock the channel's */
    Pipelines(AskedNodes nodes, VoterConnector connector, KnownScripts scripts, Time time, ReentrantLock lock) {
        this.nodes = nodes;
        this.connector = connector;
        this.scripts = scripts;
        this.time = time;
        this.reader = new SharedReader(lock, this::readAll);
        this.pipelines = new NodePipeline[nodes.size()];
    }

    /** Makes sure that there is a selector, before there is a connection. */
    void requireSelector() throws IOException {
        reader.requireSelector();
    }

    /** Takes a new connection. */
    void add(int node, NodeConnection connection) {
        reader.add(connection, node);
        pipelines[node] = new NodePipeline(connection, time.nanoTime());
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

    /** Reads nothing any more, and gives up every connection. */
    void close(String reason) throws IOException {
        reader.stop();
        for (int node = 0; node < pipelines.length; node++) {
            if (pipelines[node] != null) {
                fail(node, reason);
            }
        }
        reader.close();
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
        return pipeline.isOverdue(now, connector.nodeTimeoutNanos() - CLOCK_GRAIN_NANOS);
    }

    private void dropIfOverdue(int node) {
        NodePipeline pipeline = pipelines[node];
        if (pipeline != null && isOverdue(pipeline, time.nanoTime())) {
            String reason = "no answer for " + TimeUnit.NANOSECONDS.toMillis(connector.nodeTimeoutNanos()) + " ms";
            fail(node, reason);
            nodes.health(node).failed(reason);
        }
    }

    /** Writes a request to a node that is connected; {@link #push} sends it. */
    void write(int node, PendingRequest request, CommandArguments encoded) {
        try {
            NodePipeline pipeline = pipelines[node];
            pipeline.write(request, nodes.codec(node).seenAs(pipeline.process(), request.command(), encoded));
        } catch (RuntimeException | OutOfMemoryError e) { // perhaps after a part of it: nothing may follow that
            fail(node, Failures.describe(e));
        }
    }

    void push(int node) {
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

    private void readAll(int node) {
        NodePipeline pipeline = pipelines[node];
        if (pipeline == null) {
            return; // it was dropped meanwhile
        }
        do {
            readOne(node, pipeline);
        } while (pipelines[node] == pipeline && pipeline.hasBuffered());
    }

    /**
     * How long to wait for the rest of an answer that has begun to come. Nothing else is read meanwhile, so an answer
     * that comes byte by byte may take no longer than one that does not come: a node that answers each request so
     * slowly would hold up the others for as long as it is asked.
     */
    private long patience(PendingRequest request) {
        long left = connector.nodeTimeoutNanos() - (time.nanoTime() - request.sentAt());
        return Math.max(left, LEAST_PATIENCE_NANOS);
    }

    private void readOne(int node, NodePipeline pipeline) {
        PendingRequest request = pipeline.oldest();
        if (request == null) {
            fail(node, "the node closed the connection or sent what was not asked for");
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
                nodes.health(node).failed(Failures.describe(e));
            }
            return;
        }
        pipeline.dropOldest(); // whatever comes of it
        if (reply instanceof JedisNoScriptException && !request.again()) {
            scripts.forgotten(node);
            sendSource(node, request);
            return;
        }
        String over = nodes.whyOver(node, pipeline.connection());
        if (over != null) { // what was done there may be unknown to the process that votes by now
            request.round().answered(new Answer(node, new Reply.NoAnswer(over), 0));
            fail(node, over);
            return;
        }
        scripts.answered(node, nodes.codec(node).script(request.command()));
        String elsewhere = nodes.whyNoVote(node, request.command(), request.sentAt());
        if (elsewhere != null) {
            request.round().answered(new Answer(node, new Reply.NoAnswer(elsewhere), 0));
            return;
        }
        Answer answer = reply instanceof JedisDataException error
                ? new Answer(node, new Reply.Refused(explain(node, request.command(), error)), 0)
                : ReplyDecoder.answer(node, reply);
        Answer weighed = nodes.weigh(answer, request.command(), pipeline.term(), request.sentAt());
        if (weighed.reply() instanceof Reply.Ended ended) {
            sendVouching(node, request, ended);
            return;
        }
        request.round().answered(weighed);
        if (answer.reply() instanceof Reply.Forgotten) {
            fail(node, "the node has no birth mark of its own"); // to connect anew sets it
        } else if (nodes.clockMonitor().isDoubted(node)) {
            fail(node, nodes.health(node).reason());
        }
    }

    private String explain(int node, Command command, JedisDataException error) {
        return nodes.explainRefusal(node, nodes.codec(node).explain(command, Failures.describe(error)));
    }

    /**
     * Sends a request again, with the script that the node does not know.
     *
     * <p>An acquisition whose caller no longer waits is not sent again: its release may have been sent already, and the
     * acquisition would come after it. It took nothing. A renewal may be sent again: a lease that is released leaves a
     * tombstone, which refuses the renewal.
     */
    private void sendSource(int node, PendingRequest request) {
        if (request.isTooLate()) {
            request.round().answered(new Answer(node, new Reply.Held(1), 0));
            return;
        }
        Command command = request.command();
        CommandArguments call = shortening(node, command, false)
                .orElseGet(() -> nodes.codec(node).bySource(command));
        write(node, request.sentAgain(time.nanoTime()), call);
        pushIfConnected(node);
    }

    /**
     * Returns the call of a command by which a lock may end earlier; empty for other commands. By a clock that is
     * behind it would end too early: so each node receives what its clock shows at the least.
     *
     * @param known whether the node knows the script, as far as is known here
     */
    Optional<CommandArguments> shortening(int node, Command command, boolean known) {
        return command instanceof Command.Renew renewal && renewal.last()
                ? Optional.of(nodes.codec(node).shortening(renewal, nodes.earliestMillis(node), known))
                : Optional.empty();
    }

    /**
     * Sends a request again that met a lease which has ended by the clock of its node, and vouches for that clock. What
     * it meets then is a lease that was renewed meanwhile, or was taken by another owner.
     */
    private void sendVouching(int node, PendingRequest request, Reply.Ended ended) {
        if (request.vouched() || request.isTooLate()) {
            request.round().answered(new Answer(node, new Reply.Held(1), 0));
            return;
        }
        write(node, request.vouching(time.nanoTime()), nodes.codec(node).vouching(request.command(), ended.atMillis()));
        pushIfConnected(node);
    }

    private void pushIfConnected(int node) {
        if (pipelines[node] != null) {
            push(node);
        }
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
