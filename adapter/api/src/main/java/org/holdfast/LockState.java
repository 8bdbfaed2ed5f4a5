// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.List;
import java.util.Objects;

/**
 * A lock as its nodes know it: returned by {@link LockOperations#state} and {@link LockOperations#locks}.
 *
 * @param request what it is: its name, and for a semaphore the number of permits. A semaphore in a listing has as many
 *     as the largest one that is held needs
 * @param holders its holders, sorted by token; empty if it is free
 * @param inLine how many callers wait in line, in all processes: those that asked for it in a fair way; 0 for a
 *     semaphore
 * @param listening how many processes wait to receive its release, in line or not; one process may have any number of
 *     callers that wait. They may wait for a lock, a semaphore or a latch of that name: nodes do not know for which
 */
public record LockState(LockRequest request, List<LockHolder> holders, int inLine, int listening) {

    /**
     * Checks that everything is there.
     *
     * @param request what it is
     * @param holders its holders
     * @param inLine how many callers wait in line, 0 or more
     * @param listening how many processes wait to receive its release, 0 or more
     * @throws IllegalArgumentException if a number is negative
     */
    public LockState {
        Objects.requireNonNull(request, "request");
        holders = List.copyOf(holders);
        if (inLine < 0 || listening < 0) {
            throw new IllegalArgumentException(
                    "numbers of waiters must be 0 or more, were " + inLine + " and " + listening);
        }
    }

    /** {@return the lock's name} */
    public String name() {
        return request.name();
    }

    /** {@return whether no holder has it, and no process waits for it} */
    public boolean isIdle() {
        return holders.isEmpty() && inLine == 0 && listening == 0;
    }
}
