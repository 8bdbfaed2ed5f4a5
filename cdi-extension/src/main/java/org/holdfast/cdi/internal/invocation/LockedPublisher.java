// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.jspecify.annotations.Nullable;

/**
 * What the caller gets of a method that sends items when it has returned: the lock is held until the one subscriber has
 * received the last item, or wants no more.
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
     * @param release releases the lock; called once at the most
     */
    LockedPublisher(Flow.Publisher<T> work, Lease lease, boolean tellsOfLoss, Runnable release) {
        this.work = work;
        this.lease = lease;
        this.tellsOfLoss = tellsOfLoss;
        this.release = release;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super T> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        if (!subscribed.compareAndSet(false, true)) { // the lock may be another caller's when this one gets its items
            refuse(
                    subscriber,
                    new IllegalStateException("the lock on '" + lease.name() + "' is held for one subscriber"));
            return;
        }
        Throwable unprotected = LockedStage.whyNotHeld(lease);
        if (unprotected == null) {
            subscribeUnderLock(subscriber);
        } else { // the work may begin only now: it would run without the lock from its first item to its last
            release.run();
            refuse(subscriber, unprotected);
        }
    }

    /** No other subscriber comes: where this one fails, the work has not begun, and none ends it. */
    private void subscribeUnderLock(Flow.Subscriber<? super T> subscriber) {
        UnderLock underLock = null;
        boolean subscribes = false;
        try {
            underLock = new UnderLock(subscriber);
            work.subscribe(underLock);
            subscribes = true;
        } finally {
            if (!subscribes && (underLock == null || underLock.over.compareAndSet(false, true))) {
                release.run();
            }
        }
    }

    private static void refuse(Flow.Subscriber<?> subscriber, Throwable reason) {
        subscriber.onSubscribe(NOTHING);
        subscriber.onError(reason);
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
         * How many signals the subscriber is getting now: first its subscription, and items, one inside of another if
         * it asks for more while it is getting one; and {@link #LOST} when it is to get no more. A loss comes on a
         * thread of its own, and must wait for the signal.
         */
        private final AtomicInteger signals = new AtomicInteger(1);

        private volatile @Nullable LeaseLostException lost;
        private volatile Flow.@Nullable Subscription subscription;

        UnderLock(Flow.Subscriber<? super T> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void onSubscribe(Flow.Subscription toWork) {
            if (subscription != null) {
                toWork.cancel(); // there is one already, and one may not be taken for the other
                return;
            }
            subscription = toWork;
            if (tellsOfLoss) { // before the subscriber asks for items: all of them may be sent inside of the next line
                lease.onLost(loss -> lose(new LeaseLostException(loss)));
            }
            try {
                subscriber.onSubscribe(this);
            } finally {
                endSignal();
            }
        }

        private Flow.Subscription subscription() {
            return Objects.requireNonNull(subscription, "the publisher signals before it has subscribed");
        }

        private void endSignal() {
            if (signals.decrementAndGet() == LOST) {
                subscriber.onError(lost);
            }
        }

        private void lose(LeaseLostException loss) {
            if (over.compareAndSet(false, true)) {
                try {
                    endWork();
                } finally { // whatever fails there: the subscriber is not to wait for ever
                    lost = loss;
                    if (signals.getAndAdd(LOST) == 0) {
                        subscriber.onError(loss);
                    }
                }
            }
        }

        private void endWork() {
            try {
                subscription().cancel();
            } finally {
                release.run();
            }
        }

        private boolean mayGetAnItem() {
            return !over.get() && signals.getAndUpdate(n -> n < LOST ? n + 1 : n) < LOST;
        }

        @Override
        public void onNext(T item) {
            if (mayGetAnItem()) {
                try {
                    subscriber.onNext(item);
                } finally {
                    endSignal();
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
                Throwable unprotected = tellsOfLoss ? LockedStage.whyNotHeld(lease) : null;
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
            subscription().request(count);
        }

        @Override
        public void cancel() {
            if (over.compareAndSet(false, true)) {
                endWork();
            }
        }
    }
}
