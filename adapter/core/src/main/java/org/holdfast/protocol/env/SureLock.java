// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.concurrent.locks.ReentrantLock;

/** Takes locks of this process where a thread has no memory left, and must not end without them. */
public final class SureLock {

    private SureLock() {}

    /** Takes the lock. To wait for it needs memory; without any, the thread asks until it has it. */
    public static void take(ReentrantLock lock) {
        try {
            lock.lock();
        } catch (OutOfMemoryError e) {
            while (!lock.tryLock()) {
                Thread.onSpinWait();
            }
        }
    }
}
