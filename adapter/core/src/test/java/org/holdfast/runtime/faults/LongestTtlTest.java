// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that disagree about the longest TTL, on one real node. */
@Tag("thorough")
@Timeout(60)
class LongestTtlTest extends GuardOnProcesses {

    @Test
    void process_withAShorterLongestTtl_isRefused_andCutsNoLock() throws Exception {
        RedisServer node = node();
        LockConnection connection = connect(List.of(node.uri()), LONG_MEMORY);
        acquireAfterQuarantine(connection, LONG_MEMORY);
        Lease lease = connection.acquire(LockRequest.of("a").fixedTtl(LONG_MEMORY));
        try (LockConnectionFactory other = factory(List.of(node.uri()), ofSeconds(3));
                LockConnection contender = other.getConnection()) {
            assertRefused(contender, "maxLeaseTtlMillis=6000", "maxLeaseTtlMillis=3000", "previous...");
            await().until(() -> !lease.isHeld() || lease.remaining().compareTo(ofMillis(500)) < 0);
            if (lease.isHeld()) {
                assertThat(node.command("EXISTS holdfast:{a}:lock")).isEqualTo(":1\r\n");
            }
        }
    }

    @Test
    void longestTtl_isRaised_whileProcessesRun() throws Exception {
        RedisServer node = node();
        LockConnection old = connect();
        acquireAfterQuarantine(old);
        long since = markedSince(node);
        Map<String, String> raised = Map.of("nodes", node.uri(), "maxLeaseTtlMillis", "6000");
        Map<String, String> changing = new HashMap<>(raised);
        changing.put("previousMaxLeaseTtlMillis", Long.toString(MEMORY.toMillis()));
        try (LockConnectionFactory between = Holdfast.connect(changing);
                LockConnection first = between.getConnection()) {
            first.acquire(LockRequest.of("b")).release();
            old.acquire(LockRequest.of("b")).release();
            locks.close(); // the last process that knows the old value only
            try (LockConnectionFactory after = Holdfast.connect(raised);
                    LockConnection last = after.getConnection()) {
                last.acquire(LockRequest.of("b").ttl(ofSeconds(6)).waitTimeout(MEMORY.plusSeconds(9)))
                        .release(); // when those that it knew are over
                first.acquire(LockRequest.of("b")).release();
            }
        }
        assertThat(markedSince(node)) // a process that has just started adds what it has not watched
                .as("no vote was lost")
                .isBetween(since, since + 3_000_000);
    }
}
