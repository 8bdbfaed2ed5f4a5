// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.holdfast.redis.script.CallBytes;
import org.holdfast.redis.wire.NodeConnection;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.RedisOutputStream;

/**
 * One connection of a channel to one node, with the calls whose replies are still to come.
 *
 * <p>Redis answers a connection in the order in which it was asked: the next reply belongs to the oldest call, also
 * when its caller no longer waits. Guarded by the channel's lock.
 */
final class NodePipeline {

    /** A connection that was idle for longer is checked before it is used: its peer may have closed it. */
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** For so many node timeouts a node may take requests without an answer. */
    static final int TAKING = 4;

    private final NodeConnection connection;
    private final RedisOutputStream requests;
    private final ArrayDeque<PendingCall> inFlight = new ArrayDeque<>();
    private long lastUsed;

    /** How much the node has taken of what its socket had not taken at once, and when it was seen to take more. */
    private long taken;

    private long tookAt;

    /** Since when it has taken more and more, and this process has looked. */
    private long takingSince;

    NodePipeline(NodeConnection connection, long now) {
        this.connection = connection;
        this.requests = new RedisOutputStream(connection.outgoing());
        this.lastUsed = now;
        this.tookAt = now;
        this.takingSince = now;
    }

    /**
     * Writes a call, which {@link #push} sends. If it throws, a part may have been written: nothing may follow
     * that.
     */
    void write(PendingCall call, CallBytes encoded) {
        inFlight.addLast(call);
        lastUsed = call.sentAt();
        try {
            encoded.writeTo(requests);
        } catch (IOException e) {
            throw new JedisConnectionException(e);
        }
    }

    NodeConnection connection() {
        return connection;
    }

    /** Returns which of the processes it leads to that its voter has been. */
    int term() {
        return connection.term();
    }

    /** Returns which process has answered when the node was looked at on it; empty if it was not. */
    String process() {
        return connection.process();
    }

    /**
     * Sends what was written.
     *
     * @param silence after how much of it a node hangs
     */
    void push(long now, long silence) {
        try {
            requests.flush();
        } catch (IOException e) {
            throw new JedisConnectionException(e);
        }
        noteTaken(now, silence);
    }

    private void noteTaken(long now, long silence) {
        long byNow = connection.taken();
        if (byNow != taken) {
            takingSince = now - tookAt >= silence ? now : takingSince; // it was not looked at: this process stood still
            taken = byNow;
            tookAt = now;
        }
    }

    /** Returns whether the node has not taken so much of what was sent that no more is to be sent. */
    boolean isFull() {
        return connection.isFull();
    }

    /** Returns whether something was sent that the node has not taken. */
    boolean hasUnsent() {
        return connection.hasUnsent();
    }

    /** Returns what the next reply belongs to; null if there is nothing. */
    PendingCall oldest() {
        return inFlight.peekFirst();
    }

    /** Returns the next reply, or {@link NodeConnection#INCOMPLETE} if it has not come as a whole. */
    Object poll() {
        return connection.poll();
    }

    /** The oldest call has its reply: the next reply is to the next call. */
    void dropOldest() {
        inFlight.pollFirst();
    }

    /** Returns whether more than the reply that was read has come already: a selector does not know of that. */
    boolean hasBuffered() {
        return connection.hasBuffered();
    }

    /** Returns a number that grows with what the node takes and answers, while nothing more is asked. */
    long progress() {
        return connection.taken() - inFlight.size();
    }

    boolean isSomethingUnderWay() {
        return !inFlight.isEmpty();
    }

    /** Sends of what the node has not taken before what it takes now; returns whether that was all. */
    boolean sendUnsent(long now, long silence) {
        boolean all = connection.sendUnsent();
        noteTaken(now, silence);
        return all;
    }

    /**
     * Returns whether the oldest call has waited for its reply for so long. A node that goes on taking requests has not
     * had so long for those that it took last; but it may not go on for ever. While this process stands still it does
     * not go on.
     */
    boolean isOverdue(long now, long silence) {
        PendingCall oldest = inFlight.peekFirst();
        if (oldest == null) {
            return false;
        }
        long waited = now - oldest.answerableSince();
        long taking = Math.min(waited, now - takingSince);
        return waited >= silence && (now - tookAt >= silence || taking >= TAKING * silence);
    }

    /** Returns whether the node has closed the connection, which is checked if it was idle for long. */
    boolean isClosedByNode(long now) {
        if (isSomethingUnderWay() || now - lastUsed <= IDLE_NANOS) {
            return false;
        }
        if (connection.isUnusable()) {
            return true;
        }
        lastUsed = now;
        return false;
    }

    /** Closes the connection without notice to the node: nothing that is under way on it will be answered. */
    void abandon(int node, String reason) {
        connection.abandon();
        for (PendingCall call = inFlight.pollFirst(); call != null; call = inFlight.pollFirst()) {
            tellLost(call, node, reason);
        }
    }

    private static void tellLost(PendingCall call, int node, String reason) {
        try {
            call.lost(node, reason);
        } catch (OutOfMemoryError e) {
            // its callers wait until their deadlines; those of the other calls need not
        }
    }
}
