// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.util.List;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Reply;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.script.CallBytes;
import org.holdfast.redis.script.KnownScripts;
import org.holdfast.redis.script.ReplyDecoder;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeErrors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Gives replies to the requests that they belong to, and has a request sent again which the node could not carry out
 * yet.
 *
 * <p>The channel's lock guards everything here. Each method is called with the lock.
 */
final class Replies {

    private final AskedNodes nodes;
    private final KnownScripts scripts;
    private final Calls calls;
    private final Time time;
    private final Sender sender;

    /** Sends to a node, if it is still connected. */
    interface Sender {

        void send(int node, PendingCall call, CallBytes encoded);
    }

    Replies(AskedNodes nodes, KnownScripts scripts, Calls calls, Time time, Sender sender) {
        this.nodes = nodes;
        this.scripts = scripts;
        this.calls = calls;
        this.time = time;
        this.sender = sender;
    }

    /**
     * A node has replied to a call.
     *
     * @param reply what came; a {@link JedisDataException} if that is an error
     * @return why the connection is of no more use; null if it is
     */
    @Nullable
    String replied(int node, NodePipeline pipeline, PendingCall call, Object reply) {
        if (call instanceof PendingRenewals renewals) {
            return replied(node, pipeline, renewals, reply);
        }
        PendingRequest request = (PendingRequest) call;
        if (reply instanceof JedisNoScriptException && !request.again()) {
            scripts.forgotten(node);
            sendSource(node, request);
            return null;
        }
        scripts.answered(node, nodes.codec(node).script(request.command()));
        return take(node, pipeline, request, reply);
    }

    private @Nullable String replied(int node, NodePipeline pipeline, PendingRenewals renewals, Object reply) {
        if (reply instanceof JedisNoScriptException && !renewals.again()) {
            scripts.forgotten(node);
            PendingRenewals again = renewals.sentAgain(time.nanoTime());
            sender.send(node, again, calls.togetherWithSource(node, again));
            return null;
        }
        scripts.answered(node, nodes.codec(node).renewingMany());
        String over = null;
        for (int i = 0; i < renewals.requests().size(); i++) {
            PendingRequest request = renewals.requests().get(i);
            List<?> own = renewals.replyTo(i, reply);
            if (own == null) {
                sendAlone(node, request);
            } else {
                String reason = take(node, pipeline, request, own);
                over = over == null ? reason : over;
            }
        }
        return over;
    }

    /** Sends a request in a call of its own, which is answered, or whose error says where it came. */
    private void sendAlone(int node, PendingRequest request) {
        CallBytes call = calls.usual(node, request.command(), NodeSet.of(node));
        sender.send(node, request.sentAlone(time.nanoTime()), call);
    }

    /** Gives a reply to the request that it belongs to; returns why the connection is of no more use, or null. */
    private @Nullable String take(int node, NodePipeline pipeline, PendingRequest request, Object reply) {
        String over = nodes.whyOver(node, pipeline.connection());
        if (over != null) { // what was done there may be unknown to the process that votes by now
            request.lost(node, over);
            return over;
        }
        String elsewhere = nodes.whyNoVote(node, request.command(), request.sentAt());
        if (elsewhere != null) {
            request.lost(node, elsewhere);
            return null;
        }
        Answer answer = reply instanceof JedisDataException error
                ? new Answer(node, refused(node, request.command(), error), 0)
                : ReplyDecoder.answer(node, reply);
        Answer weighed = nodes.weigh(answer, request.command(), pipeline.term(), request.sentAt());
        if (weighed.reply() instanceof Reply.Ended ended) {
            sendVouching(node, request, ended);
            return null;
        }
        request.round().answered(weighed);
        if (answer.reply() instanceof Reply.Forgotten) {
            return "the node has no birth mark of its own"; // to connect anew sets it
        }
        return nodes.clockMonitor().isDoubted(node) ? nodes.health(node).reason() : null;
    }

    private Reply refused(int node, Command command, JedisDataException error) {
        String reason = Failures.describe(error);
        return new Reply.Refused(
                nodes.explainRefusal(node, nodes.codec(node).explain(command, reason)), NodeErrors.isOfKeys(reason));
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
        sender.send(node, request.sentAgain(time.nanoTime()), calls.withSource(node, request.command()));
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
        PendingRequest again = request.vouching(time.nanoTime());
        sender.send(node, again, calls.vouching(node, request.command(), ended.atMillis()));
    }
}
