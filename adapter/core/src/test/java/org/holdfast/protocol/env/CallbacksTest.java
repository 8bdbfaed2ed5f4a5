// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CallbacksTest {

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger called = new AtomicInteger();
    private boolean refuses;

    /** Within how many nanoseconds the last sweep was asked for. */
    private final AtomicLong sweepWithin = new AtomicLong(Long.MAX_VALUE);

    private final Callbacks callbacks = new Callbacks(
            task -> {
                if (refuses) {
                    throw new RejectedExecutionException("no thread");
                }
                threads.execute(task);
            },
            sweepWithin::set);

    @AfterEach
    void stop() {
        end.countDown();
        threads.shutdownNow();
    }

    private void block() {
        called.incrementAndGet();
        awaitUninterrupted(end);
    }

    @Test
    void calls_thatBlock_keepNoOtherLaneWaiting() {
        for (int i = 0; i < 1_000; i++) {
            callbacks.run(Callbacks.Lane.LEASES, this::block);
        }
        await().untilAsserted(() -> assertThat(called).hasValue(Callbacks.Lane.LEASES.most()));
        for (Callbacks.Lane lane : new Callbacks.Lane[] {Callbacks.Lane.FAILURES, Callbacks.Lane.LOSSES}) {
            CountDownLatch told = new CountDownLatch(1);
            callbacks.run(lane, told::countDown);
            await().until(() -> told.getCount() == 0);
        }
        assertThat(callbacks.size()).isEqualTo(1_000 - Callbacks.Lane.LEASES.most());
        end.countDown();
        await().untilAsserted(() -> assertThat(called).hasValue(1_000));
        await().until(() -> callbacks.size() == 0);
    }

    @Test
    void call_thatIsRefusedAThread_isRunByALaterSweep() {
        refuses = true;
        for (Callbacks.Lane lane : Callbacks.Lane.values()) {
            assertThat(callbacks.run(lane, called::incrementAndGet)).isInstanceOf(RejectedExecutionException.class);
            assertThat(sweepWithin).as("a sweep is asked for").hasValue(MILLISECONDS.toNanos(20));
            sweepWithin.set(Long.MAX_VALUE);
        }
        assertThat(callbacks.size()).isEqualTo(3);
        callbacks.sweep();
        assertThat(called).hasValue(0);
        assertThat(sweepWithin).as("and another one").hasValue(MILLISECONDS.toNanos(20));
        refuses = false;
        callbacks.sweep();
        await().untilAsserted(() -> assertThat(called).hasValue(3));
    }

    @Test
    void call_thatIsRefusedAThread_isRunWhenTheServiceCloses() {
        refuses = true;
        for (Callbacks.Lane lane : Callbacks.Lane.values()) {
            callbacks.run(lane, called::incrementAndGet);
        }
        refuses = false;
        callbacks.close();
        await().untilAsserted(() -> assertThat(called).hasValue(3));
    }

    /** Else each overload would take one more thread away for ever. */
    @Test
    void lane_thatWasFull_hasAllItsThreadsAgain() {
        int most = Callbacks.Lane.LOSSES.most();
        CountDownLatch first = new CountDownLatch(1);
        for (int i = 0; i < most + 5; i++) {
            callbacks.run(Callbacks.Lane.LOSSES, () -> {
                called.incrementAndGet();
                awaitUninterrupted(first);
            });
        }
        await().untilAsserted(() -> assertThat(called).hasValue(most));
        first.countDown();
        await().untilAsserted(() -> assertThat(called).hasValue(most + 5));
        called.set(0);
        for (int i = 0; i < most; i++) {
            callbacks.run(Callbacks.Lane.LOSSES, this::block);
        }
        await().untilAsserted(() -> assertThat(called).hasValue(most));
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await(20, SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Its calls take their time, and more come than are begun. */
    @Test
    void lane_whoseCallsAreBegun_isNotReportedAsStuck() {
        Queue<Runnable> lent = new ArrayDeque<>();
        Callbacks busy = new Callbacks(lent::add, WakeUp.NONE);
        for (int i = 0; i < 1_000; i++) {
            busy.run(Callbacks.Lane.LEASES, () -> {
                busy.sweep();
                assertThat(busy.stuck(Callbacks.Lane.LEASES)).isZero();
            });
        }
        lent.remove().run();
        assertThat(busy.size()).isZero();
    }

    @Test
    void close_withCallsThatBlock_returnsAndRunsOthersUpToTheBound() {
        int most = Callbacks.Lane.FAILURES.most();
        for (int i = 0; i < 1_000; i++) {
            callbacks.run(Callbacks.Lane.FAILURES, this::block);
        }
        await().untilAsserted(() -> assertThat(called).hasValue(most));
        callbacks.close();
        await().untilAsserted(() -> assertThat(called).hasValue(2 * most));
        CountDownLatch told = new CountDownLatch(1);
        callbacks.run(Callbacks.Lane.LOSSES, told::countDown);
        await().until(() -> told.getCount() == 0);
        assertThat(called).hasValue(2 * most);
    }

    @Test
    void close_whenEveryThreadIsRefused_runsNothingOnItsOwn() {
        refuses = true;
        callbacks.run(Callbacks.Lane.FAILURES, called::incrementAndGet);
        callbacks.close();
        callbacks.run(Callbacks.Lane.FAILURES, called::incrementAndGet);
        assertThat(called).hasValue(0);
    }

    @Test
    void lane_whoseThreadsAreAllBlocked_isReportedAsStuck() {
        for (int i = 0; i < Callbacks.Lane.LOSSES.most() + 5; i++) {
            callbacks.run(Callbacks.Lane.LOSSES, this::block);
        }
        await().untilAsserted(() -> assertThat(called).hasValue(Callbacks.Lane.LOSSES.most()));
        assertThat(callbacks.stuck(Callbacks.Lane.LOSSES)).isZero();
        for (int i = 0; i < 60; i++) {
            callbacks.sweep();
        }
        assertThat(callbacks.stuck(Callbacks.Lane.LOSSES)).isEqualTo(5);
        assertThat(callbacks.stuck(Callbacks.Lane.LEASES)).isZero();
    }
}
