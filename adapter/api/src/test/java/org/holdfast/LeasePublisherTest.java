// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The rules of Flow that concern one lease, whichever comes first of grant, cancellation and failure. */
class LeasePublisherTest {

    private final List<CompletableFuture<Lease>> acquisitions = new ArrayList<>();
    private final LeasePublisher publisher = new LeasePublisher(() -> {
        acquisitions.add(new CompletableFuture<>());
        return acquisitions.get(acquisitions.size() - 1);
    });
    private final AtomicInteger releases = new AtomicInteger();
    private final Lease lease = (Lease) Proxy.newProxyInstance(
            Lease.class.getClassLoader(), new Class<?>[] {Lease.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("release")) {
                    releases.incrementAndGet();
                }
                return null;
            });

    /** Writes down what it is told. */
    private static class Subscriber implements Flow.Subscriber<Lease> {
        final List<String> told = new ArrayList<>();
        Flow.Subscription subscription;

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
        }

        @Override
        public void onNext(Lease item) {
            told.add("lease");
        }

        @Override
        public void onError(Throwable failure) {
            told.add(failure.getClass().getSimpleName() + ": " + failure.getMessage());
        }

        @Override
        public void onComplete() {
            told.add("complete");
        }
    }

    private Subscriber subscribe() {
        Subscriber subscriber = new Subscriber();
        publisher.subscribe(subscriber);
        return subscriber;
    }

    @Test
    void subscriber_thatRequestsNothing_causesNoAcquisition() {
        Subscriber subscriber = subscribe();
        assertThat(acquisitions).isEmpty();
        subscriber.subscription.cancel();
        subscriber.subscription.request(1);
        assertThat(acquisitions).isEmpty();
        assertThat(subscriber.told).isEmpty();
    }

    @Test
    void subscriber_thatRequests_receivesOneLeaseHoweverManyItAsksFor() {
        Subscriber subscriber = subscribe();
        subscriber.subscription.request(1);
        subscriber.subscription.request(Long.MAX_VALUE);
        acquisitions.get(0).complete(lease);
        subscriber.subscription.request(1);
        subscriber.subscription.cancel();
        assertThat(acquisitions).hasSize(1);
        assertThat(subscriber.told).containsExactly("lease", "complete");
        assertThat(releases).as("it is the subscriber's").hasValue(0);
    }

    @Test
    void subscribers_haveAnAcquisitionEach() {
        subscribe().subscription.request(1);
        subscribe().subscription.request(1);
        assertThat(acquisitions).hasSize(2);
    }

    @Test
    void cancellation_beforeTheGrant_withdrawsTheRequest() {
        Subscriber subscriber = subscribe();
        subscriber.subscription.request(1);
        subscriber.subscription.cancel();
        assertThat(acquisitions.get(0)).isCancelled();
        assertThat(subscriber.told).isEmpty();
    }

    @Test
    void cancellation_whileTheAcquisitionBegins_releasesWhatIsGrantedAtOnce() {
        Subscriber subscriber = new Subscriber();
        new LeasePublisher(() -> {
                    subscriber.subscription.cancel();
                    return CompletableFuture.completedFuture(lease);
                })
                .subscribe(subscriber);
        subscriber.subscription.request(1);
        assertThat(releases).hasValue(1);
        assertThat(subscriber.told).isEmpty();
    }

    @Test
    void cancellation_thatTheFutureDoesNotHeed_releasesTheLease() {
        CompletableFuture<Lease> deaf = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean interrupts) {
                return false;
            }
        };
        Subscriber subscriber = new Subscriber();
        new LeasePublisher(() -> deaf).subscribe(subscriber);
        subscriber.subscription.request(1);
        subscriber.subscription.cancel();
        deaf.complete(lease);
        assertThat(releases).hasValue(1);
        assertThat(subscriber.told).isEmpty();
    }

    /** Grants the lease to a subscriber, and returns what the thread's handler is told. */
    private List<Throwable> grant(Subscriber subscriber) throws InterruptedException {
        List<Throwable> uncaught = new ArrayList<>();
        grant(subscriber, (thread, e) -> uncaught.add(e));
        return uncaught;
    }

    private void grant(Subscriber subscriber, Thread.UncaughtExceptionHandler handler) throws InterruptedException {
        publisher.subscribe(subscriber);
        subscriber.subscription.request(1);
        Thread granter = new Thread(() -> acquisitions.get(0).complete(lease));
        granter.setUncaughtExceptionHandler(handler);
        granter.start();
        granter.join();
    }

    @Test
    void subscriber_thatThrowsAsItReceivesTheLease_keepsNone() throws InterruptedException {
        for (Throwable thrown : List.of(new IllegalStateException("in onNext"), new AssertionError("in onNext"))) {
            acquisitions.clear();
            releases.set(0);
            Subscriber subscriber = new Subscriber() {
                @Override
                public void onNext(Lease item) {
                    LeasePublisherTest.<RuntimeException>raise(thrown);
                }
            };
            assertThat(grant(subscriber)).containsExactly(thrown);
            assertThat(releases).hasValue(1);
            assertThat(subscriber.told).isEmpty();
        }
    }

    @Test
    void subscriber_thatThrowsBesideAHandlerThatThrows_keepsNone() throws InterruptedException {
        List<String> told = new ArrayList<>();
        grant(
                new Subscriber() {
                    @Override
                    public void onNext(Lease item) {
                        throw new IllegalStateException("in onNext");
                    }
                },
                (thread, e) -> {
                    told.add(e.getMessage());
                    throw new IllegalStateException("in the handler");
                });
        assertThat(told).containsExactly("in onNext");
        assertThat(releases).hasValue(1);
        assertThat(acquisitions.get(0)).isCompletedWithValue(lease);
    }

    @Test
    void subscriber_thatThrowsAtTheEnd_keepsTheLease() throws InterruptedException {
        IllegalStateException thrown = new IllegalStateException("in onComplete");
        Subscriber subscriber = new Subscriber() {
            @Override
            public void onComplete() {
                throw thrown;
            }
        };
        assertThat(grant(subscriber)).containsExactly(thrown);
        assertThat(releases).as("it is the subscriber's").hasValue(0);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void failure_isPublishedWithoutItsWrapping() {
        Subscriber subscriber = subscribe();
        subscriber.subscription.request(1);
        acquisitions.get(0).completeExceptionally(new CompletionException(new LockException("HF0201")));
        assertThat(subscriber.told).containsExactly("LockException: HF0201");
    }

    @Test
    void connection_thatIsClosed_isAFailureOfTheSubscriber() {
        Subscriber subscriber = new Subscriber();
        new LeasePublisher(() -> {
                    throw new IllegalStateException("closed");
                })
                .subscribe(subscriber);
        subscriber.subscription.request(1);
        assertThat(subscriber.told).containsExactly("IllegalStateException: closed");
    }

    @Test
    void request_ofNothing_isAFailureAndWithdrawsTheRequest() {
        Subscriber subscriber = subscribe();
        subscriber.subscription.request(1);
        subscriber.subscription.request(0);
        assertThat(acquisitions.get(0)).isCancelled();
        assertThat(subscriber.told)
                .containsExactly("IllegalArgumentException: a subscriber must request 1 lease or more, requested 0");
        subscriber.subscription.request(-1);
        assertThat(subscriber.told).hasSize(1);
    }

    @Test
    void subscriber_null_isRefused() {
        assertThatNullPointerException().isThrownBy(() -> publisher.subscribe(null));
    }
}
