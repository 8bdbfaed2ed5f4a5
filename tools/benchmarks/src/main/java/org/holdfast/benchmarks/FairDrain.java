// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** How soon all have had a fair lock that many threads of a process wait for, and how many came before their turn. */
final class FairDrain {

    private static final int WAITERS = 64;
    private static final int ROUNDS = 12;

    /** So that each has asked before the next one does. */
    private static final long APART_MILLIS = 15;

    private FairDrain() {}

    /** @param millis the median of some rounds */
    record Drained(double millis, int inversions) {}

    static Drained measure(Library library, List<String> nodes) throws Exception {
        try (LockClient client = library.connect(nodes)) {
            List<Double> millis = new ArrayList<>();
            int inversions = 0;
            for (int round = 0; round < ROUNDS; round++) {
                List<Integer> order = Collections.synchronizedList(new ArrayList<>());
                LockClient.Taken first = client.take("drained");
                List<FutureTask<Void>> waiters = new ArrayList<>();
                for (int i = 0; i < WAITERS; i++) {
                    int waiter = i;
                    waiters.add(Measured.start(() -> {
                        LockClient.Taken taken = client.take("drained");
                        order.add(waiter);
                        taken.release().run();
                        return null;
                    }));
                    TimeUnit.MILLISECONDS.sleep(APART_MILLIS);
                }
                long begun = System.nanoTime();
                first.release().run();
                for (FutureTask<Void> waiter : waiters) {
                    waiter.get();
                }
                millis.add((System.nanoTime() - begun) / 1e6);
                for (int i = 1; i < order.size(); i++) {
                    inversions += order.get(i) < order.get(i - 1) ? 1 : 0;
                }
            }
            Collections.sort(millis);
            return new Drained(millis.get(ROUNDS / 2), inversions);
        }
    }
}
