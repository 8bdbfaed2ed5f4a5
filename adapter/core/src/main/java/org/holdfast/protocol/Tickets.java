// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tickets of those in this process who wait in line: each is kept alive on the nodes until its owner does not need it any
 * more.
 *
 * <p>Safe for use by any number of threads; {@link #sweep} by one at a time.
 */
final class Tickets {

    /** So many are refreshed at once: their replies must fit what a node buffers for one connection. */
    private static final int BATCH = 200;

    private final Time time;
    private final Nodes service;
    private final long ttlNanos;
    private final Map<Owner, Kept> kept = new ConcurrentHashMap<>();

    private record Kept(Ticket ticket, long refreshAt) {}

    /** @param service the nodes through which tickets are refreshed and taken away */
    Tickets(Time time, Nodes service, Timing timing) {
        this.time = time;
        this.service = service;
        this.ttlNanos = timing.ticketTtl().toNanos();
    }

    /** Keeps a ticket that a quorum has accepted. */
    void keep(Ticket ticket) {
        kept.put(ticket.id(), new Kept(ticket, nextRefresh()));
    }

    private long nextRefresh() {
        return time.nanoTime() + ttlNanos / 3;
    }

    /**
     * Takes a ticket away, and waits for nobody: a node that does not hear of it forgets the ticket when it expires.
     *
     * @param announced whether those behind it are told
     */
    void leave(Ticket ticket, boolean announced) {
        kept.remove(ticket.id());
        service.send(new Command.Leave(ticket, announced), NodeSet.first(service.count()))
                .leave(answer -> {});
    }

    /** Refreshes what is due, and waits for nobody. */
    void sweep() {
        Iterator<Kept> all = kept.values().iterator();
        while (all.hasNext()) {
            List<Command.Refresh> due = new ArrayList<>();
            while (all.hasNext() && due.size() < BATCH) {
                Kept each = all.next();
                if (time.nanoTime() - each.refreshAt() >= 0
                        && kept.replace(each.ticket().id(), each, new Kept(each.ticket(), nextRefresh()))) {
                    due.add(new Command.Refresh(each.ticket()));
                }
            }
            service.sendAll(due, NodeSet.first(service.count())).forEach(round -> round.leave(answer -> {}));
        }
    }

    /** Returns how many there are. */
    int size() {
        return kept.size();
    }
}
