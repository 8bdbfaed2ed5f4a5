// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;

/**
 * What the caller of a method gets who is sent items when it has returned: the lock is held until the one subscriber has had the
 * last, or wants no more.
 */
final class LockedPublisher<T> implements Flow.Publisher<T> {

    /** More than any number of items inside of each other. */
    private static final int LOST = 1 << 30;

    private final Flow.Publisher<T> work;
    private final Lease lease;
    private final boolean tellsOfLoss;
    private final Runnable release;
    private final AtomicBoolean subscribed = new AtomicBoolean();

    /**
     * @param tellsOfLoss whether the subscriber gets a {@link LeaseLostException} as soon as the lease is lost
     * @param release gives the lock back; called once at the most
     */
    LockedPublisher(Flow.Publisher<T> work, Lease lease, boolean tellsOfLoss, Runnable release) {
        this.work = work;
        this.lease = lease;
        this.tellsOfLoss = tellsOfLoss;
        this.release = release;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super T> subscriber) {
        if (subscribed.compareAndSet(false, true)) {
            work.subscribe(new UnderLock(subscriber));
        } else { // the lock may be somebody else's when this one gets its items
            subscriber.onSubscribe(NOTHING);
            subscriber.onError(
                    new IllegalStateException("the lock on '" + lease.name() + "' is held for one subscriber"));
        }
    }

    private static final Flow.Subscription NOTHING = new Flow.Subscription() {
        @Override
        public void request(long count) {
            // there is nothing
        }

        @Override
        public void cancel() {
            // there is nothing
        }
    };

    /** Stands between the method's publisher and the caller's subscriber, both ways. */
    private final class UnderLock implements Flow.Subscriber<T>, Flow.Subscription {

        private final Flow.Subscriber<? super T> subscriber;
        private final AtomicBoolean over = new AtomicBoolean();

        /**
         * How many items the subscriber is getting now, one inside of another if it asks for more while it is getting one; and
         * {@link #LOST} when it is to get no more. A loss comes on a thread of its own, and must wait for the item.
         */
        private final AtomicInteger signals = new AtomicInteger();

        private volatile LeaseLostException lost;
        private volatile Flow.Subscription subscription;

        UnderLock(Flow.Subscriber<? super T> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void onSubscribe(Flow.Subscription toWork) {
            subscription = toWork;
            subscriber.onSubscribe(this);
            if (tellsOfLoss) {
                lease.onLost(loss -> lose(new LeaseLostException(loss)));
            }
        }

        private void lose(LeaseLostException loss) {
            if (over.compareAndSet(false, true)) {
                subscription.cancel();
                release.run();
                lost = loss;
                if (signals.getAndAdd(LOST) == 0) {
                    subscriber.onError(loss);
                }
            }
        }

        private boolean mayGetAnItem() {
            return !over.get() && signals.getAndUpdate(n -> n < LOST ? n + 1 : n) < LOST;
        }

        @Override
        public void onNext(T item) {
            if (mayGetAnItem()) {
                subscriber.onNext(item);
                if (signals.decrementAndGet() == LOST) {
                    subscriber.onError(lost);
                }
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (over.compareAndSet(false, true)) {
                release.run();
                subscriber.onError(failure);
            }
        }

        @Override
        public void onComplete() {
            if (over.compareAndSet(false, true)) {
                RuntimeException unprotected = tellsOfLoss ? LockedStage.whyNotHeld(lease) : null;
                release.run();
                if (unprotected == null) {
                    subscriber.onComplete();
                } else {
                    subscriber.onError(unprotected);
                }
            }
        }

        @Override
        public void request(long count) {
            subscription.request(count);
        }

        @Override
        public void cancel() {
            if (over.compareAndSet(false, true)) {
                subscription.cancel();
                release.run();
            }
        }
    }
}
