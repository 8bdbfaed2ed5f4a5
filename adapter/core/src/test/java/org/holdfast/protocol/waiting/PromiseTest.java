// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.holdfast.Lease;
import org.junit.jupiter.api.Test;

/** A future of the JDK in everything but this: a failure ends waits before it runs continuations. */
class PromiseTest {

    private static final RuntimeException FAILURE = new IllegalStateException("on purpose");

    private final Lease lease = lease();
    private final Promise promise = new Promise();

    /** What the continuation of the application received. */
    private final List<Object> received = new ArrayList<>();

    PromiseTest() {
        promise.whenComplete((got, failure) -> received.add(failure == null ? got : failure));
    }

    private static Lease lease() {
        return (Lease) Proxy.newProxyInstance(
                PromiseTest.class.getClassLoader(), new Class<?>[] {Lease.class}, (proxy, method, args) -> {
                    throw new AssertionError(method);
                });
    }

    private void assertNothingCompletesIt() {
        assertThat(promise.complete(lease())).isFalse();
        assertThat(promise.completeExceptionally(new IllegalStateException("too late")))
                .isFalse();
        assertThat(promise.fail(new IllegalStateException("too late"))).isFalse();
        assertThat(received).hasSize(1);
    }

    @Test
    void failure_endsWaitsAtOnce_andRunsContinuationsWhenItIsTold() {
        assertThat(promise.fail(FAILURE)).isTrue();
        assertThat(promise.isDone()).isTrue();
        assertThat(promise.isCompletedExceptionally()).isTrue();
        assertThat(promise.isCancelled()).isFalse();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(promise::get)
                .withCause(FAILURE);
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(promise::join)
                .withCause(FAILURE);
        assertThat(received).isEmpty();
        promise.tell(FAILURE);
        assertThat(received).containsExactly(FAILURE);
        assertNothingCompletesIt();
    }

    @Test
    void lease_completesItOnce() {
        assertThat(promise.isDone()).isFalse();
        assertThat(promise.complete(lease)).isTrue();
        assertThat(promise.getNow(null) == lease).isTrue();
        assertThat(received).hasSize(1).allMatch(got -> got == lease);
        assertThat(promise.cancel(true)).isFalse();
        assertThat(promise.isCancelled()).isFalse();
        assertNothingCompletesIt();
    }

    @Test
    void failureByTheApplication_completesItOnce() {
        assertThat(promise.completeExceptionally(FAILURE)).isTrue();
        assertThat(received).containsExactly(FAILURE);
        assertThat(promise.cancel(true)).isFalse();
        assertNothingCompletesIt();
    }

    /** Else a lease that is granted just then would be neither handed out nor released. */
    @Test
    void cancelledPromise_acceptsNoLease() {
        assertThat(promise.cancel(true)).isTrue();
        assertThat(promise.cancel(true)).as("as of a future of the JDK").isTrue();
        assertThat(promise.isCancelled()).isTrue();
        assertThat(received).hasSize(1).allMatch(got -> got instanceof CancellationException);
        assertNothingCompletesIt();
    }

    @Test
    void supplier_completesItOnTheExecutor_unlessItIsComplete() {
        Queue<Runnable> executor = new ArrayDeque<>();
        assertThat(promise.completeAsync(() -> lease, executor::add)).isSameAs(promise);
        promise.completeAsync(
                () -> {
                    throw new AssertionError("not needed any more");
                },
                executor::add);
        assertThat(promise.isDone()).isFalse();
        executor.forEach(Runnable::run);
        assertThat(promise.getNow(null) == lease).isTrue();
    }

    @Test
    void supplierThatFails_failsIt() {
        promise.completeAsync(
                () -> {
                    throw FAILURE;
                },
                Runnable::run);
        assertThat(received).containsExactly(FAILURE);
    }

    @Test
    void result_thatTheApplicationPutsInItsPlace_isSeenByWaitsAndByContinuations() {
        promise.fail(FAILURE);
        promise.obtrudeValue(lease);
        assertThat(promise.getNow(null) == lease).isTrue();
        assertThat(promise.thenApply(got -> got == lease).getNow(false)).isTrue();
        promise.obtrudeException(FAILURE);
        assertThat(promise.isCompletedExceptionally()).isTrue();
        assertThat(promise.handle((got, failure) -> failure).getNow(null)).isSameAs(FAILURE);
    }
}
