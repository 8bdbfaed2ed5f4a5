// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LimitedThreadsTest {

    private final Queue<Runnable> begun = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();

    @Test
    void tasks_thatAreMoreThanTheThreads_areRunInOrderByThoseThatEnd() {
        LimitedThreads threads = new LimitedThreads(begun::add, 2);
        for (String name : List.of("a", "b", "c", "d")) {
            threads.execute(() -> done.add(name));
        }
        assertThat(begun).hasSize(2);
        begun.remove().run();
        assertThat(done).containsExactly("a", "b", "c", "d");
        begun.remove().run(); // finds nothing
        threads.execute(() -> done.add("e"));
        assertThat(begun).as("threads that have ended count no more").hasSize(1);
        begun.remove().run();
        assertThat(done).endsWith("e");
    }

    @Test
    void task_thatIsRefused_isNotRunLater() {
        boolean[] refuses = {true};
        LimitedThreads threads = new LimitedThreads(
                work -> {
                    if (refuses[0]) {
                        throw new RejectedExecutionException();
                    }
                    begun.add(work);
                },
                1);
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> threads.execute(() -> done.add("refused")));
        refuses[0] = false;
        threads.execute(() -> done.add("later"));
        begun.remove().run();
        assertThat(done).containsExactly("later");
    }

    @Test
    void task_thatFails_keepsNoOtherFromBeingRun() {
        LimitedThreads threads = new LimitedThreads(begun::add, 1);
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
        thread.setUncaughtExceptionHandler((where, failure) -> {
            done.add(failure.getMessage());
            throw new IllegalStateException("as a handler may");
        });
        try {
            threads.execute(() -> {
                throw new IllegalStateException("failed");
            });
            threads.execute(() -> done.add("next"));
            begun.remove().run();
        } finally {
            thread.setUncaughtExceptionHandler(before);
        }
        assertThat(done).containsExactly("failed", "next");
    }

    @Test
    void tasks_ofManyThreads_areAllRun_byFewAtOnce() throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        try {
            LimitedThreads threads = new LimitedThreads(pool, 3);
            AtomicInteger atOnce = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            int callers = 8;
            int each = 2_000;
            CountDownLatch all = new CountDownLatch(callers * each);
            for (int caller = 0; caller < callers; caller++) {
                new Thread(() -> {
                            for (int i = 0; i < each; i++) {
                                threads.execute(() -> {
                                    most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                                    atOnce.decrementAndGet();
                                    all.countDown();
                                });
                            }
                        })
                        .start();
            }
            assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(most).hasValueLessThanOrEqualTo(3);
        } finally {
            pool.shutdown();
        }
    }
}
