// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.holdfast.Lease;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;

/**
 * Watches the leases of all clients: no lease begins before the minimum of another ends, none is held for too long, and
 * none comes back. That no two exclude each other, and that tokens are in order, is decided in the end, of the
 * {@link LeaseHistory}.
 */
final class Checker {

    /** Nodes count in milliseconds. */
    private static final long GRAIN_NANOS = 2_000_000;

    /** So long after it is due a renewal is answered at the latest, when all is well. */
    private static final long HEARTBEAT_NANOS = 150_000_000;

    private final World world;
    private final double drift;
    private final Map<String, List<Watched>> watched = new HashMap<>();
    private final Map<String, List<Acquired>> before = new HashMap<>();
    private final LeaseHistory history = new LeaseHistory();
    private final Map<String, Kept> kept = new HashMap<>();
    private final Suspensions suspensions;
    private final Backing backing;
    private final boolean undisturbed;
    private final Idleness idleness;
    private final long largestSkewMicros;
    private long largestErrorMicros;
    private int acquisitions;
    private int losses;

    Checker(World world, Setting setting, Suspensions suspensions, Backing backing) {
        this.backing = backing;
        this.world = world;
        this.drift = setting.timing().driftFactor();
        this.suspensions = suspensions;
        this.undisturbed = setting.isUndisturbed();
        boolean nothingGoesWrong = setting.isCalm() && !setting.isClustered(); // shards refuse at first
        this.idleness = new Idleness(
                world, nothingGoesWrong, setting.acceptedSettings().widest().quarantine());
        this.largestSkewMicros = setting.maxSkewMicros();
    }

    /** A node's clock is ahead by so much: tokens may follow it. */
    void clockIsAhead(long micros) {
        largestErrorMicros = Math.max(largestErrorMicros, micros);
    }

    /** A lease that a client has. */
    static final class Watched {
        private final String client;
        private final Lease lease;
        private final LockRequest request;
        private final long asked;
        private final long got;

        /** When it was asked for at the nodes: another caller of the same process may have done that. */
        private final long granted;

        /** By name, when it was last seen to be held, if no other lease was to be held then. */
        private final Map<String, Long> seenHeld = new HashMap<>();

        /** The names that say nothing of the order of tokens. */
        private final Set<String> outOfOrder = new HashSet<>();

        /** Since when its client has it in this way. */
        private final long since;

        private boolean seenLost;
        private boolean survives;

        private Watched(
                String client, Lease lease, LockRequest request, long asked, long got, long granted, long since) {
            this.granted = granted;
            this.since = since;
            this.client = client;
            this.lease = lease;
            this.request = request;
            this.asked = asked;
            this.got = got;
        }

        /** Nothing goes wrong by which it may be lost. */
        void mustSurvive() {
            survives = true;
        }

        Lease lease() {
            return lease;
        }

        String client() {
            return client;
        }

        LockRequest request() {
            return request;
        }

        long asked() {
            return asked;
        }

        long since() {
            return since;
        }

        boolean isInOrder(String name) {
            return !outOfOrder.contains(name);
        }

        /** Returns until when it was seen to be held; no longer than until now, when it is given back. */
        long heldUntil(String name, long now) {
            return seenHeld.containsKey(name) ? Math.min(now, seenHeld.get(name) + 1) : asked;
        }

        private boolean reads() {
            return request.mode() == LockMode.READ;
        }

        @Override
        public String toString() {
            return client + " (" + request.mode() + ", token " + lease.token() + ")";
        }
    }

    private record Acquired(long asked, long token) {}

    /** Until when no other lease than that one is to have a lock. */
    private record Kept(long until, Watched by) {}

    /** Decides all that was seen until now. */
    void decide() {
        long afterNow = world.now() + 1; // those that have not ended are held at this moment too
        watched.forEach((name, entries) -> entries.forEach(entry -> history.add(entry, name, afterNow)));
        history.decide();
    }

