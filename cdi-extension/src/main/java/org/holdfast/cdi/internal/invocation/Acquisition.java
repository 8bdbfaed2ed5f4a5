// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.cdi.OnBusy;
import org.holdfast.cdi.internal.operation.LockedOperation;
import org.jspecify.annotations.Nullable;

/**
 * Takes the lock of one call.
 *
 * @param services of the application
 * @param request with the names that the arguments of the call give
 */
record Acquisition(CallServices services, LockedOperation operation, LockRequest request) {

    /**
     * Returns the lease; null if another holder had the lock and the call is skipped then.
     *
     * @throws LockException if there is neither, or the thread is interrupted, which it stays
     */
    @Nullable
    Lease leaseUnlessSkipped() {
        boolean skips = operation.onBusy() == OnBusy.SKIP;
        Lease taken;
        try {
            taken = acquire(skips);
        } catch (LockTimeoutException e) {
            timedOut(false);
            throw e;
        }
        if (taken == null) {
            timedOut(true);
        }
        return taken;
    }

    private void timedOut(boolean skipped) {
        services.events().timedOut(operation.method(), request.names(), skipped);
    }

    private @Nullable Lease acquire(boolean skips) {
        Lease taken = null;
        try (LockConnection connection = services.factories().connect(operation.factory())) {
            taken = skips ? connection.tryAcquire(request).orElse(null) : connection.acquire(request);
        } catch (RuntimeException | Error e) { // the container did not take the connection back, and nothing else does
            if (taken != null) {
                taken.release();
            }
            throw e;
        } catch (InterruptedException e) { // the method need not declare it
            Thread.currentThread().interrupt();
            throw new LockException("HF0506: interrupted while waiting for lock '" + request.name() + "'", e);
        }
        return taken;
    }
}
