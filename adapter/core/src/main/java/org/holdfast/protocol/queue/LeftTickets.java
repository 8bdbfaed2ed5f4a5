// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.lease.Handoff;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.Ticket;

/**
 * Takes tickets away from the nodes, and waits for nothing: a thread that releases a lock must not wait for a node that
 * hangs because of them. A node that was not reached is told again a few times, as its connection may have been broken
 * and open again; after that it forgets the ticket when it expires.
 *
 * <p>Safe for use by any number of threads; {@link #sweep} by one at a time.
 */
final class LeftTickets {

    private static final System.Logger LOG = System.getLogger(LeftTickets.class.getName());

    /** So many are sent in one go. */
    private static final int BATCH = 100;

    /** So long a ticket may stay on the nodes whose owner has the lock, which keeps out all behind it anyway. */
    private static final long LONGEST_STAY_NANOS = Handoff.LONGEST_NANOS;

    /** So much later a node is told again. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** So often at the most. */
    private static final int MOST_REPEATS = 5;

    /** So many are told again at the most: the others expire. */
    private static final int MOST_UNTOLD = 10_000;

    private final Time time;
    private final Nodes nodes;
    private final WakeUp sweeps;

    /** A ticket must not be refreshed after the command that takes it away: it would block all waiters behind it. */
    private final Lock sending;

    /** Those whose owners were handed the lock: they are taken away together. */
    private final Queue<Ticket> handedOff = new ConcurrentLinkedQueue<>();

    /** What nodes were not reached with. */
    private final Queue<Untold> untold = new ConcurrentLinkedQueue<>();

    private final AtomicInteger untoldSize = new AtomicInteger();

    /**
     * What a node was not reached with.
     *
     * @param repeat how often it was told again already
     * @param due when it is to be told again
     */
    private record Untold(Command.Leave leave, int node, int repeat, long due) {}

    /** @param sweeps has {@link #sweep} called in time */
    LeftTickets(Time time, Nodes nodes, WakeUp sweeps, Lock sending) {
        this.time = time;
        this.nodes = nodes;
        this.sweeps = sweeps;
        this.sending = sending;
    }

    /** Takes a ticket away, and before it those of its line whose owners had the lock earlier. */
    void leave(Ticket ticket, boolean announced) {
        leaveThoseBefore(ticket);
        sending.lock();
        try {
            send(List.of(new Command.Leave(ticket, announced)), NodeSet.first(nodes.count()), 0);
        } finally {
            sending.unlock();
        }
    }

    /** A waiter behind a ticket that goes now would still stand behind those of the owners before it. */
    private void leaveThoseBefore(Ticket ticket) {
        for (Ticket each : handedOff) {
            if (each.lock().equals(ticket.lock())) {
                leaveHandedOff();
                return;
            }
        }
    }

    /** Takes a ticket away with the next call of {@link #leaveHandedOff}, or with a sweep soon. */
    void leaveWithOthers(Ticket ticket) {
        handedOff.add(ticket);
        sweeps.within(LONGEST_STAY_NANOS);
    }

    /** Takes the tickets away whose owners were handed their locks. */
    void leaveHandedOff() {
        sending.lock(); // before the look: another thread may be about to send what it has taken
        try {
            while (!handedOff.isEmpty()) {
                send(nextHandedOff(), NodeSet.first(nodes.count()), 0);
            }
        } finally {
            sending.unlock();
        }
    }

    private List<Command.Leave> nextHandedOff() {
        List<Command.Leave> leaves = new ArrayList<>();
        Ticket next = handedOff.poll();
        while (next != null) {
            leaves.add(new Command.Leave(next, false));
            next = leaves.size() < BATCH ? handedOff.poll() : null;
        }
        return leaves;
    }

    /** Called with {@link #sending}. Throws nothing: its caller may have got a lock, or be about to release one. */
    private void send(List<Command.Leave> leaves, NodeSet targets, int repeat) {
        try {
            List<Round> rounds = nodes.sendAll(leaves, targets);
            for (int i = 0; i < leaves.size(); i++) {
                Command.Leave leave = leaves.get(i);
                rounds.get(i).leave(answer -> answered(leave, answer, repeat));
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "HF0215: tickets are left to expire", e);
        }
    }

    private void answered(Command.Leave leave, Answer answer, int repeat) {
        boolean missed = answer.reply() instanceof Reply.NotSent || answer.reply() instanceof Reply.NoAnswer;
        if (missed && repeat < MOST_REPEATS && untoldSize.incrementAndGet() <= MOST_UNTOLD) {
            Command.Leave announced = new Command.Leave(leave.ticket(), true); // a waiter may have been refused by then
            untold.add(new Untold(announced, answer.node(), repeat + 1, time.nanoTime() + PAUSE_NANOS));
            sweeps.within(PAUSE_NANOS);
        } else if (missed && repeat < MOST_REPEATS) {
            untoldSize.decrementAndGet();
        }
    }

    /** Does what is due. */
    void sweep() {
        if (!handedOff.isEmpty()) {
            leaveHandedOff();
        }
        if (!untold.isEmpty()) {
            tellAgain();
        }
    }

    private void tellAgain() {
        Map<Integer, Map<Integer, List<Command.Leave>>> byRepeatAndNode = new TreeMap<>();
        long now = time.nanoTime();
        Untold next = untold.peek();
        while (next != null && now - next.due() >= 0) {
            untold.remove();
            untoldSize.decrementAndGet();
            byRepeatAndNode
                    .computeIfAbsent(next.repeat(), repeat -> new TreeMap<>())
                    .computeIfAbsent(next.node(), node -> new ArrayList<>())
                    .add(next.leave());
            next = untold.peek();
        }
        if (next != null) {
            sweeps.within(next.due() - now);
        }
        sending.lock();
        try {
            byRepeatAndNode.forEach((repeat, byNode) -> byNode.forEach((node, leaves) -> {
                for (int from = 0; from < leaves.size(); from += BATCH) {
                    List<Command.Leave> some = leaves.subList(from, Math.min(from + BATCH, leaves.size()));
                    send(some, NodeSet.of(node), repeat);
                }
            }));
        } finally {
            sending.unlock();
        }
    }

    /** Returns how many there are. */
    int size() {
        return handedOff.size() + untold.size();
    }
}