    int acquisitions() {
        return acquisitions;
    }

    int losses() {
        return losses;
    }

    /** A client has begun to work. */
    void begun(String client) {
        idleness.begun(client);
    }

    /** A client has got a lease that it had asked for at some moment. */
    Watched acquired(String client, Lease lease, LockRequest request, long asked) {
        acquisitions++;
        idleness.ended(client, request, asked);
        Watched entry = watch(client, lease, request, asked, world.now());
        checkFuture(entry);
        for (String name : lease.names()) {
            if (isSuspended(entry, name)) { // it may have been passed on in a process that did not know of that yet
                entry.outOfOrder.add(name);
            } else if (request.mode() != LockMode.PERMIT) { // permits are in no order among themselves
                before.computeIfAbsent(name, key -> new ArrayList<>()).add(new Acquired(asked, lease.token()));
            }
        }
        for (String name : lease.names()) {
            if (lease.isHeld() && !isSuspended(entry, name)) { // else it was lost, or its client does not know that yet
                checkKept(entry, name);
            }
        }
        request.atLeast().ifPresent(least -> {
            long until = asked + (long) (least.toNanos() * (1 - drift)) - GRAIN_NANOS;
            lease.names().forEach(name -> kept.put(name, new Kept(until, entry)));
            lease.names().forEach(name -> idleness.endsAt(name, world.now() + least.toNanos()));
        });
        return entry;
    }

    /** A client has perhaps cancelled a request: it may have had the lock, which then is kept for its minimum. */
    void cancelled(LockRequest request) {
        long least = request.atLeast().map(Duration::toNanos).orElse(0L);
        request.names().forEach(name -> {
            if (least > 0) {
                idleness.endsAt(name, world.now() + least);
            } else {
                idleness.free(name, world.now());
            }
        });
    }

    /** A client has waited in vain. */
    void timedOut(String client, LockRequest request, long asked) {
        if (watched.getOrDefault(request.name(), List.of()).isEmpty()) {
            idleness.ended(client, request, asked);
        }
    }

    /** A token of the future would be on record for all later callers. */
    private void checkFuture(Watched entry) {
        long nodes = SimulatedNode.BOOT_MICROS + world.now() / 1_000 + largestErrorMicros;
        long ahead = (long) (entry.lease().token() - nodes - world.now() / 1_000 * drift);
        if (ahead > largestSkewMicros + GRAIN_NANOS / 1_000) {
            throw new Violation("2: " + entry + " has a token that is " + ahead / 1_000 + " ms ahead of all nodes");
        }
    }

    private void checkKept(Watched entry, String name) {
        Kept before = kept.get(name);
        if (before != null && world.now() < before.until() && !isForced(before.by(), name)) {
            throw new Violation("7: at " + world.now() / 1_000_000 + " ms " + entry + " got '" + name
                    + "', which is kept until " + before.until() / 1_000_000 + " ms by " + before.by());
        }
    }

    private boolean isForced(Watched entry, String name) {
        return suspensions.isForced(name, entry.asked, entry.lease().token());
    }

    private boolean isSuspended(Watched entry, String name) {
        return suspensions.hasStoodStill(entry.client, entry.granted) || isForced(entry, name);
    }

    private Watched watch(String client, Lease lease, LockRequest request, long asked, long got) {
        Watched entry = new Watched(client, lease, request, asked, got, grantAskedFor(lease, asked), world.now());
        lease.names().forEach(name -> watched.computeIfAbsent(name, key -> new ArrayList<>())
                .add(entry));
        looked(entry);
        return entry;
    }

    /**
     * A lease that was passed on is no newer than the one whose tokens it continues: what happened to that concerns it.
     */
    private long grantAskedFor(Lease lease, long asked) {
        return lease.names().stream()
                .flatMap(name -> before.getOrDefault(name, List.of()).stream())
                .filter(other ->
                        other.token() < lease.token() && lease.token() - other.token() <= Suspensions.PASSED_ON)
                .mapToLong(Acquired::asked)
                .reduce(asked, Math::min);
    }

