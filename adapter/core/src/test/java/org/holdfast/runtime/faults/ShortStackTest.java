// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads of the application take locks where their stacks end, as a method does that calls itself without an end. */
@Timeout(120)
class ShortStackTest {

    private static final int STACK_BYTES = 256 * 1024;
    private static final int THREADS = 8;
    private static final int NAMES = 16;
    private static final int PROCESSES = 6;

    /** So far up, at the most, from where the stack ends. */
    private static final int MOST_STEPS = 800;

    private static final long STORM_NANOS = ofSeconds(12).toNanos();

    private final List<Lease> leases = new ArrayList<>();
    private final AtomicInteger overflows = new AtomicInteger();

    /** Does it some steps up from where the stack ends. */
    private void descend(int[] steps, Runnable work) {
        try {
            descend(steps, work);
        } catch (StackOverflowError e) {
            if (steps[0]-- > 0) {
                throw e;
            }
            overflows.incrementAndGet();
            work.run();
        }
    }

    private void storm(LockConnectionFactory locks, int seed) {
        Random random = new Random(seed);
        long until = System.nanoTime() + STORM_NANOS;
        try (LockConnection connection = locks.getConnection()) {
            while (System.nanoTime() - until < 0) {
                if (random.nextInt(4) == 0) {
                    descendOnce(connection, random);
                } else {
                    use(connection, random);
                }
            }
        }
    }

    private void descendOnce(LockConnection connection, Random random) {
        try {
            descend(new int[] {random.nextInt(MOST_STEPS)}, () -> use(connection, random));
        } catch (StackOverflowError e) {
            // all the way up
        }
    }

    private void use(LockConnection connection, Random random) {
        int which = random.nextInt(5);
        LockRequest request = LockRequest.of("used-" + random.nextInt(NAMES))
                .scope(LeaseScope.DETACHED)
                .ttl(ofMillis(500))
                .waitTimeout(ofMillis(random.nextInt(60)));
        try {
            if (which == 0) {
                leases.get(random.nextInt(leases.size())).renew();
                return;
            }
            Optional<Lease> lease = connection.tryAcquire(request);
            try {
                if (which == 1) {
                    lease.ifPresent(Lease::renew);
                }
            } finally {
                lease.ifPresent(Lease::release);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (LockException | IllegalStateException e) {
            // a lock may end with its TTL, where the stack has ended before it was given back
        }
    }

    /** Several processes, since it needs a moment that only some of them meet. */
    @Test
    @Tag("thorough") // each process has to compile all it needs
    void waiter_whoseStackEndsOnItsWayIntoTheLineOrOutOfIt_keepsNoOtherWaiting() throws Exception {
        try (RedisServer redis = RedisServer.start(Path.of("target", "redis"))) {
            List<Process> processes = new ArrayList<>();
            List<Path> said = new ArrayList<>();
            try {
                for (int i = 0; i < PROCESSES; i++) {
                    Path log = Files.createTempFile(Path.of("target"), "short-stacks", ".log");
                    said.add(log);
                    processes.add(program(redis.uri(), "waited-for-" + i, log));
                }
                for (int i = 0; i < PROCESSES; i++) {
                    assertThat(processes.get(i).waitFor(90, TimeUnit.SECONDS)).isTrue();
                    assertThat(said.get(i))
                            .content()
                            .doesNotContain("overflows: 0")
                            .contains("waiters=1", "soon=true", "free=true");
                }
            } finally {
                processes.forEach(Process::destroyForcibly);
            }
        }
    }

    private static Process program(String node, String name, Path log) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(
                        java,
                        "-cp",
                        System.getProperty("java.class.path"),
                        ProcessWithShortStacks.class.getName(),
                        node,
                        name)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    @Test
    void overflow_ofTheStacksOfSomeThreads_keepsNoOtherFromItsLock() throws Exception {
        try (RedisServer redis = RedisServer.start(Path.of("target", "redis"));
                LockConnectionFactory locks =
                        Holdfast.connect(Map.of("nodes", redis.uri(), "guard", "OFF", "nodeTimeoutMillis", "1000"));
                LockConnection connection = locks.getConnection()) {
            for (int i = 0; i < 10; i++) {
                leases.add(connection.acquire(LockRequest.of("held-" + i).ttl(ofSeconds(3))));
            }
            List<Thread> storms = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int seed = i;
                storms.add(new Thread(null, () -> storm(locks, seed), "deep-" + i, STACK_BYTES));
            }
            storms.forEach(Thread::start);
            for (Thread storm : storms) {
                storm.join(ofSeconds(40).toMillis());
                assertThat(storm.isAlive()).as(storm.getName() + " hangs").isFalse();
            }
            assertThat(overflows).hasPositiveValue();
            connection
                    .acquire(LockRequest.of("after").waitTimeout(ofSeconds(10)))
                    .release();
            assertThat(leases).allMatch(Lease::isHeld);
        }
    }
}
