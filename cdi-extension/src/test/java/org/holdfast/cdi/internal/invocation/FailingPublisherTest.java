// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.junit.jupiter.api.Test;

/** A publisher that throws where its specification forbids it does not keep the lock for ever. */
class FailingPublisherTest {

    private static final Lease HELD = (Lease) Proxy.newProxyInstance(
            FailingPublisherTest.class.getClassLoader(), new Class<?>[] {Lease.class}, (proxy, method, arguments) -> {
                return null;
            });

    private static final LeaseLoss LOSS = new LeaseLoss("ordered", 1, Duration.ZERO, "on purpose");

    private final AtomicInteger released = new AtomicInteger();

    private static UnsupportedOperationException onPurpose() {
        return new UnsupportedOperationException("on purpose");
    }

    /** Cancels what it has subscribed to. */
    private static final class Cancelling implements Flow.Subscriber<String> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.cancel();
        }

        @Override
        public void onNext(String item) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onComplete() {}
    }

    private void assertReleased(Flow.Publisher<String> work) {
        Flow.Publisher<String> locked = new LockedPublisher<>(work, HELD, false, released::incrementAndGet);
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> locked.subscribe(new Cancelling()));
        assertThat(released).hasValue(1);
    }

    @Test
    void publisher_thatFailsToSubscribe_releasesItsLock() {
        assertReleased(subscriber -> {
            throw onPurpose();
        });
    }

    @Test
    void publisher_thatFailsToCancel_releasesItsLockOnce() {
        assertReleased(subscriber -> subscriber.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long count) {}

            @Override
            public void cancel() {
                throw onPurpose();
            }
        }));
    }

    /** Keeps what it is told, and how its subscriptions are ended. */
    private static final class Recording implements Flow.Subscriber<String> {
        private final List<String> signals = new ArrayList<>();

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            signals.add("subscription");
        }

        @Override
        public void onNext(String item) {
            signals.add(item);
        }

        @Override
        public void onError(Throwable failure) {
            signals.add(failure.getClass().getSimpleName());
        }

        @Override
        public void onComplete() {
            signals.add("complete");
        }
    }

    private static final class Subscription implements Flow.Subscription {
        private final Runnable cancelled;

        Subscription(Runnable cancelled) {
            this.cancelled = cancelled;
        }

        @Override
        public void request(long count) {}

        @Override
        public void cancel() {
            cancelled.run();
        }
    }

    private static Lease losable(List<Consumer<LeaseLoss>> listeners) {
        return (Lease) Proxy.newProxyInstance(
                FailingPublisherTest.class.getClassLoader(),
                new Class<?>[] {Lease.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("onLost")) {
                        @SuppressWarnings("unchecked")
                        Consumer<LeaseLoss> listener = (Consumer<LeaseLoss>) arguments[0];
                        listeners.add(listener);
                    }
                    return null;
                });
    }

    @Test
    void publisher_thatFailsToCancelWhenTheLockIsLost_isNotWaitedForByItsSubscriber() {
        List<Consumer<LeaseLoss>> listeners = new ArrayList<>();
        Recording subscriber = new Recording();
        new LockedPublisher<String>(
                        toSubscriber -> toSubscriber.onSubscribe(new Subscription(() -> {
                            throw onPurpose();
                        })),
                        losable(listeners),
                        true,
                        released::incrementAndGet)
                .subscribe(subscriber);
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> listeners.get(0).accept(LOSS));
        assertThat(released).hasValue(1);
        assertThat(subscriber.signals).containsExactly("subscription", "LeaseLostException");
    }

    @Test
    void publisher_thatSubscribesTwice_hasTheSecondSubscriptionCancelled() {
        List<Consumer<LeaseLoss>> listeners = new ArrayList<>();
        List<String> cancelled = new ArrayList<>();
        Recording subscriber = new Recording();
        new LockedPublisher<String>(
                        toSubscriber -> {
                            toSubscriber.onSubscribe(new Subscription(() -> cancelled.add("first")));
                            toSubscriber.onSubscribe(new Subscription(() -> cancelled.add("second")));
                        },
                        losable(listeners),
                        true,
                        released::incrementAndGet)
                .subscribe(subscriber);
        assertThat(cancelled).containsExactly("second");
        listeners.forEach(listener -> listener.accept(LOSS));
        assertThat(cancelled).containsExactly("second", "first");
        assertThat(subscriber.signals).containsExactly("subscription", "LeaseLostException");
        assertThat(released).hasValue(1);
    }
}
