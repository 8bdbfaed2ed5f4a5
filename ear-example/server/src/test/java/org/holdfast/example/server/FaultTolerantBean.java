// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.microprofile.faulttolerance.Asynchronous;
import org.eclipse.microprofile.faulttolerance.Bulkhead;
import org.holdfast.cdi.Locked;

/** Locked methods that MicroProfile Fault Tolerance runs on threads of its own. */
@ApplicationScoped
public class FaultTolerantBean {

    private final CountDownLatch runs = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicBoolean queuedRan = new AtomicBoolean();

    @Asynchronous
    @Locked("tolerant")
    public CompletionStage<String> run() {
        runs.countDown();
        awaitUninterruptibly(mayEnd);
        return CompletableFuture.completedFuture("done");
    }

    /** One at a time: a second call is queued. */
    @Asynchronous
    @Bulkhead(value = 1, waitingTaskQueue = 5)
    @Locked("tolerant-#{number}")
    public CompletionStage<String> queued(int number) {
        if (number == 1) {
            return run();
        }
        queuedRan.set(true);
        return CompletableFuture.completedFuture("done");
    }

    public boolean awaitRun() throws InterruptedException {
        return runs.await(30, TimeUnit.SECONDS);
    }

    public void end() {
        mayEnd.countDown();
    }

    public boolean hasQueuedRun() {
        return queuedRan.get();
    }

    /** Fault Tolerance interrupts what is cancelled. */
    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean done = false;
        while (!done) {
            try {
                latch.await();
                done = true;
            } catch (InterruptedException e) {
                done = latch.getCount() == 0;
            }
        }
    }
}
