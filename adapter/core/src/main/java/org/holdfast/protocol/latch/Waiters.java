// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.latch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Latch;

/**
 * The callers of this process that wait for latches. Of those that wait for the same one, the first asks the nodes, and
 * shows the others what it finds. Safe for use by any number of threads.
 */
final class Waiters {

    /** In the order in which they came. Each list is changed under the map's lock on its name, and never in place. */
    private final ConcurrentHashMap<String, List<Waiter>> byName = new ConcurrentHashMap<>();

    static final class Waiter {
        private final Latch latch;
        private final Time.Signal signal;
        private volatile boolean isFirst;

        /** What it has found when it came, and then what the first one has found last. */
        private volatile Count found;

        private Waiter(Latch latch, Time.Signal signal, Count found) {
            this.latch = latch;
            this.signal = signal;
            this.found = found;
        }

        Latch latch() {
            return latch;
        }

        Time.Signal signal() {
            return signal;
        }

        boolean isFirst() {
            return isFirst;
        }

        Count found() {
            return found;
        }
    }

    Waiter enter(Latch latch, Time.Signal signal, Count found) {
        Waiter waiter = new Waiter(latch, signal, found);
        byName.compute(latch.name(), (name, present) -> {
            List<Waiter> all = present == null ? new ArrayList<>(1) : new ArrayList<>(present);
            waiter.isFirst = all.stream().noneMatch(other -> other.latch.equals(latch));
            all.add(waiter);
            return all;
        });
        return waiter;
    }

    void leave(Waiter waiter) {
        byName.computeIfPresent(waiter.latch.name(), (name, present) -> {
            List<Waiter> rest = new ArrayList<>(present);
            rest.remove(waiter);
            if (waiter.isFirst) {
                promoteFirst(waiter.latch, rest);
            }
            return rest.isEmpty() ? null : rest;
        });
    }

    private static void promoteFirst(Latch latch, List<Waiter> rest) {
        for (Waiter waiter : rest) {
            if (waiter.latch.equals(latch)) {
                waiter.isFirst = true;
                waiter.signal.raise();
                return;
            }
        }
    }

    /** Shows what the first waiter has found to the others that wait for the same. */
    void publish(Latch latch, Count found) {
        for (Waiter waiter : waitingFor(latch.name())) {
            if (waiter.latch.equals(latch)) {
                waiter.found = found;
                if (found.isOpen()) {
                    waiter.signal.raise();
                }
            }
        }
    }

    private List<Waiter> waitingFor(String name) {
        return byName.getOrDefault(name, List.of());
    }

    /** Has the first waiters for the latches of a name ask. */
    void wake(String name) {
        for (Waiter waiter : waitingFor(name)) {
            if (waiter.isFirst) {
                waiter.signal.raise();
            }
        }
    }

    void wakeAll() {
        byName.values().forEach(all -> all.forEach(waiter -> waiter.signal.raise()));
    }

    /** Returns for how many names callers wait. */
    int size() {
        return byName.size();
    }
}
