// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.holdfast.history.History;
import org.holdfast.history.HistoryCheck;
import org.holdfast.history.Hold;
import org.holdfast.history.Kind;
import org.holdfast.history.Verdict;
import org.holdfast.history.Write;

/**
 * Decides a history of so many holds, 10,000,000 if no number is given, and as many writes, in any order; then the same
 * with one overlap in its middle. Needs about 300 bytes of heap for each hold.
 */
final class DecideHistory {

    private static final int LOCKS = 10;

    /** Waiters of a lock ask long before they get it. */
    private static final int WAITERS = 50;

    private final History history = new History();
    private final List<Hold> holds = new ArrayList<>();
    private final Random random = new Random(1);
    private final long[] ends = new long[LOCKS];

    private DecideHistory() {}

    public static void main(String[] arguments) {
        int holds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10_000_000;
        DecideHistory it = new DecideHistory();
        for (int hold = 1; hold <= holds; hold++) {
            it.add(hold);
        }
        Hold one = it.holds.get(holds / 2);
        Collections.shuffle(it.holds, it.random);
        it.holds.forEach(it.history::add);
        it.decide();
        it.history.add(new Hold(
                WAITERS, one.lock(), one.kind(), 1, one.token() + 1, one.asked(), one.granted(), one.end(), one.end()));
        it.decide();
    }

    /** The one after the last of a lock, whose waiter had asked some holds before. */
    private void add(int hold) {
        int lock = random.nextInt(LOCKS);
        long granted = ends[lock] + random.nextInt(1_000);
        long asked = Math.max(0, granted - random.nextInt(WAITERS * 1_000));
        long end = granted + 1 + random.nextInt(1_000);
        ends[lock] = end;
        String name = "lock-" + lock;
        holds.add(new Hold(hold % WAITERS, name, Kind.EXCLUSIVE, 1, 2L * hold, asked, granted, end, end));
        history.add(new Write(name, 2L * hold, granted, true));
    }

    private void decide() {
        long begun = System.nanoTime();
        Verdict verdict = HistoryCheck.decide(history);
        System.out.printf("%.1f s: %s%n", (System.nanoTime() - begun) / 1e9, verdict);
    }
}
