// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.latch;

import java.util.HashMap;
import java.util.Map;
import org.holdfast.protocol.env.Chain;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Latch;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this process that wait for latches. Of those that wait for the same one, the first asks the nodes, and
 * shows the others what it finds. Safe for use by any number of threads.
 */
final class Waiters {

    private static final Chain<Waiter> NONE = new Chain<>();

    /** In the order in which they came. To take one out needs no memory: one that has left would not ask any more. */
    private final Map<String, Chain<Waiter>> byName = new HashMap<>();

    static final class Waiter extends Chain.Link<Waiter> {
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

    synchronized Waiter enter(Latch latch, Time.Signal signal, Count found) {
        Waiter waiter = new Waiter(latch, signal, found);
        Chain<Waiter> all = byName.computeIfAbsent(latch.name(), name -> new Chain<>());
        waiter.isFirst = firstFor(latch, all) == null;
        all.addLast(waiter);
        return waiter;
    }

    private static @Nullable Waiter firstFor(Latch latch, Chain<Waiter> all) {
        Waiter waiter = all.first();
        while (waiter != null && !waiter.latch.equals(latch)) {
            waiter = all.next(waiter);
        }
        return waiter;
    }

    synchronized void leave(Waiter waiter) {
        Chain<Waiter> all = byName.get(waiter.latch.name());
        if (all == null) {
            return;
        }
        all.remove(waiter);
        if (all.size() == 0) {
            byName.remove(waiter.latch.name());
        } else if (waiter.isFirst) {
            promote(firstFor(waiter.latch, all));
        }
    }

    private static void promote(@Nullable Waiter next) {
        if (next != null) {
            next.isFirst = true;
            next.signal.raise();
        }
    }

    /** Shows what the first waiter has found to the others that wait for the same. */
    synchronized void publish(Latch latch, Count found) {
        Chain<Waiter> all = byName.getOrDefault(latch.name(), NONE);
        for (Waiter waiter = all.first(); waiter != null; waiter = all.next(waiter)) {
            if (waiter.latch.equals(latch)) {
                waiter.found = found;
                if (found.isOpen()) {
                    waiter.signal.raise();
                }
            }
        }
    }

    /** Has the first waiters for the latches of a name ask. */
    synchronized void wake(String name) {
        Chain<Waiter> all = byName.getOrDefault(name, NONE);
        for (Waiter waiter = all.first(); waiter != null; waiter = all.next(waiter)) {
            if (waiter.isFirst) {
                waiter.signal.raise();
            }
        }
    }

    synchronized void wakeAll() {
        byName.values().forEach(all -> all.forEach(waiter -> waiter.signal.raise()));
    }

    /** Returns for how many names callers wait. */
    synchronized int size() {
        return byName.size();
    }
}
