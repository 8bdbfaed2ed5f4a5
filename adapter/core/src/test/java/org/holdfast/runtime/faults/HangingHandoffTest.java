// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.runtime.Processes;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
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
    @CsvSource({"1, false", "1, true", "2, false", "2, true"})
    void release_behindAHandOff_whenNodesHang_endsWithinOneNodeTimeout(int hanging, boolean cut) throws Exception {
        Map<String, String> settings = Map.of("nodeTimeoutMillis", Long.toString(NODE_TIMEOUT.toMillis()));
        try (Processes processes = Processes.start(3, 1, settings)) {
            Lease first = processes.tryAcquire(0, FAIR).orElseThrow();
            FutureTask<Lease> second = processes.acquire(0, FAIR);
            processes.awaitTickets("a", 1);
            FutureTask<Lease> third = processes.acquire(0, FAIR);
            processes.awaitTickets("a", 2);
            first.release();
            Lease granted = second.get(10, SECONDS);
            for (RedisServer node : processes.redis.all().subList(0, hanging)) {
                if (cut) {
                    node.ask("client kill type normal");
                }
                node.freeze();
            }
            granted.release();
            Lease handed = third.get(10, SECONDS);
            assertThat(handed.token()).as("handed on").isEqualTo(granted.token() + 1);
            long begun = System.nanoTime();
            handed.release();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(MOST);
            processes.redis.all().forEach(RedisServer::thaw);
        }
    }
}
