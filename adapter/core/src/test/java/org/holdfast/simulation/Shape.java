// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import org.holdfast.LockMode;
import org.holdfast.LockRequest;

/** In which way a simulated thread locks. */
enum Shape {
    PLAIN,
    FAIR,
    READING,
    WRITING,
    /** Has the lock alone and then continues as a reader. */
    DOWNGRADING,
    /** Two names in one lease. */
    SEVERAL,
    PERMIT,
    /** Keeps others out for a minimum time, also after the release. */
    KEPT;

    /** Of clusters all names are in the same slot. */
    private static final String NAMES = "{n}lock-";

    private static final String POOLS = "{n}pool-";

    /** Returns whether a waiter of this shape is served before later ones. */
    boolean isInTurn() {
        return this != PLAIN && this != SEVERAL && this != PERMIT && this != KEPT;
    }

    /**
     * Returns what to ask for.
     *
     * @param lock 0 or, where there are several, 1
     * @param permits how many a semaphore has
     */
    LockRequest request(int lock, int permits) {
        LockRequest plain = LockRequest.of(NAMES + lock);
        return switch (this) {
            case PLAIN, KEPT -> plain;
            case FAIR -> plain.fair(true);
            case READING -> plain.mode(LockMode.READ);
            case WRITING, DOWNGRADING -> plain.mode(LockMode.WRITE);
            case SEVERAL -> LockRequest.allOf(NAMES + lock, NAMES + (1 - lock));
            case PERMIT -> LockRequest.semaphore(POOLS + lock, permits);
        };
    }
}
