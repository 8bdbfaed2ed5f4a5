// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.operations;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.util.HashMap;
import java.util.Map;
import org.holdfast.CheckReport;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockOperations;
import org.holdfast.LockRequest;
import org.holdfast.LockState;
import org.holdfast.LogLines;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that takes no locks: it sees all, and writes nothing but what an operator releases by force. */
@Timeout(90)
class OperateTest {

    private final RedisServers redis = RedisServers.start(3);
    private LockOperations operations;

    private Map<String, String> settings(String... more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "nodes", redis.uris(), "maxLeaseTtlMillis", "2000", "ttlMillis", "2000", "nodeTimeoutMillis", "1000"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return settings;
    }

    @BeforeEach
    void begin() {
        operations = Holdfast.operate(settings());
    }

    @AfterEach
    void end() {
        operations.close();
        redis.close();
    }

    private static Lease take(LockConnectionFactory locks, String name) throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            return connection.acquire(LockRequest.of(name).detached().waitTimeout(ofSeconds(30)));
        }
    }

    @Test
    void nodes_thatNoLockServiceHasUsed_stayUntouched_andAreReported() throws Exception {
        assertThat(operations.check().isUsable()).isFalse();
        assertThat(operations.check().nodes())
                .allSatisfy(node -> assertThat(node.cause()).contains("no process that takes locks has looked at it"));
        assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(() -> operations.locks(10));
        for (RedisServer node : redis.all()) {
            assertThat(node.command("DBSIZE")).isEqualTo(":0\r\n");
        }
    }

    @Test
    void holder_inAnotherProcess_isSeen_andTakenAwayFrom() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings())) {
            Lease lease = take(locks, "a");
            await().atMost(ofSeconds(20)).until(() -> operations.check().isReady());
            assertThat(operations.nodeCount()).isEqualTo(3);
            assertThat(operations.locks(10).locks()).singleElement().satisfies(lock -> assertThat(lock.holders())
                    .singleElement()
                    .satisfies(holder -> assertThat(holder.token()).isEqualTo(lease.token())));
            assertThat(operations.forceRelease(LockRequest.of("a"), "it hangs")).hasSize(1);
            await().atMost(ofSeconds(10)).until(() -> !lease.isHeld());
            LockState free = operations.state(LockRequest.of("a"));
            assertThat(free.holders()).isEmpty();
        }
    }

    /** Its key lingers: without the operator it would be free when a process has watched its nodes for 20 s. */
    @Test
    void lock_whoseLeaseHasEnded_isFreeAfterAForcedRelease() throws Exception {
        Map<String, String> lingering = settings("maxLeaseTtlMillis", "6000");
        try (LockConnectionFactory locks = Holdfast.connect(lingering);
                LockConnection connection = locks.getConnection();
                LockOperations operator = Holdfast.operate(lingering);
                LogLines audit = LogLines.of("org.holdfast.audit")) {
            LockRequest dead = LockRequest.of("dead");
            Lease lease =
                    connection.acquire(dead.detached().fixedTtl(ofSeconds(1)).waitTimeout(ofSeconds(40)));
            await().atMost(ofSeconds(20)).until(() -> !lease.isHeld());
            await().atMost(ofSeconds(20)).until(() -> operator.holders(dead).isEmpty());
            assertThat(operator.forceRelease(dead, "its process has died")).isEmpty();
            for (RedisServer node : redis.all()) {
                assertThat(node.command("EXISTS holdfast:{dead}:lock")).isEqualTo(":0\r\n");
            }
            Lease next = connection.tryAcquire(dead.waitTimeout(ofMillis(0))).orElseThrow();
            assertThat(next.token()).isGreaterThan(lease.token());
            assertThat(audit.beginningWith("HF0235"))
                    .singleElement()
                    .asString()
                    .endsWith("; held by: no holder that nodes know; they may keep something of an earlier lease");
            assertThat(audit.beginningWith("HF0214"))
                    .singleElement()
                    .asString()
                    .endsWith("; removed: no holder; what nodes kept of an earlier lease");
        }
    }

    @Test
    void nodes_thatOthersUse_keepTheirMarksAsTheyAre() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings())) {
            take(locks, "a").release();
        }
        Map<RedisServer, String> before = new HashMap<>();
        for (RedisServer node : redis.all()) {
            before.put(node, node.command("GET holdfast:birth"));
        }
        for (int i = 0; i < 3; i++) {
            operations.check();
            operations.locks(10);
        }
        for (RedisServer node : redis.all()) {
            assertThat(node.command("GET holdfast:birth")).isEqualTo(before.get(node));
        }
    }

    @Test
    void node_inQuarantine_isReportedWithTheTimeThatIsLeft() throws Exception {
        Map<String, String> longer = settings("maxLeaseTtlMillis", "20000");
        try (LockConnectionFactory locks = Holdfast.connect(longer);
                LockOperations operator = Holdfast.operate(longer)) {
            locks.check(); // begins to use them
            assertThat(operator.check().nodes()).allSatisfy(node -> {
                assertThat(node.state()).isEqualTo(CheckReport.State.QUARANTINED);
                assertThat(node.quarantine()).isBetween(ofSeconds(1), ofSeconds(40));
            });
        }
    }

    @Test
    void settings_thatDifferFromThoseOfTheLockServices_areReportedWithBoth() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings());
                LockOperations operator = Holdfast.operate(settings("maxLeaseTtlMillis", "3000"))) {
            take(locks, "a");
            assertThat(operator.check().nodes())
                    .allSatisfy(node -> assertThat(node.cause()).contains("2000", "3000"));
            assertThat(locks.check().isReady()).isTrue();
        }
    }
}
