// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.holdfast.Lease;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;

/** Watches leases of all clients: none valid that keeps another out which is, tokens in order, none before a minimum ends. */
final class Checker {

    /** Nodes count in milliseconds. */
    private static final long GRAIN_NANOS = 2_000_000;

    private final World world;
    private final double drift;
    private final Map<String, List<Watched>> watched = new HashMap<>();
    private final Map<String, List<Acquired>> history = new HashMap<>();
    private final Map<String, Kept> kept = new HashMap<>();
    private int acquisitions;
    private int losses;

    /** @param drift bound on the difference of clock rates */
    Checker(World world, double drift) {
        this.world = world;
        this.drift = drift;
    }

    /** A lease that somebody has. */
    static final class Watched {
        private final String client;
        private final Lease lease;
        private final LockRequest request;
        private boolean seenLost;

        private Watched(String client, Lease lease, LockRequest request) {
            this.client = client;
            this.lease = lease;
            this.request = request;
        }

        Lease lease() {
            return lease;
        }

        private boolean reads() {
            return request.mode() == LockMode.READ;
        }

        @Override
        public String toString() {
            return client + " (" + request.mode() + ", token " + lease.token() + ")";
        }
    }

    private record Acquired(long got, long token, boolean reads) {}

    /** Until when nobody but that one is to have a lock. */
    private record Kept(long until, Watched by) {}

    int acquisitions() {
        return acquisitions;
    }

    int losses() {
        return losses;
    }

    /** A client has got a lease that it had asked for at some moment. */
    Watched acquired(String client, Lease lease, LockRequest request, long asked) {
        acquisitions++;
        Watched entry = watch(client, lease, request);
        if (request.mode() != LockMode.PERMIT) { // permits are in no order among themselves
            lease.names().forEach(name -> checkToken(entry, name, asked));
        }
        lease.names().forEach(name -> checkKept(entry, name));
        request.atLeast().ifPresent(least -> {
            long until = asked + (long) (least.toNanos() * (1 - drift)) - GRAIN_NANOS;
            lease.names().forEach(name -> kept.put(name, new Kept(until, entry)));
        });
        return entry;
    }

    private void checkKept(Watched entry, String name) {
        Kept before = kept.get(name);
        if (before != null && world.now() < before.until()) {
            throw new Violation("7: at " + world.now() / 1_000_000 + " ms " + entry + " got '" + name
                    + "', which is kept until " + before.until() / 1_000_000 + " ms by " + before.by());
        }
    }

    private Watched watch(String client, Lease lease, LockRequest request) {
        Watched entry = new Watched(client, lease, request);
        lease.names().forEach(name -> watched.computeIfAbsent(name, key -> new ArrayList<>())
                .add(entry));
        looked(entry);
        return entry;
    }

    private void checkToken(Watched entry, String name, long asked) {
        long token = entry.lease().token();
        List<Acquired> before = history.computeIfAbsent(name, key -> new ArrayList<>());
        for (Acquired earlier : before) {
            boolean inOrder = !(earlier.reads() && entry.reads());
            if (inOrder && earlier.got() < asked && earlier.token() >= token) {
                throw new Violation("2: " + entry + " got '" + name + "' after token " + earlier.token());
            }
        }
        before.add(new Acquired(world.now(), token, entry.reads()));
    }

    /** A client is about to give back a lease, and goes on with another one of the same holder, to read. */
    Watched goesOnReading(Watched writer, Lease reader) {
        ended(writer, false);
        return watch(writer.client, reader, writer.request.mode(LockMode.READ));
    }

    /** A client looks at its lease: if that is held, no other may be that it keeps out. */
    boolean looked(Watched entry) {
        if (!entry.lease().isHeld()) {
            entry.seenLost = true;
            return false;
        }
        if (entry.seenLost) {
            throw new Violation("5: a lease on " + entry.lease().names() + " was lost and is held again: " + entry);
        }
        for (String name : entry.lease().names()) {
            checkOthers(entry, name);
        }
        return true;
    }

    private void checkOthers(Watched entry, String name) {
        List<Watched> others = new ArrayList<>();
        for (Watched other : watched.get(name)) {
            boolean shares = entry.reads() && other.reads();
            if (other != entry && !shares && other.lease().isHeld()) {
                others.add(other);
            }
        }
        int most = entry.request.mode() == LockMode.PERMIT ? entry.request.permits() - 1 : 0;
        if (others.size() > most) {
            throw new Violation("1: at " + world.now() / 1_000_000 + " ms '" + name + "' is held by " + entry
                    + " and by " + others);
        }
    }

    /**
     * A client has begun to release its lease, or knows that it is lost.
     *
     * @param lost whether it was lost though it was to be renewed
     */
    void ended(Watched entry, boolean lost) {
        entry.lease().names().forEach(name -> watched.get(name).remove(entry));
        losses += lost ? 1 : 0;
    }
}
