// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.List;
import java.util.Optional;

/**
 * The holders of this process that have a lock one after the other, without a release on the nodes.
 *
 * @param since when the first of them got it
 * @param passed how often it was handed off
 * @param standstills how often our clock had stood still when the first of them asked for it
 * @param suspicion whether the lock may have been taken away from them
 * @param order the numbers of the tickets that come after that of the first of them, as far as nodes have told it;
 *     empty where the nodes do not know the waiters
 */
public record Cohort(long since, int passed, long standstills, Suspicion suspicion, Optional<List<Long>> order) {

    public Cohort {
        order = order.map(List::copyOf);
    }

    public Cohort(long since, long standstills, Optional<List<Long>> order) {
        this(since, 0, standstills, new Suspicion(), order);
    }

    Cohort next() {
        return new Cohort(since, passed + 1, standstills, suspicion, order);
    }

    /** Returns whether the next holder must be the next one by the nodes. */
    public boolean isInTurn() {
        return order.isPresent();
    }

    /** Returns whether a waiter with this ticket comes next, by the nodes. */
    public boolean isNext(long ticket) {
        return order.filter(next -> passed < next.size() && next.get(passed) == ticket)
                .isPresent();
    }
}
