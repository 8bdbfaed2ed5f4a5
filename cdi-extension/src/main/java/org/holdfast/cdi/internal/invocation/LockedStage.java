// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.jspecify.annotations.Nullable;

/** What the caller gets of a method whose work goes on after it has returned: the lock is held until that is done. */
final class LockedStage {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private LockedStage() {}

    /**
     * Returns a stage that completes as the method's does, once the lock is released. The work goes on meanwhile, so it
     * is tried again where there is no memory for that: nothing else would hold the lock until the work ends.
     *
     * @param tellsOfLoss whether it completes with a {@link LeaseLostException} as soon as the lease is lost
     * @param release releases the lock; called once
     */
    static CompletableFuture<?> of(CompletionStage<?> work, Lease lease, boolean tellsOfLoss, Runnable release) {
        CompletableFuture<?> result = null;
        while (result == null) {
            try {
                result = follow(work, lease, tellsOfLoss, release);
            } catch (OutOfMemoryError e) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        return result;
    }

    private static CompletableFuture<?> follow(
            CompletionStage<?> work, Lease lease, boolean tellsOfLoss, Runnable release) {
        CompletableFuture<Object> result = new CompletableFuture<>();
        result.whenComplete((value, failure) -> {
            if (result.isCancelled()) {
                work.toCompletableFuture().cancel(true);
            }
        });
        if (tellsOfLoss) {
            lease.onLost(loss -> result.completeExceptionally(new LeaseLostException(loss)));
        }
        // last: what fails before is tried again, and the lock is to be released once
        work.whenComplete((value, failure) -> {
            Throwable unprotected = tellsOfLoss ? whyNotHeld(lease) : null;
            try {
                release.run();
            } finally { // whatever becomes of the lock, no caller is to wait for ever
                if (unprotected != null || failure != null) {
                    result.completeExceptionally(unprotected != null ? unprotected : failure);
                } else {
                    result.complete(value);
                }
            }
        });
        return result;
    }

    /**
     * Calls when the work is done, on the thread that completes it. It goes on meanwhile, so this is tried again where
     * there is no memory.
     */
    static void whenDone(CompletionStage<?> work, Runnable release) {
        boolean isAwaited = false;
        while (!isAwaited) {
            try {
                work.whenComplete((value, failure) -> release.run());
                isAwaited = true;
            } catch (OutOfMemoryError e) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Returns whether the work is done, as far as the stage says so. */
    static boolean isDone(CompletionStage<?> work) {
        try {
            return work.toCompletableFuture().isDone();
        } catch (UnsupportedOperationException e) {
            return false;
        }
    }

    /**
     * Returns what stands against relying on the lock, or null: it was lost, or released when the service was stopped.
     * To be checked before the release.
     */
    static @Nullable Throwable whyNotHeld(Lease lease) {
        try {
            lease.requireHeld();
            return null;
        } catch (LeaseLostException | IllegalStateException | OutOfMemoryError e) {
            return e;
        }
    }

    /**
     * Waits until the work of an asynchronous EJB method is done, on the thread that the container has for it. The
     * container waits as well, but when the interceptors have returned. An interrupt does not end the work, so it does
     * not end the wait.
     */
    static void awaitEnd(Future<?> work) {
        boolean interrupted = false;
        for (boolean done = false; !done; ) {
            try {
                work.get();
                done = true;
            } catch (ExecutionException | CancellationException e) {
                done = true; // the caller gets it from the future
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
