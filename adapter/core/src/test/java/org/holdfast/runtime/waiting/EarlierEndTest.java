// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.waiting;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.runtime.Processes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.JedisPubSub;

/** A lock that was released before its minimum time ends by itself, much earlier than its waiters have read. */
@Timeout(60)
class EarlierEndTest {

    private static final LockRequest KEPT = LockRequest.of("a").atLeast(ofSeconds(2));

    private Processes processes;

    @BeforeEach
    void start() {
        processes = Processes.start(1, 2, Map.of());
    }

    @AfterEach
    void stop() {
        processes.close();
    }

    /** Else they would ask again after 10 s. */
    @Test
    void lockThatEndsEarlier_isAnnounced() throws Exception {
        Lease lease = processes.tryAcquire(0, KEPT).orElseThrow();
        BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        JedisPubSub listener = new JedisPubSub() {
            @Override
            public void onMessage(String channel, String message) {
                messages.add(message);
            }
        };
        Processes.start(() -> processes.ask(0, jedis -> {
            jedis.subscribe(listener, "holdfast:{a}:released");
            return true;
        }));
        await().until(listener::isSubscribed);
        processes.awaitListening("a");
        lease.release();
        assertThat(messages.poll(10, TimeUnit.SECONDS)).isEmpty();
        listener.unsubscribe();
    }

    @Test
    void waiter_ofAnotherProcess_hasTheLockSoonAfterItsMinimum() throws Exception {
        long asked = System.nanoTime();
        Lease lease = processes.tryAcquire(0, KEPT).orElseThrow();
        FutureTask<Lease> waiter = processes.acquire(1, LockRequest.of("a"));
        processes.awaitListening("a");
        lease.release();
        waiter.get(20, TimeUnit.SECONDS).release();
        assertThat(System.nanoTime() - asked).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1_900));
    }
}
