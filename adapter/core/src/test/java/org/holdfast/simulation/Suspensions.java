// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * For which leases there may be two holders: those that were taken away by force, until their holders learn of it, and
 * those of a client whose clock stood still, until it learns of that. Only their tokens help then.
 */
final class Suspensions {

    /** So many tokens after its own a lease may use when it is passed on. */
    static final int PASSED_ON = 15;

    /** A command that was not answered may be under way for so long. */
    private static final long UNDER_WAY = 4_000_000_000L;

    private final World world;
    private final Map<String, Forced> forced = new HashMap<>();
    private final Map<String, Long> stoodStill = new HashMap<>();

    private record Forced(long begun, long until, long token) {}

    Suspensions(World world) {
        this.world = world;
    }

    /** An operator begins to take these names away from their holders. */
    void forcing(Collection<String> names) {
        names.forEach(name -> note(name, Long.MAX_VALUE, 0));
    }

    /** They were taken away from leases with tokens up to this one. */
    void forced(Collection<String> names, long token) {
        names.forEach(name -> note(name, world.now(), token));
    }

    /** Perhaps they were taken away, perhaps they still will be. */
    void forcedPerhaps(Collection<String> names) {
        names.forEach(name -> note(name, world.now() + UNDER_WAY, Long.MAX_VALUE / 2));
    }

    private void note(String name, long until, long token) {
        Forced before = forced.getOrDefault(name, new Forced(0, 0, 0));
        long begun = until == Long.MAX_VALUE ? world.now() : before.begun();
        forced.put(name, new Forced(begun, until, Math.max(token, before.token())));
    }

    /** A client's clock has stood still for some time until now. */
    void stoodStill(String client) {
        stoodStill.put(client, world.now());
    }

    boolean isForced(String name, long asked, long token) {
        Forced last = forced.get(name);
        return last != null && (asked < last.until() || token <= last.token() + PASSED_ON);
    }

    /** Returns when a lease was taken away for certain; a moment that never comes if it was not. */
    long thrownOutAt(String name, long got, long token) {
        Forced last = forced.get(name);
        boolean certain = last != null && got < last.begun() && token <= last.token() && last.until() <= world.now();
        return certain ? last.until() : Long.MAX_VALUE / 2;
    }

    /** Returns whether a client's clock stood still after it had asked for a lease. */
    boolean hasStoodStill(String client, long asked) {
        return asked < stoodStill.getOrDefault(client, Long.MIN_VALUE);
    }
}
