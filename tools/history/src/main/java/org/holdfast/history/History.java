// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What callers saw of locks, and what the resources that these protect received.
 *
 * <p>An attempt that failed, or whose outcome its caller never learned, claims nothing and is left out. Threads may add
 * at the same time.
 */
public final class History {

    private final Map<String, List<Hold>> holds = new LinkedHashMap<>();
    private final Map<String, List<Write>> writes = new LinkedHashMap<>();

    /** Adds a hold; in any order. */
    public synchronized void add(Hold hold) {
        holds.computeIfAbsent(hold.lock(), name -> new ArrayList<>()).add(hold);
    }

    /** Adds a write; those of one lock in the order in which the resource decided on them. */
    public synchronized void add(Write write) {
        writes.computeIfAbsent(write.lock(), name -> new ArrayList<>()).add(write);
    }

    /** {@return the names of the locks that were held} */
    public synchronized List<String> locks() {
        return List.copyOf(holds.keySet());
    }

    /** {@return a copy of the holds of a lock} */
    public synchronized List<Hold> holds(String lock) {
        return new ArrayList<>(holds.getOrDefault(lock, List.of()));
    }

    /** {@return a copy of the writes under a lock} */
    public synchronized List<Write> writes(String lock) {
        return new ArrayList<>(writes.getOrDefault(lock, List.of()));
    }

    /** {@return how many writes the resource refused} */
    public synchronized long refused() {
        return writes.values().stream()
                .flatMap(List::stream)
                .filter(write -> !write.accepted())
                .count();
    }

    /** {@return the names of the locks under which was written} */
    synchronized List<String> written() {
        return List.copyOf(writes.keySet());
    }
}
