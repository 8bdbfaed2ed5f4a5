// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.Proxy;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.Lease;
import org.junit.jupiter.api.Test;

/** A publisher that throws where its specification forbids it does not keep the lock for ever. */
class FailingPublisherTest {

    private static final Lease HELD = (Lease) Proxy.newProxyInstance(
            FailingPublisherTest.class.getClassLoader(), new Class<?>[] {Lease.class}, (proxy, method, arguments) -> {
                return null;
            });

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
}
