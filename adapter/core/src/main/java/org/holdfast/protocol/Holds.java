// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** What this process holds, by name. A name that it does not hold takes no memory. Safe for use by any number of threads. */
final class Holds {

    private final ConcurrentHashMap<String, List<Hold>> byName = new ConcurrentHashMap<>();

    void add(Hold hold) {
        for (String name : hold.claim().target().names()) {
            byName.merge(name, List.of(hold), Holds::joined);
        }
    }

    void remove(Hold hold) {
        for (String name : hold.claim().target().names()) {
            byName.computeIfPresent(name, (key, present) -> without(present, hold));
        }
    }

    /** Lets one hold take the place of another on the same names, so that the lock is never seen free. */
    void replace(Hold old, Hold heir) {
        for (String name : heir.claim().target().names()) {
            byName.compute(name, (key, present) -> {
                List<Hold> others = present == null ? null : without(present, old);
                return others == null ? List.of(heir) : joined(others, List.of(heir));
            });
        }
    }

    private static List<Hold> joined(List<Hold> some, List<Hold> others) {
        List<Hold> all = new ArrayList<>(some);
        all.addAll(others);
        return List.copyOf(all);
    }

    private static List<Hold> without(List<Hold> holds, Hold hold) {
        if (holds.size() == 1 && holds.get(0) == hold) {
            return null;
        }
        return holds.stream().filter(h -> h != hold).toList();
    }

    /** Returns what is held of a name, in whichever way. */
    List<Hold> of(String name) {
        return byName.getOrDefault(name, List.of());
    }

    /** Returns the first hold of a name that fits, or null. */
    Hold find(String name, Predicate<Hold> fits) {
        for (Hold hold : of(name)) {
            if (fits.test(hold)) {
                return hold;
            }
        }
        return null;
    }

    /** Returns all holds, each once. */
    Set<Hold> all() {
        Set<Hold> all = new LinkedHashSet<>();
        byName.values().forEach(all::addAll);
        return all;
    }

    /** Returns which names are held, sorted: the first ones up to a bound. */
    List<String> names(int most) {
        return byName.keySet().stream().sorted().limit(most).toList();
    }

    /** Returns how many names are held. */
    int size() {
        return byName.size();
    }
}
