// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.holdfast.Lease;

/**
 * The future of an asynchronous request.
 *
 * <p>To complete a future runs what continues it, on the completing thread, before that comes to threads which wait. Here the two
 * are apart: {@link #fail} ends every {@code get} and {@code join} at once and runs nothing of the application, so any thread may
 * call it; {@link #tell} runs the continuations, and needs a thread that these may block.
 */
final class Promise extends CompletableFuture<Lease> {

    /** What threads wait for. The application never sees it, so nothing continues it. */
    private final CompletableFuture<Lease> outcome = new CompletableFuture<>();

    /** Fails it for those who wait, and begin to wait; returns whether it was not complete. {@link #tell} has to follow. */
    boolean fail(Throwable failure) {
        return outcome.completeExceptionally(failure);
    }

    /** Runs what continues it, after {@link #fail} with the same failure. */
    void tell(Throwable failure) {
        super.completeExceptionally(failure);
    }

    @Override
    public boolean complete(Lease lease) {
        return outcome.complete(lease) && super.complete(lease);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return outcome.completeExceptionally(failure) && super.completeExceptionally(failure);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean first = outcome.cancel(mayInterruptIfRunning);
        return first ? super.cancel(mayInterruptIfRunning) : outcome.isCancelled();
    }

    @Override
    public CompletableFuture<Lease> completeAsync(Supplier<? extends Lease> supplier, Executor executor) {
        executor.execute(() -> {
            if (!isDone()) {
                try {
                    complete(supplier.get());
                } catch (Throwable e) {
                    completeExceptionally(e);
                }
            }
        });
        return this;
    }

    @Override
    public void obtrudeValue(Lease lease) {
        outcome.obtrudeValue(lease);
        super.obtrudeValue(lease);
    }

    @Override
    public void obtrudeException(Throwable failure) {
        outcome.obtrudeException(failure);
        super.obtrudeException(failure);
    }

    @Override
    public boolean isDone() {
        return outcome.isDone();
    }

    @Override
    public boolean isCancelled() {
        return outcome.isCancelled();
    }

    @Override
    public boolean isCompletedExceptionally() {
        return outcome.isCompletedExceptionally();
    }

    @Override
    public Lease get() throws InterruptedException, ExecutionException {
        return outcome.get();
    }

    @Override
    public Lease get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        return outcome.get(timeout, unit);
    }

    @Override
    public Lease join() {
        return outcome.join();
    }

    @Override
    public Lease getNow(Lease absent) {
        return outcome.getNow(absent);
    }
}
