// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
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
 * <p>Bounded: when a node's list is full the first of it is dropped, and its lock ends with its TTL.
 */
public final class UnfinishedReleases {

    /** At the TTL of 30 s, 300 releases a second that one node misses. */
    private static final int MOST_PER_NODE = 10_000;

    /** So many are looked at in one go, as a look at each costs some microsecond of the thread that renews leases. */
    private static final int MOST_LOOKS = 500;

    /** A release that was not confirmed is sent again so much later. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** So often at the most a node that does not confirm is asked to. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How long to wait for a node: renewals wait for the thread that sends again. */
    private static final long BRIEF_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Time time;
    private final WakeUp sweeps;
    private final List<LinkedBlockingDeque<Unfinished>> byNode = new ArrayList<>();

    /** By which nodes have confirmed a release after it was waited for. */
    private final Set<Route> answering = ConcurrentHashMap.newKeySet();

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

    /**
     * The processes of a node to which releases go.
     *
     * @param route from {@link Nodes#route}
     */
    private record Route(int node, Object route) {}

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
     * Sends each node again the releases that it has not confirmed: one first by each route, and the others of a route
     * if that one is confirmed. If that takes longer than 10 ms, they are sent at the next call.
     *
     * @param deadline until when to wait at the most
     */
    public void retry(Nodes nodes, long deadline) {
        boolean more = false;
        for (int node = 0; node < byNode.size(); node++) {
            Set<Object> open = routesThatConfirm(nodes, node, deadline);
            if (!open.isEmpty()) {
                sendBatch(nodes, node, open);
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
    private void sendBatch(Nodes nodes, int node, Set<Object> open) {
        List<Unfinished> batch = take(node, release -> open.contains(nodes.route(release)));
        int kept = 0;
        try {
            List<Round> rounds =
                    nodes.sendAll(batch.stream().map(Unfinished::release).toList(), NodeSet.of(node));
            for (; kept < batch.size(); kept++) {
                Unfinished sent = batch.get(kept);
                rounds.get(kept).leave(late -> keepUnlessHeard(late, sent));
            }
        } finally {
            keepFrom(node, batch, kept);
        }
    }

    /** Keeps what could not be sent, or not be waited for, as without memory. */
    private void keepFrom(int node, List<Unfinished> releases, int from) {
        for (int i = from; i < releases.size(); i++) {
            add(node, releases.get(i));
        }
    }

    /** Sends one release by each route of which that is not known; returns the routes that have confirmed one. */
    private Set<Object> routesThatConfirm(Nodes nodes, int node, long deadline) {
        Set<Object> open = new HashSet<>();
        answering.removeIf(known -> known.node() == node && open.add(known.route()));
        Set<Object> tried = new HashSet<>(open);
        List<Unfinished> firsts = take(node, release -> tried.add(nodes.route(release)));
        int kept = 0;
        try {
            List<Round> rounds = firsts.stream()
                    .map(first -> nodes.send(first.release(), NodeSet.of(node)))
                    .toList();
            long brief = time.nanoTime() + BRIEF_NANOS;
            long until = brief - deadline < 0 ? brief : deadline;
            for (; kept < firsts.size(); kept++) {
                Object route = nodes.route(firsts.get(kept).release());
                if (isConfirmed(firsts.get(kept), new Route(node, route), rounds.get(kept), until)) {
                    open.add(route);
                }
            }
            return open;
        } finally {
            keepFrom(node, firsts, kept);
        }
    }

    private boolean isConfirmed(Unfinished sent, Route route, Round round, long until) {
        Answer answer = round.next(until);
        round.leave(late -> {
            keepUnlessHeard(late, sent);
            if (isHeard(late)) {
                answering.add(route);
                sweeps.within(PAUSE_NANOS);
            }
        });
        if (answer == null) {
            return false;
        }
        keepUnlessHeard(answer, sent);
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

    /** Takes a batch of those that are wanted and can still matter. The others that it looks at come last then. */
    private List<Unfinished> take(int node, Predicate<Command.Release> wanted) {
        List<Unfinished> taken = new ArrayList<>();
        BatchSize size = new BatchSize();
        boolean complete = false;
        try {
            for (int looks = Math.min(MOST_LOOKS, byNode.get(node).size()); looks > 0 && !size.isFull(); looks--) {
                Unfinished next = byNode.get(node).pollFirst();
                if (next != null && !next.isOver(time.nanoTime()) && isTaken(node, next, wanted)) {
                    taken.add(next);
                    size.add(next.release().claim());
                }
            }
            complete = true;
            return taken;
        } finally {
            if (!complete) {
                keepFrom(node, taken, 0);
            }
        }
    }

    /** Keeps it unless it is wanted, also if that cannot be found out, as without memory. */
    private boolean isTaken(int node, Unfinished next, Predicate<Command.Release> wanted) {
        boolean isWanted = false;
        try {
            isWanted = wanted.test(next.release());
            return isWanted;
        } finally {
            if (!isWanted) {
                add(node, next);
            }
        }
    }

    /** Returns how many releases are not confirmed, on all nodes together. */
    public int size() {
        return byNode.stream().mapToInt(LinkedBlockingDeque::size).sum();
    }
}
