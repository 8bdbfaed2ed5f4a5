// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Nodes on the same machine that are entered by a file. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "Redis has no UNIX domain sockets there")
@Timeout(90)
class UnixSocketTest {

    private static final Duration MEMORY = ofSeconds(2);
    private static final Duration FIRST_USE = ofSeconds(20);

    /** Its path is short: one of a socket has 107 characters at the most. */
    @TempDir
    private Path directory;

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private Path file;
    private RedisServer server;

    @BeforeEach
    void start() {
        file = directory.resolve("a.sock");
        server = started(file);
    }

    private RedisServer started(Path socket, String... options) {
        String[] all = new String[options.length + 2];
        all[0] = "--unixsocket";
        all[1] = socket.toString();
        System.arraycopy(options, 0, all, 2, options.length);
        return voters.opened(RedisServer.start(MovingVoters.FILES, all));
    }

    private static LockRequest request(String name) {
        return LockRequest.of(name).ttl(MEMORY).waitTimeout(FIRST_USE);
    }

    @Test
    void locks_ofOneNodeThatIsEnteredBothWays_excludeEachOtherAndWakeWaiters() throws Exception {
        LockConnection byFile = voters.connect("redis+unix://" + file, MEMORY);
        LockConnection byPort = voters.connect(server.uri(), MEMORY);
        Lease held = byFile.acquire(request("both"));
        assertThat(byPort.tryAcquire(LockRequest.of("both").waitTimeout(Duration.ZERO)))
                .isEmpty();
        assertThat(held.renew()).isTrue();

        FutureTask<Lease> waiting = new FutureTask<>(() -> byPort.acquire(request("both")));
        new Thread(waiting).start();
        await().until(() -> server.ask("PUBSUB CHANNELS *").contains("both"));
        held.release();
        Lease next = waiting.get(30, TimeUnit.SECONDS);
        assertThat(next.token()).isGreaterThan(held.token());
        next.release();

        byFile.acquire(request("both").fair(true)).release();
        byFile.acquire(request("both").mode(LockMode.READ)).release();
    }

    @Test
    void node_thatIsKilledAndStartedAgain_isInQuarantine_andVotesThen() throws Exception {
        LockConnection locks = voters.connect("redis+unix://" + file, MEMORY);
        locks.acquire(request("again")).release();
        server.kill();
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> locks.acquire(request("again").waitTimeout(ofMillis(100))))
                .withMessageContaining("redis+unix://" + file);
        server.start();
        long begun = System.nanoTime();
        locks.acquire(request("again")).release();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(ofMillis(500));
    }

    @Test
    void node_thatIsNamedTwice_byItsFileAndByItsPort_votesOnce() {
        RedisServer other = started(directory.resolve("b.sock"));
        LockConnectionFactory locks =
                voters.locks("redis+unix://" + file + "," + server.uri() + "," + other.uri(), MEMORY);
        await().atMost(FIRST_USE)
                .untilAsserted(() -> assertThat(locks.check().toString()).contains("the same Redis process"));
    }

    @Test
    void passwordAndDatabase_areThoseOfTheAddress() throws Exception {
        Path guarded = directory.resolve("guarded.sock");
        RedisServer secret = started(guarded, "--requirepass", "p@ss", "--protected-mode", "no");
        LockConnection locks = voters.connect("redis+unix://:p%40ss@" + guarded + "?database=3", MEMORY);
        try (Lease lease = locks.acquire(request("secret"))) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(secret.isAlive()).isTrue();
        }
        assertThat(voters.locks("redis+unix://" + guarded, MEMORY).check().toString())
                .contains("password")
                .doesNotContain("p@ss");
    }

    @Test
    void files_thatLeadToNoNode_areExplained() throws Exception {
        Path closed = Files.createFile(directory.resolve("closed.sock"));
        Path missing = directory.resolve("missing.sock");
        Path longer = directory.resolve("x".repeat(200));
        Map<Path, String> expected = new HashMap<>(Map.of(missing, "No such file", longer, "too long"));
        expected.put(closed, "refused");
        if (!"root".equals(System.getProperty("user.name"))) {
            Path forbidden = directory.resolve("forbidden.sock");
            started(forbidden);
            Files.setPosixFilePermissions(forbidden, PosixFilePermissions.fromString("---------"));
            expected.put(forbidden, "denied");
        }
        for (Map.Entry<Path, String> each : expected.entrySet()) {
            try (LockConnectionFactory locks =
                    Holdfast.connect(MovingVoters.settings("redis+unix://" + each.getKey(), MEMORY))) {
                assertThat(locks.check().toString())
                        .as("%s", each.getKey())
                        .containsIgnoringCase(each.getValue())
                        .contains("redis+unix://" + each.getKey(), "is this path its unixsocket");
            }
        }
    }
}
