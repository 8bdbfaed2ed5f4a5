// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;

/**
 * Releases that a node has not confirmed, kept until it has.
 *
 * <p>Time alone ends none of them. A node that hangs runs what lies in its sockets when it resumes, also an acquisition
 * that was given up long ago, and the lock would last for a whole TTL from then. Only where a node answers each time
 * with an error, a release is given up when the TTL has passed since the first error.
 *
 * <p>Bounded: when a node's list is full the oldest is dropped, and its lock ends with its TTL.
 */
public final class UnfinishedReleases {

    /** At the TTL of 30 s, 300 releases a second that one node misses. */
    private static final int MOST_PER_NODE = 10_000;

    /** A release that was not confirmed is sent again so much later. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** So often at the most a node that does not confirm is asked to. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How long to wait for a node: renewals wait for the thread that sends again. */
    private static final long BRIEF_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Time time;
    private final WakeUp sweeps;
    private final List<LinkedBlockingDeque<Unfinished>> byNode = new ArrayList<>();

    /** The nodes that have confirmed a release after it was waited for. */
    private final Set<Integer> answering = ConcurrentHashMap.newKeySet();

    /** @param sweeps has {@link #retry} called in time */
    public UnfinishedReleases(Time time, int nodes, WakeUp sweeps) {
        this.time = time;
        this.sweeps = sweeps;
        for (int node = 0; node < nodes; node++) {
            byNode.add(new LinkedBlockingDeque<>(MOST_PER_NODE));
        }
    }

    /**
     * @param refusedAt when the node first answered with an error
     */
    private record Unfinished(Command.Release release, OptionalLong refusedAt) {

        boolean isOver(long now) {
            long ttl = TimeUnit.MILLISECONDS.toNanos(release.claim().ttlMillis());
            return refusedAt.isPresent() && now - refusedAt.getAsLong() > ttl;
        }
    }

    int nodes() {
        return byNode.size();
    }

    /** Keeps a release that a node has not confirmed with this answer. */
    void addUnlessConfirmed(Answer answer, Command.Release release) {
        Reply reply = answer.reply();
        if (reply instanceof Reply.NoAnswer || reply instanceof Reply.NotSent || reply instanceof Reply.Refused) {
            add(answer.node(), release);
        }
    }

    /**
     * Keeps the release of an attempt that a node has not confirmed with this answer. One that was not sent is not
     * behind the acquisition, which may still lie on its connection: so the node is to refuse that from now on.
     */
    void addUnlessUndone(Answer answer, Claim claim) {
        boolean sent = !(answer.reply() instanceof Reply.NotSent);
        addUnlessConfirmed(answer, sent ? Command.Release.ofAttempt(claim) : Command.Release.ofLostAttempt(claim));
    }

    void add(NodeSet nodes, Command.Release release) {
        for (int node = 0; node < byNode.size(); node++) {
            if (nodes.contains(node)) {
                add(node, release);
            }
        }
    }

    void add(int node, Command.Release release) {
        add(node, new Unfinished(release, OptionalLong.empty()));
        sweeps.within(PAUSE_NANOS);
    }

    private void add(int node, Unfinished unfinished) {
        LinkedBlockingDeque<Unfinished> list = byNode.get(node);
        while (!list.offerLast(unfinished)) {
            list.pollFirst();
        }
    }

    /**
     * Sends each node again the releases that it has not confirmed: one first, and the others if that one is confirmed.
     * If that takes longer than 10 ms, they are sent at the next call.
     *
     * @param deadline until when to wait at the most
     */
    public void retry(Nodes nodes, long deadline) {
        boolean more = false;
        for (int node = 0; node < byNode.size(); node++) {
            if (answering.remove(node) || retryNext(nodes, node, deadline)) {
                sendBatch(nodes, node);
                more |= !byNode.get(node).isEmpty();
            }
        }
        if (size() > 0) {
            sweeps.within(more ? PAUSE_NANOS : RETRY_NANOS);
        }
    }

    /**
     * Sends them again and again, until all are confirmed or no more of them are: nodes may have come back, and will
     * get no later request.
     *
     * @param answers waits for the answers to what is under way, until a moment at the most
     * @param until when to stop
     */
    public void retryAll(Nodes nodes, LongConsumer answers, long until) {
        int before = Integer.MAX_VALUE;
        for (int left = size(); left > 0 && left < before && time.nanoTime() - until < 0; left = size()) {
            before = left;
            nodes.prepare(); // a release waits for no connection, and nothing is sent later
            retry(nodes, until);
            answers.accept(until);
        }
    }

    /** One round's worth: a node that came back is not flooded. */
    private void sendBatch(Nodes nodes, int node) {
        List<Unfinished> batch = new ArrayList<>();
        BatchSize size = new BatchSize();
        Unfinished next;
        while (!size.isFull() && (next = poll(node)) != null) {
            batch.add(next);
            size.add(next.release().claim());
        }
        List<Round> rounds =
                nodes.sendAll(batch.stream().map(Unfinished::release).toList(), NodeSet.of(node));
        for (int i = 0; i < batch.size(); i++) {
            Unfinished sent = batch.get(i);
            rounds.get(i).leave(late -> keepUnlessHeard(late, sent));
        }
    }

    private boolean retryNext(Nodes nodes, int node, long deadline) {
        Unfinished next = poll(node);
        if (next == null) {
            return false;
        }
        Round round = nodes.send(next.release(), NodeSet.of(node));
        long brief = time.nanoTime() + BRIEF_NANOS;
        Answer answer = round.next(brief - deadline < 0 ? brief : deadline);
        round.leave(late -> {
            keepUnlessHeard(late, next);
            if (isHeard(late)) {
                answering.add(node);
                sweeps.within(PAUSE_NANOS);
            }
        });
        if (answer == null) {
            return false;
        }
        keepUnlessHeard(answer, next);
        return isHeard(answer);
    }

    private void keepUnlessHeard(Answer answer, Unfinished unfinished) {
        if (!isHeard(answer)) {
            boolean first = isRefused(answer.reply()) && unfinished.refusedAt().isEmpty();
            add(
                    answer.node(),
                    first ? new Unfinished(unfinished.release(), OptionalLong.of(time.nanoTime())) : unfinished);
            sweeps.within(RETRY_NANOS);
        }
    }

    /** A node that is busy with a script does not yet run what was sent before. */
    private static boolean isRefused(Reply reply) {
        return reply instanceof Reply.Refused refused && !refused.reason().startsWith("BUSY");
    }

    private static boolean isHeard(Answer answer) {
        Reply reply = answer.reply();
        return reply instanceof Reply.Released || reply instanceof Reply.Gone || reply instanceof Reply.Held;
    }

    /** Returns the next one that can still matter. */
    private Unfinished poll(int node) {
        Unfinished next;
        do {
            next = byNode.get(node).pollFirst();
        } while (next != null && next.isOver(time.nanoTime()));
        return next;
    }

    /** Returns how many releases are not confirmed, on all nodes together. */
    public int size() {
        return byNode.stream().mapToInt(LinkedBlockingDeque::size).sum();
    }
}
