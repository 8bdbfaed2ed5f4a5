// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;

/** Watches, while nothing goes wrong, that no lock is free for long while a caller waits for it. */
final class Idleness {

    /** Contenders that take each other's votes ask again some times. */
    private static final long LONGEST_NANOS = 800_000_000L;

    private final World world;
    private final boolean watching;
    private final long ownWatch;
    private final Map<String, Long> freeSince = new HashMap<>();
    private final Map<String, Long> endsAt = new HashMap<>();
    private final Map<String, Long> begunAt = new HashMap<>();

    /**
     * @param watching whether nothing goes wrong
     * @param ownWatch so long must a client have watched a node's clock before it believes that a lease has ended
     */
    Idleness(World world, boolean watching, Duration ownWatch) {
        this.world = world;
        this.watching = watching;
        this.ownWatch = ownWatch.toNanos();
    }

    /** A client has begun to watch the nodes' clocks, perhaps long after the others. */
    void begun(String client) {
        begunAt.put(client, world.now());
    }

    /** A lock is free from this moment on, as far as one of its holders is concerned. */
    void free(String name, long moment) {
        freeSince.merge(name, moment, Math::max);
    }

    /** A lock is not released, and ends at this moment: clients that have just begun believe that later. */
    void endsAt(String name, long moment) {
        endsAt.merge(name, moment, Math::max);
    }

    /** A caller has the lock now, or gives up while no other one has it. */
    void ended(String client, LockRequest request, long asked) {
        if (!watching || request.mode() != LockMode.EXCLUSIVE || request.names().size() > 1) {
            return;
        }
        long free = freeSince.getOrDefault(request.name(), asked);
        long ends = endsAt.getOrDefault(request.name(), free);
        if (ends > free) {
            free = Math.max(ends, begunAt.get(client) + ownWatch);
        }
        long since = Math.max(asked, free);
        if (world.now() - since > LONGEST_NANOS) {
            throw new Violation(
                    "4: at " + world.now() / 1_000_000 + " ms " + client + " with " + request + " has waited since "
                            + asked / 1_000_000 + " ms, though the lock is free since " + since / 1_000_000 + " ms");
        }
    }
}
