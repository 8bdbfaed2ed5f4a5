// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.holdfast.Lease;

/** Watches leases of all clients: one valid at a time, tokens in order. */
final class Checker {

    private final World world;
    private final Map<String, List<Watched>> watched = new HashMap<>();
    private final Map<String, List<Acquired>> history = new HashMap<>();
    private int acquisitions;
    private int losses;

    Checker(World world) {
        this.world = world;
    }

    /** A lease that somebody has. */
    static final class Watched {
        private final String client;
        private final Lease lease;
        private boolean seenLost;

        Watched(String client, Lease lease) {
            this.client = client;
            this.lease = lease;
        }

        String client() {
            return client;
        }

        Lease lease() {
            return lease;
        }
    }

    private record Acquired(long asked, long got, long token) {}

    int acquisitions() {
        return acquisitions;
    }

    int losses() {
        return losses;
    }

    /** A client has got a lease that it had asked for at some moment. */
    Watched acquired(String client, Lease lease, long asked) {
        acquisitions++;
        Watched entry = new Watched(client, lease);
        watched.computeIfAbsent(lease.name(), name -> new ArrayList<>()).add(entry);
        looked(entry);
        List<Acquired> before = history.computeIfAbsent(lease.name(), name -> new ArrayList<>());
        for (Acquired earlier : before) {
            if (earlier.got() < asked && earlier.token() >= lease.token()) {
                throw new Violation("2: " + client + " got token " + lease.token() + " on '" + lease.name()
                        + "' after token " + earlier.token());
            }
        }
        before.add(new Acquired(asked, world.now(), lease.token()));
        return entry;
    }

    /** A client looks at its lease: if that is held, no other may be. */
    boolean looked(Watched entry) {
        if (!entry.lease().isHeld()) {
            entry.seenLost = true;
            return false;
        }
        if (entry.seenLost) {
            throw new Violation("5: the lease with token " + entry.lease().token() + " on '"
                    + entry.lease().name() + "' was lost and is held again");
        }
        for (Watched other : watched.get(entry.lease().name())) {
            if (other != entry && other.lease().isHeld()) {
                throw new Violation("1: at " + world.now() / 1_000_000 + " ms '"
                        + entry.lease().name() + "' is held by "
                        + entry.client() + " (token " + entry.lease().token() + ") and by " + other.client()
                        + " (token "
                        + other.lease().token() + ")");
            }
        }
        return true;
    }

    /**
     * A client has begun to release its lease, or knows that it is lost.
     *
     * @param lost whether it was lost though it was to be renewed
     */
    void ended(Watched entry, boolean lost) {
        watched.get(entry.lease().name()).remove(entry);
        losses += lost ? 1 : 0;
    }
}
