// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;

/**
 * The names with the largest sums, of any number of names, in bounded memory: the algorithm Space-Saving (Metwally,
 * Agrawal, El Abbadi: Efficient computation of frequent and top-k elements in data streams, ICDT 2005).
 *
 * <p>A name that is not among those kept takes the place of the one with the smallest sum, and begins with that sum. So
 * a name whose true sum is larger than the sum of all, divided by the number of places, is always among them; and what
 * is shown is too large by {@link Sum#atMostTooLarge} at the most, and never too small.
 *
 * <p>Safe for use by any number of threads.
 */
public final class Heaviest {

    /**
     * A name and what was added for it.
     *
     * @param name the name
     * @param sum of what was added, in the unit of what was added
     * @param atMostTooLarge how much of the sum may be of names that had its place before; 0 if it is exact
     */
    public record Sum(String name, long sum, long atMostTooLarge) {}

    private final int places;
    private final Lock lock = new SureLock();
    private final Map<String, Sum> sums = new HashMap<>();

    /** @param places how many names are kept */
    public Heaviest(int places) {
        if (places < 1) {
            throw new IllegalArgumentException("places must be 1 or more, were " + places);
        }
        this.places = places;
    }

    /** Adds to the sum of a name. */
    public void add(String name, long weight) {
        lock.lock();
        try {
            Sum known = sums.get(name);
            if (known != null) {
                sums.put(name, new Sum(name, known.sum() + weight, known.atMostTooLarge()));
            } else if (sums.size() < places) {
                sums.put(name, new Sum(name, weight, 0));
            } else {
                Sum least = sums.values().stream()
                        .min(Comparator.comparingLong(Sum::sum))
                        .orElseThrow();
                sums.remove(least.name());
                sums.put(name, new Sum(name, least.sum() + weight, least.sum()));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns those with the largest sums, the largest first. */
    public List<Sum> largest(int most) {
        lock.lock();
        try {
            return sums.values().stream()
                    .sorted(Comparator.comparingLong(Sum::sum).reversed().thenComparing(Sum::name))
                    .limit(most)
                    .toList();
        } finally {
            lock.unlock();
        }
    }
}
