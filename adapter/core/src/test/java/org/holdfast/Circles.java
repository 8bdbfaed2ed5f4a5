// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Finds the classes that know each other, directly or through others. */
final class Circles {

    private Circles() {}

    /** Returns the circles of several classes. */
    static Set<Set<String>> of(Map<String, Set<String>> knows) {
        Map<String, Set<String>> reaches = new TreeMap<>();
        knows.keySet().forEach(name -> reaches.put(name, reachableFrom(name, knows)));
        Set<Set<String>> circles = new LinkedHashSet<>();
        reaches.forEach((name, reached) -> {
            Set<String> circle = new TreeSet<>(reached);
            circle.removeIf(other -> !reaches.getOrDefault(other, Set.of()).contains(name));
            if (circle.size() > 1) {
                circles.add(circle);
            }
        });
        return circles;
    }

    private static Set<String> reachableFrom(String name, Map<String, Set<String>> knows) {
        Set<String> reached = new TreeSet<>();
        Deque<String> left = new ArrayDeque<>(knows.get(name));
        while (!left.isEmpty()) {
            String next = left.pop();
            if (reached.add(next)) {
                left.addAll(knows.getOrDefault(next, Set.of()));
            }
        }
        return reached;
    }
}
