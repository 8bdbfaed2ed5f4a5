// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring;

import org.holdfast.Lease;

/** A lock as one thread holds it. For that thread only. */
final class Hold {

    /**
     * What is held, and by which thread.
     *
     * @param thread the holder
     * @param name the lock's name
     */
    record Of(Thread thread, String name) {}

    private final Lease lease;
    private int count = 1;

    Hold(Lease lease) {
        this.lease = lease;
    }

    Lease lease() {
        return lease;
    }

    boolean isHeld() {
        return lease.isHeld();
    }

    void enter() {
        count = Math.addExact(count, 1);
    }

    /** Returns whether the thread does not hold the lock any more. */
    boolean leave() {
        count--;
        return count == 0;
    }
}
