// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.ContextSwitches;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.env.Time;
import org.holdfast.runtime.LockService;
import org.holdfast.runtime.RuntimeBridge;
import org.holdfast.runtime.SystemTime;
import org.holdfast.runtime.scheduling.Pulse;
import org.holdfast.runtime.scheduling.Scheduling;
import org.holdfast.runtime.scheduling.StandaloneScheduling;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What services that have nothing to do cost their machine, on real nodes and on threads of their own. */
@Timeout(60)
class IdleTest {

    private static final int NODES = 3;
    private static final int SERVICES = 2;
    private static final Duration WATCHED = Duration.ofSeconds(5);
    private static final int MOST_WAKE_UPS_PER_SECOND = 5;

    private final AtomicInteger wakeUps = new AtomicInteger();
    private final ContextSwitches switches = new ContextSwitches();

    /** Counts how often a thread of the service wakes up from a sleep. */
    private final Time time = new Time() {
        private final Time system = new SystemTime();

        @Override
        public long nanoTime() {
            return system.nanoTime();
        }

        @Override
        public long epochMicros() {
            return system.epochMicros();
        }

        @Override
        public Signal newSignal() {
            Signal signal = system.newSignal();
            return new Signal() {
                @Override
                public void raise() {
                    signal.raise();
                }

                @Override
                public boolean await(long nanos) throws InterruptedException {
                    try {
                        return signal.await(nanos);
                    } finally {
                        wakeUps.incrementAndGet();
                    }
                }
            };
        }
    };

    /** Counts what is run elsewhere. */
    private final class Threads implements Scheduling {

        private final StandaloneScheduling own = new StandaloneScheduling(time);

        @Override
        public void repeat(Runnable task) {
            own.repeat(switches.countedIn(task));
        }

        @Override
        public void within(long nanos) {
            own.within(nanos);
        }

        @Override
        public void keepRunning(Pulse pulse) {
            runLong(pulse);
        }

        @Override
        public void runLong(Runnable task) {
            wakeUps.incrementAndGet();
            own.runLong(switches.countedIn(task));
        }

        @Override
        public void execute(Runnable task) {
            wakeUps.incrementAndGet();
            own.execute(task);
        }

        @Override
        public void runApplication(Runnable task) {
            wakeUps.incrementAndGet();
            own.runApplication(task);
        }

        @Override
        public void close() {
            own.close();
        }
    }

    private LockService service(RedisServers redis, String prefix) {
        Map<String, String> settings = Map.of(
                "nodes",
                redis.uris(),
                "keyPrefix",
                prefix,
                "ttlMillis",
                "2000",
                "maxLeaseTtlMillis",
                "2000",
                "nodeTimeoutMillis",
                "1000");
        return RuntimeBridge.service(settings, new Threads(), time);
    }

    /** By connections of the caller: what is sent on those of the service wakes it up anyway. */
    private static Lease acquire(LockService service, String name) throws InterruptedException {
        LockRequest request = LockRequest.of(name).waitTimeout(Duration.ofSeconds(20));
        return new NodesConnection(service.newSession(), service.openConnections()).acquire(request.detached());
    }

    /** Lets real time pass, in which something must not happen. */
    private static void pass(Duration time) {
        await().pollDelay(time).atMost(time.multipliedBy(3)).until(() -> true);
    }

    @Test
    void idleServices_onThreeNodes_wakeUpFiveTimesASecondAtTheMost() throws Exception {
        try (RedisServers redis = RedisServers.start(NODES);
                LockService one = service(redis, "one");
                LockService other = service(redis, "other")) {
            acquire(one, "before").release(); // all connections are there, and nothing is left to do
            acquire(other, "before").release();
            pass(Duration.ofSeconds(2));
            int before = wakeUps.get();
            long switchesBefore = switches.sum();
            pass(WATCHED);
            long switched = switches.sum() - switchesBefore;
            int woken = wakeUps.get() - before;
            assertThat(woken / WATCHED.toSeconds()).isLessThanOrEqualTo(MOST_WAKE_UPS_PER_SECOND);
            assertThat(woken).as("the nodes' clocks are watched").isGreaterThan(SERVICES * 2);
            // besides, a look waits for two answers of each node
            assertThat(switched / WATCHED.toSeconds())
                    .isLessThanOrEqualTo(MOST_WAKE_UPS_PER_SECOND + 2 * NODES * SERVICES);
        }
    }

    /** The renewal is due when the service sleeps, and long before it would wake up by itself. */
    @Test
    void lease_takenByAServiceThatSleeps_isRenewedInTime() throws Exception {
        try (RedisServers redis = RedisServers.start(1);
                LockService service = service(redis, "one")) {
            acquire(service, "before").release();
            pass(Duration.ofSeconds(2));
            Lease lease = acquire(service, "a");
            pass(Duration.ofSeconds(5));
            assertThat(lease.isHeld()).isTrue();
            lease.release();
        }
    }

    /** The listener is called by what sleeps until then: no thread of the application checks the lease. */
    @Test
    void lossOfALease_whileNoThreadChecksIt_isReportedAtItsEnd() throws Exception {
        try (RedisServers redis = RedisServers.start(1);
                LockService service = service(redis, "one")) {
            Lease lease = acquire(service, "a");
            AtomicLong lostAt = new AtomicLong();
            lease.onLost(loss -> lostAt.set(System.nanoTime()));
            pass(Duration.ofMillis(100));
            redis.get(0).kill();
            long killed = System.nanoTime();
            await().until(() -> lostAt.get() != 0);
            assertThat(Duration.ofNanos(lostAt.get() - killed)).isLessThan(Duration.ofSeconds(5));
        }
    }
}
