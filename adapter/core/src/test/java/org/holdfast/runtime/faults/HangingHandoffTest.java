// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.ReleaseResult;
import org.holdfast.runtime.Processes;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tickets of callers that were handed the lock are taken away right before it is released on the nodes. */
@Tag("thorough")
@Timeout(60)
class HangingHandoffTest {

    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(3);

    /** Two node timeouts are too many; the rest is for a machine that is busy. */
    private static final Duration MOST = NODE_TIMEOUT.multipliedBy(19).dividedBy(10);

    private static final LockRequest FAIR = LockRequest.of("a").fair(true);

    @ParameterizedTest
    @CsvSource({"3, 1, false", "3, 1, true", "3, 2, false", "3, 2, true", "5, 2, true", "7, 3, true"})
    void release_behindAHandOff_whenNodesHang_endsWithinOneNodeTimeout(int nodes, int hanging, boolean cut)
            throws Exception {
        Map<String, String> settings = Map.of("nodeTimeoutMillis", Long.toString(NODE_TIMEOUT.toMillis()));
        try (Processes processes = Processes.start(nodes, 1, settings)) {
            Lease handed = handedOn(processes);
            for (RedisServer node : processes.redis.all().subList(0, hanging)) {
                if (cut) {
                    node.ask("client kill type normal");
                }
                node.freeze();
            }
            long begun = System.nanoTime();
            handed.release();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(MOST);
            processes.redis.all().forEach(RedisServer::thaw);
        }
    }

    /** The nodes are only told for how much longer to keep the lock. */
    @Test
    void release_beforeAtLeastIsOver_whenANodeHangs_isConfirmedByTheOthers() throws Exception {
        Map<String, String> settings = Map.of("nodeTimeoutMillis", Long.toString(NODE_TIMEOUT.toMillis()));
        try (Processes processes = Processes.start(3, 1, settings)) {
            processes.tryAcquire(0, LockRequest.of("before")).orElseThrow().release(); // as any process has done
            LockRequest kept = LockRequest.of("a").ttl(Duration.ofSeconds(60)).atLeast(Duration.ofSeconds(40));
            Lease lease = processes.tryAcquire(0, kept).orElseThrow();
            RedisServer node = processes.redis.get(0);
            node.ask("client kill type normal");
            node.freeze();
            Thread.sleep(200); // until the ends of the connections have come: nothing else shows that
            long begun = System.nanoTime();
            assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(NODE_TIMEOUT);
            node.thaw();
        }
    }

    /** The thread that refreshes tickets ends the waits of requests without a thread, too. */
    @Test
    void requestWithoutAThread_whileTicketsAreRefreshedOnANodeThatHangs_endsInTime() throws Exception {
        Map<String, String> settings = Map.of("nodeTimeoutMillis", Long.toString(NODE_TIMEOUT.toMillis()));
        try (Processes processes = Processes.start(3, 1, settings)) {
            processes.tryAcquire(0, FAIR).orElseThrow();
            FutureTask<Lease> stands = processes.acquire(0, FAIR);
            processes.awaitTickets("a", 1);
            LockRequest other = LockRequest.of("other").detached();
            processes.tryAcquire(0, other).orElseThrow();
            processes.redis.get(0).ask("client kill type normal");
            processes.redis.get(0).freeze();
            long begun = System.nanoTime();
            CompletableFuture<Lease> waits = processes
                    .connection(0)
                    .acquireAsync(other.waitTimeout(Duration.ofMillis(1_200)))
                    .toCompletableFuture();
            assertThat(waits)
                    .failsWithin(20, SECONDS)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(LockTimeoutException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(NODE_TIMEOUT);
            assertThat(stands).isNotDone();
            processes.redis.get(0).thaw();
        }
    }

    /** Returns a lock that its holder before has handed on: not so on a machine that stands still for 100 ms. */
    private static Lease handedOn(Processes processes) throws Exception {
        for (int attempt = 0; attempt < 20; attempt++) {
            Lease first = processes.tryAcquire(0, FAIR).orElseThrow();
            FutureTask<Lease> second = processes.acquire(0, FAIR);
            processes.awaitTickets("a", 1);
            FutureTask<Lease> third = processes.acquire(0, FAIR);
            processes.awaitTickets("a", 2);
            first.release();
            Lease granted = second.get(10, SECONDS);
            granted.release();
            Lease last = third.get(10, SECONDS);
            if (last.token() == granted.token() + 1) {
                return last;
            }
            last.release();
            processes.awaitTickets("a", 0);
        }
        throw new AssertionError("never handed on");
    }
}
