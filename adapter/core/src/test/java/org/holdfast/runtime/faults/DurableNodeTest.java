// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes that persist each write, and those that only seem to. */
@Timeout(60)
class DurableNodeTest extends GuardOnProcesses {

    @Test
    void durableNode_votesAtOnceAfterARestart() throws Exception {
        RedisServer node = node("--appendonly", "yes", "--appendfsync", "always");
        LockConnection connection = connect(List.of(node.uri() + "?durable=true"), LONG_MEMORY);
        acquireAfterQuarantine(connection, LONG_MEMORY);
        Lease lease = connection.acquire(LockRequest.of("kept").detached());
        nodes.get(0).kill();
        nodes.get(0).start();
        connection.acquire(within(ofSeconds(4))).release();
        assertThat(lease.isHeld()).as("its lock was not forgotten").isTrue();
    }

    /** Nothing but the process that comes can be asked, and it does not know how the one before it persisted. */
    @Test
    void node_thatPersistsEveryWriteNow_isInQuarantineAfterARestart() throws Exception {
        RedisServer node = node("--appendonly", "yes", "--appendfsync", "always");
        LockConnection connection = connect();
        acquireAfterQuarantine(connection);
        node.command("CONFIG SET appendonly no");
        connection.acquire(LockRequest.of("forgotten").detached().fixedTtl(MEMORY));
        node.kill();
        node.start();
        await().untilAsserted(() -> assertRefused(connection, "in quarantine for another"));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"appendfsync, everysec", "no-appendfsync-on-rewrite, yes", "appendonly, no"})
    void durableNode_thatMayLoseWrites_isRefused(String setting, String value) throws Exception {
        RedisServer node = node("--appendonly", "yes", "--appendfsync", "always");
        LockConnection connection = connect(List.of(node.uri() + "?durable=true"));
        acquireAfterQuarantine(connection);
        node.command("CONFIG SET " + setting + " " + value);
        await().untilAsserted(() -> assertRefused(connection, "said to be durable", setting + " is " + value));
    }

    @Test
    void durableNode_restoredFromABackup_isInQuarantine() throws Exception {
        RedisServer node = node("--appendonly", "yes", "--appendfsync", "always");
        LockConnection connection = connect(List.of(node.uri() + "?durable=true"));
        acquireAfterQuarantine(connection);
        Path backup = node.copyFiles();
        connection.acquire(LockRequest.of("forgotten").detached());
        String mark = node.command("GET holdfast:birth");
        await().until(() -> !node.command("GET holdfast:birth").equals(mark)); // a look later than the copy is noted
        node.kill();
        node.restoreFiles(backup);
        node.start();
        await().untilAsserted(() -> assertRefused(connection, "in quarantine for another"));
    }
}
