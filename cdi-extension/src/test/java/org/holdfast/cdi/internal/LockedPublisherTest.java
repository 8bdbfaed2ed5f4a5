// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import org.holdfast.cdi.Locked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Methods that send items when they have returned. */
class LockedPublisherTest extends Application {

    private static volatile SubmissionPublisher<String> work;

    private Publishing bean;

    @BeforeEach
    void begin() {
        work = new SubmissionPublisher<>();
        bean = deploy(Publishing.class);
    }

    @AfterEach
    void end() {
        work.close();
    }

    @ApplicationScoped
    public static class Publishing {
        @Locked(value = "published", ttl = "PT3S", maxHold = "PT1M")
        public Flow.Publisher<String> items() {
            return work;
        }

        @Locked(value = "published", ttl = "PT0.5S", maxHold = "PT1S")
        public Flow.Publisher<String> briefly() {
            return work;
        }

        @Locked(value = "published", maxHold = "PT1M")
        public Flow.Publisher<String> atOnce() {
            return subscriber -> subscriber.onSubscribe(new AtOnce(subscriber));
        }
    }

    /** Sends three items, each on the thread that asks for it, which may be getting the one before. */
    private static final class AtOnce implements Flow.Subscription {
        private final Flow.Subscriber<? super String> subscriber;
        private int sent;

        AtOnce(Flow.Subscriber<? super String> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void request(long count) {
            if (sent == 3) {
                subscriber.onComplete();
            } else {
                subscriber.onNext("item " + ++sent);
            }
        }

        @Override
        public void cancel() {}
    }

    /** Asks for an item whenever it has had one. */
    private static final class OneByOne extends Noting {
        @Override
        public void onSubscribe(Flow.Subscription newOne) {
            subscription = newOne;
            newOne.request(1);
        }

        @Override
        public void onNext(String item) {
            super.onNext(item);
            subscription.request(1);
        }
    }

    /** Notes what it gets, and whether the lock was held then. */
    private static class Noting implements Flow.Subscriber<String> {
        final List<String> seen = new CopyOnWriteArrayList<>();
        volatile Flow.Subscription subscription;

        private void see(String what) {
            seen.add(what + (isHeld("published") ? ", locked" : ", free"));
        }

        @Override
        public void onSubscribe(Flow.Subscription newOne) {
            subscription = newOne;
            newOne.request(10);
        }

        @Override
        public void onNext(String item) {
            see(item);
        }

        @Override
        public void onError(Throwable failure) {
            see(failure.getClass().getSimpleName());
        }

        @Override
        public void onComplete() {
            see("complete");
        }
    }

    private static void awaitSeen(Noting noting, String... what) {
        await().atMost(20, SECONDS).untilAsserted(() -> assertThat(noting.seen).containsExactly(what));
    }

    @Test
    void lock_isHeldUntilTheSubscriberHasHadTheLast() {
        Flow.Publisher<String> items = bean.items();
        assertThat(isHeld("published")).isTrue();
        Noting noting = new Noting();
        items.subscribe(noting);
        work.submit("one");
        work.submit("two");
        work.close();
        awaitSeen(noting, "one, locked", "two, locked", "complete, free");
    }

    @Test
    void item_thatIsSentWhileTheSubscriberAsksForIt_isNotLost() {
        Noting noting = new OneByOne();
        bean.atOnce().subscribe(noting);
        awaitSeen(noting, "item 1, locked", "item 2, locked", "item 3, locked", "complete, free");
    }

    @Test
    void failure_ofTheWork_releasesTheLock() {
        Noting noting = new Noting();
        bean.items().subscribe(noting);
        work.closeExceptionally(new UnsupportedOperationException("on purpose"));
        awaitSeen(noting, "UnsupportedOperationException, free");
    }

    @Test
    void subscriber_thatCancels_releasesTheLock() {
        Noting noting = new Noting();
        bean.items().subscribe(noting);
        await().until(() -> noting.subscription != null);
        noting.subscription.cancel();
        assertThat(isHeld("published")).isFalse();
        await().until(() -> work.getNumberOfSubscribers() == 0);
    }

    @Test
    void secondSubscriber_isRefused() {
        Flow.Publisher<String> items = bean.items();
        items.subscribe(new Noting());
        Noting second = new Noting();
        items.subscribe(second);
        awaitSeen(second, "IllegalStateException, locked");
    }

    @Test
    void lostLock_endsTheSubscriptionWithAFailure() {
        Noting noting = new Noting();
        bean.items().subscribe(noting);
        work.submit("one");
        awaitSeen(noting, "one, locked");
        otherProcess.forceRelease("published");
        awaitSeen(noting, "one, locked", "LeaseLostException, free");
        await().until(() -> work.getNumberOfSubscribers() == 0); // it takes note on a thread of its own
    }

    @Test
    void publisher_thatNobodySubscribesTo_losesTheLockWithMaxHold() {
        bean.briefly();
        await().atMost(20, SECONDS).until(() -> !isHeld("published"));
    }

    /** Begins its work when it is subscribed to, and does it on that thread. */
    @ApplicationScoped
    public static class Late {
        static final List<String> DONE = new CopyOnWriteArrayList<>();

        @Locked(value = "published", ttl = "PT0.5S", maxHold = "PT0.5S")
        public Flow.Publisher<String> briefly() {
            return subscriber -> {
                DONE.add("begun");
                subscriber.onSubscribe(new AtOnce(subscriber));
            };
        }

        @Locked(value = "published", maxHold = "PT1M")
        public Flow.Publisher<String> robbed() {
            return subscriber -> subscriber.onSubscribe(new Robbed(subscriber));
        }
    }

    /** Loses its lock between two items, of all that it sends inside of the first request. */
    private record Robbed(Flow.Subscriber<? super String> subscriber, CountDownLatch cancelled)
            implements Flow.Subscription {

        Robbed(Flow.Subscriber<? super String> subscriber) {
            this(subscriber, new CountDownLatch(1));
        }

        @Override
        public void request(long count) {
            subscriber.onNext("one");
            otherProcess.forceRelease("published");
            try {
                if (!cancelled.await(20, SECONDS)) {
                    subscriber.onNext("two, without the lock");
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void cancel() {
            cancelled.countDown();
        }
    }

    @Test
    void subscriber_thatComesWhenTheLockIsLost_isRefusedAndTheWorkDoesNotBegin() {
        Late.DONE.clear();
        Flow.Publisher<String> items = lateBean().briefly();
        await().atMost(20, SECONDS).until(() -> !isHeld("published"));
        Noting noting = new Noting();
        items.subscribe(noting);
        awaitSeen(noting, "LeaseLostException, free");
        assertThat(Late.DONE).isEmpty();
    }

    @Test
    void lostLock_whileAllItemsAreSentAtTheSubscription_endsIt() {
        Noting noting = new Noting();
        lateBean().robbed().subscribe(noting);
        awaitSeen(noting, "one, locked", "LeaseLostException, free");
    }

    @Test
    void subscriber_thatIsNull_isRefusedAndAnotherMayCome() {
        Flow.Publisher<String> items = bean.atOnce();
        assertThatNullPointerException().isThrownBy(() -> items.subscribe(null));
        Noting noting = new OneByOne();
        items.subscribe(noting);
        awaitSeen(noting, "item 1, locked", "item 2, locked", "item 3, locked", "complete, free");
    }

    private Late lateBean() {
        container.close();
        return deploy(Late.class);
    }
}