    /** A client is about to release a lease, and continues as a reader with another one of the same holder. */
    Watched goesOnReading(Watched writer, Lease reader) {
        ended(writer, false);
        Watched entry = watch(writer.client, reader, writer.request.mode(LockMode.READ), writer.asked, writer.got);
        entry.outOfOrder.addAll(writer.outOfOrder);
        return entry;
    }

    /** A client looks at its lease: if that is held, no other may be that it keeps out. */
    boolean looked(Watched entry) {
        if (!entry.lease().isHeld()) {
            entry.seenLost = true;
            if (entry.survives) {
                throw new Violation("8: at " + world.now() / 1_000_000 + " ms a lease on "
                        + entry.lease().names() + " was lost though a quorum was well all the time: " + entry);
            }
            return false;
        }
        if (entry.seenLost) {
            throw new Violation("5: a lease on " + entry.lease().names() + " was lost and is held again: " + entry);
        }
        world.observer().relied(entry.lease());
        checkHeldTooLong(entry);
        if (!entry.reads() && entry.request.mode() != LockMode.PERMIT) {
            backing.check(entry.lease(), (long) (entry.lease().remaining().toNanos() * (1 - drift / 2)));
        }
        if (undisturbed && entry.request.renewed() && entry.request.maxHold().isEmpty()) {
            entry.lease().names().forEach(name -> checkThrownOut(entry, name));
        }
        for (String name : entry.lease().names()) {
            noteHeld(entry, name);
        }
        return true;
    }

    /** A holder whose lock was released by force learns of it at its next renewal. */
    private void checkThrownOut(Watched entry, String name) {
        long since = suspensions.thrownOutAt(name, entry.got, entry.lease().token());
        long renewal = entry.request.ttl().orElseThrow().toNanos() / 3;
        if (world.now() - since > renewal * (1 + drift) + HEARTBEAT_NANOS) {
            throw new Violation("5: at " + world.now() / 1_000_000 + " ms " + entry + " has '" + name
                    + "', which was taken away by force at " + since / 1_000_000 + " ms");
        }
    }

    private void checkHeldTooLong(Watched entry) {
        long most = entry.request.maxHold().map(Duration::toNanos).orElse(Long.MAX_VALUE / 2);
        boolean stoodStill = suspensions.hasStoodStill(entry.client, entry.granted);
        if (!stoodStill && world.now() - entry.got > most * (1 + drift) + GRAIN_NANOS) {
            throw new Violation("5: " + entry + " is held for longer than its maxHold of " + most / 1_000_000 + " ms");
        }
    }

    /** Notes which leases are held now that keep each other out. */
    private void noteHeld(Watched entry, String name) {
        noteHeldNow(entry, name);
        for (Watched other : watched.get(name)) {
            boolean shares = entry.reads() && other.reads();
            if (other != entry
                    && !shares
                    && !isSuspended(other, name)
                    && other.lease().isHeld()) {
                other.seenHeld.put(name, world.now());
            }
        }
    }

    private void noteHeldNow(Watched entry, String name) {
        if (!isSuspended(entry, name)) {
            entry.seenHeld.put(name, world.now());
        }
    }

    /**
     * A client has begun to release its lease, or knows that it is lost.
     *
     * @param lost whether it was lost though it was to be renewed
     */
    void ended(Watched entry, boolean lost) {
        for (String name : entry.lease().names()) {
            watched.get(name).remove(entry);
            idleness.free(name, world.now());
            history.add(entry, name, world.now());
        }
        boolean ended = entry.request.maxHold().isPresent()
                || entry.lease().names().stream().anyMatch(name -> isForced(entry, name));
        losses += lost && !ended ? 1 : 0;
    }
}
