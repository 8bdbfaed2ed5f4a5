// SPDX-License-Identifier: Apache-2.0
package org.holdfast.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Two servers with the same job, on three nodes that die one after the other. */
@Timeout(120)
class ScheduledJobTest {

    /** When the job ran: every other second, or up to 1.5 s later on a busy machine. */
    private static final Queue<Long> TICKS = new ConcurrentLinkedQueue<>();

    private static final AtomicInteger RUNNING = new AtomicInteger();
    private static final AtomicInteger MOST_RUNNING = new AtomicInteger();
    private static final AtomicInteger FAILED = new AtomicInteger();

    @Configuration
    @EnableScheduling
    @EnableSchedulerLock(defaultLockAtMostFor = "10m")
    static class Jobs {

        @Bean
        LockConnectionFactory lockConnectionFactory(@Value("${holdfast.nodes}") String nodes) {
            return Holdfast.connect(Map.of("nodes", nodes, "guard", "OFF", "nodeTimeoutMillis", "2000"));
        }

        @Bean
        LockProvider lockProvider(LockConnectionFactory lockConnectionFactory) {
            return new HoldfastLockProvider(lockConnectionFactory);
        }

        @Bean
        ThreadPoolTaskScheduler taskScheduler() {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setErrorHandler(failure -> FAILED.incrementAndGet());
            return scheduler;
        }

        @Bean
        CleanUp cleanUp() {
            return new CleanUp();
        }
    }

    static class CleanUp {

        @Scheduled(cron = "*/2 * * * * *")
        @SchedulerLock(name = "clean-up", lockAtMostFor = "10m", lockAtLeastFor = "1500ms")
        public void run() throws InterruptedException {
            LockAssert.assertLocked();
            MOST_RUNNING.accumulateAndGet(RUNNING.incrementAndGet(), Math::max);
            TICKS.add((System.currentTimeMillis() + 100) / 2000);
            TimeUnit.MILLISECONDS.sleep(50); // the work
            RUNNING.decrementAndGet();
        }
    }

    private static AnnotationConfigApplicationContext server(RedisServers redis) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("holdfast.nodes", redis.uris())));
        context.register(Jobs.class);
        context.refresh();
        return context;
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(20); // the clock ticks by itself
        }
    }

    private static void awaitRuns(int more) throws InterruptedException {
        int before = TICKS.size();
        await(() -> TICKS.size() >= before + more);
    }

    @Test
    void job_onTwoServersWhileNodesDie_runsOnceATickOrNotAtAll() throws InterruptedException {
        try (RedisServers redis = RedisServers.start(3);
                AnnotationConfigApplicationContext one = server(redis);
                AnnotationConfigApplicationContext two = server(redis)) {
            awaitRuns(2);
            redis.get(1).kill();
            awaitRuns(2);
            redis.get(2).kill();
            int failed = FAILED.get();
            await(() -> FAILED.get() >= failed + 2);
            int runs = TICKS.size();
            await(() -> FAILED.get() >= failed + 4);
            assertThat(TICKS).as("runs without a majority").hasSize(runs);
            assertThat(one.isActive() && two.isActive()).isTrue();
        }
        assertThat(TICKS).doesNotHaveDuplicates();
        assertThat(MOST_RUNNING).hasValue(1);
    }
}
