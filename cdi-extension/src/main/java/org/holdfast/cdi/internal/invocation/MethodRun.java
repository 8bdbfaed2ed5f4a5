// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.holdfast.cdi.internal.operation.MethodResult;
import org.jspecify.annotations.Nullable;

/**
 * The method under a lock: the thread that is in it, and what it has returned, which may go on.
 *
 * <p>What the caller gets may be another object, which an interceptor has made of that, and which ends before: at a
 * time limit, or when the caller cancels it. Safe for use by any number of threads.
 */
final class MethodRun {

    private final MethodGate gate = new MethodGate();
    private final MethodResult result;
    private final Runnable release;
    private volatile @Nullable Object returned;

    /** @param release releases the lock; called once */
    MethodRun(MethodResult result, Runnable release) {
        this.result = result;
        this.release = release;
    }

    /** Lets the calling thread in; not beside another thread, nor while the work of the last one goes on. */
    boolean enter() {
        if (!gate.enter()) {
            return false;
        }
        if (isGoingOn()) {
            leave();
            return false;
        }
        return true;
    }

    private boolean isGoingOn() {
        return result == MethodResult.STAGE && returned instanceof CompletionStage<?> work && !LockedStage.isDone(work);
    }

    /** Takes note of what the thread that is in the method brings out of it. */
    void returned(@Nullable Object value) {
        returned = value;
    }

    void leave() {
        if (gate.leave()) {
            releaseWhenDone();
        }
    }

    /**
     * Lets no thread in any more, and has the lock released when none is inside and the work is done.
     *
     * @param waits whether that is awaited. A thread that has the lock could take it once more as long as another one
     *     is in the method; a lock that is kept for a result is no thread's
     */
    void end(boolean waits) {
        if (waits ? gate.closeWhenEmpty() : gate.close()) {
            releaseWhenDone();
        }
    }

    private void releaseWhenDone() {
        if (result == MethodResult.STAGE && returned instanceof CompletionStage<?> work) {
            LockedStage.whenDone(work, release);
            return;
        }
        if (result == MethodResult.FUTURE && returned instanceof Future<?> work) {
            LockedStage.awaitEnd(work);
        }
        release.run();
    }
}
