// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.node.Ticket;

/**
 * Watches the order in which waiters are served while nothing goes wrong: a waiter that came when a quorum knew of
 * another's ticket does not get the lock before that other, unless both read.
 */
final class Turns {

    private final World world;
    private final int quorum;
    private final boolean watching;
    private final Map<Owner, Waiting> waiting = new LinkedHashMap<>();
    private final Map<Owner, Asked> asked = new HashMap<>();

    private static final class Waiting {
        final Ticket ticket;
        final long since;
        final Set<Integer> placed = new HashSet<>();
        long placedAt = Long.MAX_VALUE;
        boolean granted;

        Waiting(Ticket ticket, long since) {
            this.ticket = ticket;
            this.since = since;
        }
    }

    private record Asked(long since, Set<Integer> granted) {}

    /** @param watching whether nothing goes wrong */
    Turns(World world, int nodes, boolean watching) {
        this.world = world;
        this.quorum = nodes / 2 + 1;
        this.watching = watching;
    }

    /** A client has sent a command to all nodes. */
    void sent(Command command) {
        if (!watching) {
            return;
        }
        if (command instanceof Command.Acquire acquire && acquire.queueing().isPresent()) {
            Optional<Ticket> ticket = acquire.queueing().get().ticket();
            long since = ticket.map(drawn -> waiting.computeIfAbsent(drawn.id(), id -> new Waiting(drawn, world.now())))
                    .map(place -> place.since)
                    .orElse(world.now());
            asked.put(acquire.claim().owner(), new Asked(since, new HashSet<>()));
        } else if (command instanceof Command.Leave leave) {
            Waiting left = waiting.remove(leave.ticket().id());
            boolean handed = left != null && !leave.announced() && !left.granted && left.placedAt <= world.now();
            if (handed) { // by a holder of its process, without the nodes
                checkGranted(left.ticket.toString(), left.ticket.lock(), left.ticket.reads(), left.since);
            }
        }
    }

    /** A node has run a command. */
    void answered(Command command, Answer answer) {
        if (!watching
                || !(command instanceof Command.Acquire acquire)
                || !asked.containsKey(acquire.claim().owner())) {
            return;
        }
        Optional<Waiting> mine =
                acquire.queueing().flatMap(Command.Queueing::ticket).map(ticket -> waiting.get(ticket.id()));
        mine.ifPresent(place -> placed(place, answer));
        Asked request = asked.get(acquire.claim().owner());
        if (answer.reply() instanceof Reply.Granted
                && request.granted().add(answer.node())
                && request.granted().size() == quorum) {
            mine.ifPresent(place -> place.granted = true);
            Target target = acquire.claim().target();
            checkGranted(acquire.toString(), target.name(), target.isShared(), request.since());
        }
    }

    private void placed(Waiting place, Answer answer) {
        if (!(answer.reply() instanceof Reply.TicketTooSmall)
                && place.placed.add(answer.node())
                && place.placed.size() == quorum) {
            place.placedAt = world.now();
        }
    }

    private void checkGranted(String served, String lock, boolean reads, long since) {
        for (Waiting other : waiting.values()) {
            boolean before = other.placedAt < since && other.ticket.lock().equals(lock);
            if (before && !(reads && other.ticket.reads())) {
                throw new Violation("6: at " + world.now() / 1_000_000 + " ms " + served + " is served before "
                        + other.ticket + ", which a quorum has known since " + other.placedAt / 1_000_000 + " ms");
            }
        }
    }
}
