// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * Decides a semaphore: its holders are in no order, so nothing is to be kept but their number.
 *
 * <p>Each grant takes effect when its caller had the answer, and each end when its caller stopped to believe in it. Any
 * other choice makes holds longer, and so more of them at one moment. A lease that was over when it came needs one
 * moment at which a permit was free.
 */
final class PermitCount {

    private final String lock;
    private final int permits;
    private final Violations violations;

    /** From when to when no permit was free. */
    private final NavigableMap<Long, Long> full = new TreeMap<>();

    private PermitCount(String lock, int permits, Violations violations) {
        this.lock = lock;
        this.permits = permits;
        this.violations = violations;
    }

    /** @param holds are sorted */
    static void decide(String lock, List<Hold> holds, Violations violations) {
        holds.sort(Comparator.comparingLong(Hold::granted));
        int most = holds.stream().mapToInt(Hold::permits).max().orElse(1); // where callers differ, the most count
        PermitCount count = new PermitCount(lock, most, violations);
        count.decideClaimed(holds);
        holds.stream().filter(hold -> !hold.isClaimed()).forEach(count::decideOver);
    }

    private void decideClaimed(List<Hold> holds) {
        PriorityQueue<Long> ends = new PriorityQueue<>();
        for (Hold hold : holds) {
            while (!ends.isEmpty() && ends.peek() <= hold.granted()) {
                ends.poll();
            }
            if (hold.isClaimed()) {
                ends.add(hold.end());
                if (ends.size() > permits) {
                    report(ends.size() + " holders of " + permits + " permits with " + hold);
                }
                if (ends.size() >= permits) {
                    full.put(hold.granted(), ends.peek());
                }
            }
        }
    }

    private void decideOver(Hold hold) {
        Map.Entry<Long, Long> last = full.lowerEntry(Math.max(hold.asked(), hold.end()));
        if (last != null && last.getValue() > hold.granted()) {
            report("none of " + permits + " permits was free for " + hold);
        }
    }

    private void report(String text) {
        violations.add(Rule.PERMITS, lock, text);
    }
}
