// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.runtime.Processes;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many callers wait for one lock, for hours if need be, and real nodes or callers get into trouble meanwhile. */
@Tag("thorough")
class LongLineTest {

    private static final Duration HOURS = Duration.ofHours(9);
    private static final int CALLERS = 100;

    private final List<Integer> served = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger mostInside = new AtomicInteger();

    /** What becomes of all nodes at once while the line waits. */
    enum Trouble {
        FLUSHED,
        RESTARTED,
        FROZEN,
        FULL;

        void of(RedisServers nodes) throws Exception {
            for (RedisServer node : nodes.all()) {
                switch (this) {
                    case FLUSHED -> node.command("FLUSHALL");
                    case RESTARTED -> node.kill();
                    case FROZEN -> node.freeze();
                    case FULL -> node.command("CONFIG SET maxmemory 1");
                }
            }
            Thread.sleep(1_500); // longer than a node timeout, on real processes
            for (RedisServer node : nodes.all()) {
                switch (this) {
                    case FLUSHED -> {}
                    case RESTARTED -> node.start();
                    case FROZEN -> node.thaw();
                    case FULL -> node.command("CONFIG SET maxmemory 0");
                }
            }
        }
    }

    /** A caller that waits, takes the lock and releases it; empty if it was interrupted before. */
    private record Caller(Thread thread, FutureTask<Optional<Integer>> result) {}

    private Caller start(int number, LockConnection connection, LockRequest request) {
        FutureTask<Optional<Integer>> result = new FutureTask<>(() -> {
            try {
                Lease lease = connection.acquire(request.waitTimeout(HOURS));
                mostInside.accumulateAndGet(inside.incrementAndGet(), Math::max);
                served.add(number);
                inside.decrementAndGet();
                lease.release();
                return Optional.of(number);
            } catch (InterruptedException e) {
                return Optional.empty();
            }
        });
        Thread thread = new Thread(result);
        thread.start();
        return new Caller(thread, result);
    }

    @Test
    void fairLine_ofWhichHalfIsInterrupted_servesTheOthersInOrder() throws Exception {
        LockRequest request = LockRequest.of("line").fair(true).detached();
        try (Processes processes = Processes.start(3, 2, Map.of())) {
            Lease held = processes.tryAcquire(1, request).orElseThrow();
            List<Caller> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                callers.add(start(i, processes.connection(i % 2), request));
                processes.awaitTickets("line", i + 1);
            }
            for (int i = 1; i < CALLERS; i += 2) {
                callers.get(i).thread.interrupt();
                if (i == CALLERS / 2 + 1) {
                    held.release(); // some are interrupted while others are served
                }
            }
            List<Integer> got = new ArrayList<>();
            for (Caller caller : callers) {
                caller.result.get(30, TimeUnit.SECONDS).ifPresent(got::add);
            }
            assertThat(got).hasSizeGreaterThanOrEqualTo(CALLERS / 2); // an interrupt may come just too late
            assertThat(served).isSorted().containsExactlyElementsOf(got);
            assertThat(mostInside).hasValue(1);
            processes.awaitTickets("line", 0);
        }
    }

    @ParameterizedTest
    @EnumSource(Trouble.class)
    void line_whoseNodesAreAllInTrouble_isServedAfterwards(Trouble trouble) throws Exception {
        Map<String, String> settings = Map.of("nodeTimeoutMillis", "1000", "ttlMillis", "4000");
        for (boolean fair : new boolean[] {true, false}) {
            LockRequest request = LockRequest.of("line").fair(fair).detached();
            try (Processes processes = Processes.start(3, 2, settings)) {
                Lease held = processes.tryAcquire(1, request).orElseThrow();
                List<Caller> callers = new ArrayList<>();
                for (int i = 0; i < CALLERS; i++) {
                    callers.add(start(i, processes.connection(i % 2), request));
                }
                if (fair) {
                    processes.awaitTickets("line", CALLERS);
                }
                trouble.of(processes.redis);
                held.release();
                for (Caller caller : callers) {
                    assertThat(caller.result.get(30, TimeUnit.SECONDS)).isPresent();
                }
                assertThat(mostInside).as("callers that had the lock at once").hasValue(1);
                processes.awaitTickets("line", 0);
            }
        }
    }
}
