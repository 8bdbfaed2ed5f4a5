// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkManager;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.ContextSwitches;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.Standstills;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.runtime.LockService;
import org.holdfast.runtime.LockSpaces;
import org.holdfast.runtime.Settings;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an adapter with two key prefixes costs a server on which no caller holds or waits for a lock. */
@Timeout(60)
class IdleAdapterTest {

    private static final int NODES = 3;
    private static final int PREFIXES = 2;
    private static final Duration WATCHED = Duration.ofSeconds(5);

    /** Beside the looks: an alarm of the executor, and the thread that watches the executor, each 10 s. */
    private static final int MOST_SWITCHES_OF_TIMERS = 5;

    /** A thread that waits wakes up to stop, and again to go on; and there are two timers. */
    private static final int SWITCHES_OF_A_STANDSTILL = 4;

    private final ContextSwitches timers = new ContextSwitches();
    private final ContextSwitches looks = new ContextSwitches();
    private final AtomicInteger made = new AtomicInteger();

    private final ScheduledThreadPoolExecutor executor =
            new ScheduledThreadPoolExecutor(2, task -> new Thread(timers.countedIn(task), "managed"));

    private final WorkManager works = (WorkManager) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {WorkManager.class}, (proxy, method, args) -> {
                new Thread(looks.countedIn((Work) args[0]), "work").start();
                return 0L;
            });

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    /** The first two watch the executors; the others are threads of long tasks, which look. */
    private Timer countedTimer() {
        ContextSwitches kind = made.getAndIncrement() < 2 ? timers : looks;
        Timer timer = SpareThreads.newTimer();
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        kind.countedIn(() -> {}).run();
                    }
                },
                0);
        return timer;
    }

    private static Settings settings(RedisServers redis, String prefix) {
        Map<String, String> settings = new HashMap<>();
        settings.put("nodes", redis.uris());
        settings.put("keyPrefix", prefix);
        settings.put("ttlMillis", "2000");
        settings.put("maxLeaseTtlMillis", "2000");
        settings.put("nodeTimeoutMillis", "1000");
        return Settings.of(settings);
    }

    private static Lease acquire(LockService service) throws InterruptedException {
        LockRequest request = LockRequest.of("a").waitTimeout(Duration.ofSeconds(20));
        return new NodesConnection(service.newSession(), service.openConnections()).acquire(request.detached());
    }

    /** Returns how often this process stood still meanwhile. */
    private static int passCounting(Duration time) {
        try (Standstills standstills = Standstills.noted()) {
            pass(time);
            return standstills.count();
        }
    }

    private static void pass(Duration time) {
        await().pollDelay(time).atMost(time.multipliedBy(3)).until(() -> true);
    }

    @Test
    void idleAdapter_withTwoPrefixesOnThreeNodes_wakesUpFiveTimesASecondAtTheMost() throws Exception {
        assumeThat(ContextSwitches.areShown()).isTrue();
        ContainerScheduling scheduling = new ContainerScheduling(executor, this::countedTimer, works);
        try (RedisServers redis = RedisServers.start(NODES);
                LockSpaces spaces = new LockSpaces(settings(redis, "one"), Transactions.NONE, scheduling)) {
            acquire(spaces.service(settings(redis, "one")).orElseThrow()).release();
            acquire(spaces.service(settings(redis, "other")).orElseThrow()).release();
            pass(Duration.ofSeconds(2));
            long timersBefore = timers.sum();
            long looksBefore = looks.sum();
            int standstills = passCounting(WATCHED);
            long ofTimers = timers.sum() - timersBefore;
            long ofLooks = looks.sum() - looksBefore;
            assertThat(ofTimers)
                    .as("where the process stood still %d times", standstills)
                    .isLessThanOrEqualTo(MOST_SWITCHES_OF_TIMERS + SWITCHES_OF_A_STANDSTILL * standstills);
            // a wake-up a second for all nodes, and two answers of each to wait for
            assertThat(ofLooks / WATCHED.toSeconds()).isBetween(1L, (1L + 2 * NODES) * PREFIXES + 1);
        }
    }

    @Test
    void lease_takenFromAnAdapterThatSleeps_isRenewedOnTheExecutor() throws Exception {
        ContainerScheduling scheduling = new ContainerScheduling(executor, SpareThreads::newTimer, works);
        try (RedisServers redis = RedisServers.start(1);
                LockSpaces spaces = new LockSpaces(settings(redis, "one"), Transactions.NONE, scheduling)) {
            LockService service = spaces.service(settings(redis, "one")).orElseThrow();
            acquire(service).release();
            pass(Duration.ofSeconds(1));
            Lease lease = acquire(service);
            long runsBefore = executor.getCompletedTaskCount();
            pass(Duration.ofSeconds(5));
            assertThat(lease.isHeld()).isTrue();
            assertThat(executor.getCompletedTaskCount() - runsBefore)
                    .as("renewals")
                    .isGreaterThanOrEqualTo(6);
            assertThat(executor.getQueue()).hasSizeLessThanOrEqualTo(Alarms.MOST);
            lease.release();
        }
    }
}
