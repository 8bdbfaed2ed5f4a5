// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

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
 * <p>Completing a future runs its continuations on the completing thread, before it wakes threads that wait. Here the
 * two are separate: {@link #fail} ends every {@code get} and {@code join} at once and runs nothing of the application,
 * so any thread may call it; {@link #tell} runs the continuations, and needs a thread that these may block.
 */
final class Promise extends CompletableFuture<Lease> {

    /** What threads wait for. The application never sees it, so nothing continues it. */
    private final CompletableFuture<Lease> awaited = new CompletableFuture<>();

    /**
     * Fails it for threads that wait now or later; returns whether it was not complete. {@link #tell} has to follow.
     */
    boolean fail(Throwable failure) {
        return awaited.completeExceptionally(failure);
    }

    /** Runs its continuations, after {@link #fail} with the same failure. */
    void tell(Throwable failure) {
        super.completeExceptionally(failure);
    }

    @Override
    public boolean complete(Lease lease) {
        return awaited.complete(lease) && super.complete(lease);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return awaited.completeExceptionally(failure) && super.completeExceptionally(failure);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return awaited.cancel(mayInterruptIfRunning) && super.cancel(mayInterruptIfRunning);
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
        awaited.obtrudeValue(lease);
        super.obtrudeValue(lease);
    }

    @Override
    public void obtrudeException(Throwable failure) {
        awaited.obtrudeException(failure);
        super.obtrudeException(failure);
    }

    @Override
    public boolean isDone() {
        return awaited.isDone();
    }

    @Override
    public boolean isCancelled() {
        return awaited.isCancelled();
    }

    @Override
    public boolean isCompletedExceptionally() {
        return awaited.isCompletedExceptionally();
    }

    @Override
    public Lease get() throws InterruptedException, ExecutionException {
        return awaited.get();
    }

    @Override
    public Lease get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        return awaited.get(timeout, unit);
    }

    @Override
    public Lease join() {
        return awaited.join();
    }

    @Override
    public Lease getNow(Lease absent) {
        return awaited.getNow(absent);
    }
}
