// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Takes a lock for each subscriber that requests it, and publishes the lease. Safe for use by several threads. */
final class LeasePublisher implements Flow.Publisher<Lease> {

    private final Supplier<CompletableFuture<Lease>> acquisitions;

    /** @param acquisitions begins an acquisition */
    LeasePublisher(Supplier<CompletableFuture<Lease>> acquisitions) {
        this.acquisitions = acquisitions;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super Lease> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        subscriber.onSubscribe(new OneLease(subscriber));
    }

    /** What one subscriber gets: one lease, or a failure. */
    private final class OneLease implements Flow.Subscription {

        /** Takes the place of an acquisition that has not begun, and of one that the subscriber wants no more. */
        private static final CompletableFuture<Lease> ENDED = new CompletableFuture<>();

        private final Flow.Subscriber<? super Lease> subscriber;
        private final AtomicReference<CompletableFuture<Lease>> acquisition = new AtomicReference<>();

        OneLease(Flow.Subscriber<? super Lease> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void request(long number) {
            if (number <= 0) {
                fail(new IllegalArgumentException("a subscriber must request 1 lease or more, requested " + number));
                return;
            }
            CompletableFuture<Lease> placeholder = new CompletableFuture<>();
            if (!acquisition.compareAndSet(null, placeholder)) {
                return; // one lease is all that there is
            }
            CompletableFuture<Lease> begun;
            try {
                begun = acquisitions.get();
            } catch (RuntimeException e) {
                fail(e);
                return;
            }
            boolean isWanted = acquisition.compareAndSet(placeholder, begun);
            begun.whenComplete((lease, failure) -> done(begun, lease, failure));
            if (!isWanted) { // cancelled meanwhile
                begun.cancel(false);
            }
        }

        private void done(CompletableFuture<Lease> begun, Lease lease, Throwable failure) {
            if (!acquisition.compareAndSet(begun, ENDED)) {
                if (lease != null) {
                    lease.release();
                }
            } else if (lease != null) {
                give(lease);
            } else {
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
                signal(() -> subscriber.onError(cause == null ? failure : cause));
            }
        }

        private void give(Lease lease) {
            if (signal(() -> subscriber.onNext(lease))) {
                signal(subscriber::onComplete);
            } else {
                lease.release(); // the subscriber failed before it could see to that
            }
        }

        /**
         * Returns whether the subscriber took the signal. One that throws breaks a rule of {@link Flow}. Its error must
         * not be lost in the future of the acquisition, where no caller looks.
         */
        private boolean signal(Runnable call) {
            try {
                call.run();
                return true;
            } catch (Throwable e) {
                report(e);
                return false;
            }
        }

        private void report(Throwable error) {
            Thread thread = Thread.currentThread();
            try {
                thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
            } catch (Throwable e) {
                // passed over, as the JVM does: the lease has still to be released
            }
        }

        private void fail(RuntimeException failure) {
            CompletableFuture<Lease> before = acquisition.getAndSet(ENDED);
            if (before != ENDED) {
                withdraw(before);
                subscriber.onError(failure);
            }
        }

        @Override
        public void cancel() {
            withdraw(acquisition.getAndSet(ENDED));
        }

        /** Also where the lock is granted just then: it is released. */
        private void withdraw(CompletableFuture<Lease> begun) {
            if (begun != null && begun != ENDED && !begun.isDone()) {
                begun.cancel(false);
            }
        }
    }
}
