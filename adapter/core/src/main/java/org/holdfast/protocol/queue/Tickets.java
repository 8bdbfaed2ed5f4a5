// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.env.SureLock;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.LockShape;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Ticket;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.protocol.quorum.TokenClock;

/**
 * The tickets of the waiters in this process: each is refreshed on the nodes until its owner does not need it any more.
 *
 * <p>Safe for use by any number of threads; {@link #sweep} by one at a time.
 */
public final class Tickets {

    /** So many are refreshed by one command, and so many commands sent in one go. */
    private static final int BATCH = 100;

    private final Time time;
    private final Randomness randomness;
    private final TokenClock tokens;
    private final Nodes nodes;
    private final Duration ttl;
    private final WakeUp sweeps;
    private final Map<Owner, Kept> kept = new ConcurrentHashMap<>();

    /** A ticket must not be refreshed after the command that takes it away: it would block all waiters behind it. */
    private final Lock sending = new SureLock();

    private final LeftTickets leftTickets;

    /** @param until when its owner gives up: from then on it is left to expire, whatever its owner's thread does */
    private record Kept(Ticket ticket, long refreshAt, long until) {

        long nanosUntilDue(long now) {
            return Math.min(refreshAt - now, until - now);
        }
    }

    private record Line(String lock, boolean reads) {}

    /**
     * @param nodes through which tickets are refreshed and taken away: those through which their owners attempt, so
     *     that no attempt comes after the command that takes its ticket away
     * @param sweeps has {@link #sweep} called in time
     */
    public Tickets(Time time, Randomness randomness, TokenClock tokens, Nodes nodes, Timing timing, WakeUp sweeps) {
        this.time = time;
        this.randomness = randomness;
        this.tokens = tokens;
        this.nodes = nodes;
        this.ttl = timing.ticketTtl();
        this.sweeps = sweeps;
        this.leftTickets = new LeftTickets(time, nodes, sweeps, sending);
    }

    /** Draws a ticket, which the nodes do not know yet. */
    Ticket draw(LockRequest request) {
        return new Ticket(
                request.name(),
                new Owner(randomness.uniqueId()),
                tokens.next(0),
                LockShape.of(request).reads(),
                false,
                ttl.toMillis());
    }

    /** Takes note of a number that the next ticket has to exceed. */
    void observe(long number) {
        tokens.observe(number);
    }

    /**
     * Keeps a ticket that a quorum has accepted.
     *
     * @param nanos for how long its owner waits at the most
     */
    void keep(Ticket ticket, long nanos) {
        long until = time.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 4);
        Kept entry = new Kept(ticket, nextRefresh(), until);
        kept.put(ticket.id(), entry);
        sweeps.within(entry.nanosUntilDue(time.nanoTime()));
    }

    private long nextRefresh() {
        return time.nanoTime() + ttl.toNanos() / 3;
    }

    /**
     * Takes a ticket away, and waits for no answer: a node that does not receive this forgets the ticket when it
     * expires.
     *
     * @param announced whether the waiters behind it are notified
     */
    void leave(Ticket ticket, boolean announced) {
        refreshNoMore(ticket);
        leftTickets.leave(ticket, announced);
    }

    /** Returns whether nodes forget a ticket that is not refreshed any more before this time is over. */
    boolean expireWithin(Duration time) {
        return ttl.compareTo(time) <= 0;
    }

    /**
     * Takes a ticket away whose owner was handed the lock, together with others: with {@link #leaveHandedOff}, or by a
     * sweep. A command for each would cost more than the hand-offs. Only for a lock that lasts longer than the ticket:
     * should this process die before, the lock keeps others out for longer than that.
     */
    void leaveWithOthers(Ticket ticket) {
        refreshNoMore(ticket);
        leftTickets.leaveWithOthers(ticket);
    }

    private void refreshNoMore(Ticket ticket) {
        kept.remove(ticket.id());
    }

    /** Takes the tickets away whose owners were handed their locks, of which one is to be released on the nodes. */
    public void leaveHandedOff() {
        leftTickets.leaveHandedOff();
    }

    /** Refreshes the tickets that are due, those of the same line together, and waits for no answer. */
    public void sweep() {
        leftTickets.sweep();
        Map<Line, List<Ticket>> due = new HashMap<>(0);
        for (Kept each : kept.values()) {
            Ticket ticket = each.ticket();
            long now = time.nanoTime();
            if (now - each.until() >= 0) {
                kept.remove(ticket.id(), each);
            } else if (now - each.refreshAt() >= 0
                    && kept.replace(ticket.id(), each, new Kept(ticket, nextRefresh(), each.until()))) {
                Line line = new Line(ticket.lock(), ticket.reads());
                due.computeIfAbsent(line, l -> new ArrayList<>()).add(ticket);
            }
        }
        List<Command.Refresh> commands = new ArrayList<>();
        for (List<Ticket> tickets : due.values()) {
            for (int from = 0; from < tickets.size(); from += BATCH) {
                commands.add(new Command.Refresh(tickets.subList(from, Math.min(from + BATCH, tickets.size()))));
            }
        }
        for (int from = 0; from < commands.size(); from += BATCH) {
            send(commands.subList(from, Math.min(from + BATCH, commands.size())));
        }
        long now = time.nanoTime();
        kept.values().stream().mapToLong(each -> each.nanosUntilDue(now)).min().ifPresent(sweeps::within);
    }

    private void send(List<Command.Refresh> commands) {
        sending.lock();
        try {
            List<Command.Refresh> needed = commands.stream()
                    .map(command -> command.tickets().stream()
                            .filter(ticket -> kept.containsKey(ticket.id()))
                            .toList())
                    .filter(tickets -> !tickets.isEmpty())
                    .map(Command.Refresh::new)
                    .toList();
            nodes.sendAll(needed, NodeSet.first(nodes.count())).forEach(round -> round.leave(answer -> {}));
        } finally {
            sending.unlock();
        }
    }

    /** Returns how many there are. */
    public int size() {
        return kept.size() + leftTickets.size();
    }
}
