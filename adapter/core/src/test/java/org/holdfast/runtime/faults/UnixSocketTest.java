// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.holdfast.CheckReport;
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
        Path forbidden = forbidden();
        if (!Files.isWritable(forbidden)) { // to root it is
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

    private Path forbidden() throws Exception {
        Path forbidden = directory.resolve("forbidden.sock");
        started(forbidden);
        Files.setPosixFilePermissions(forbidden, PosixFilePermissions.fromString("---------"));
        return forbidden;
    }

    /** It is the node's fault, and none of this process: others are connected to all the same. */
    @Test
    void node_whoseFileThisProcessMayNotOpen_keepsNoOtherFromVoting() throws Exception {
        Path forbidden = forbidden();
        assumeThat(Files.isWritable(forbidden)).as("this process is root").isFalse();
        RedisServer other = started(directory.resolve("b.sock"));
        LockConnectionFactory locks =
                voters.locks("redis+unix://" + forbidden + "," + server.uri() + "," + other.uri(), MEMORY);
        await().atMost(FIRST_USE).untilAsserted(() -> assertThat(locks.check().toString())
                .contains("is this path its unixsocket")
                .doesNotContain("this process cannot open a connection"));
        voters.opened(locks.getConnection()).acquire(request("two of three")).release();
    }

    /** Redis deletes a file that is there when it starts. Connections to the process before it stay open. */
    @Test
    void process_whoseFileAnotherOneTakes_votesNoMore() throws Exception {
        LockConnection before = voters.connect("redis+unix://" + file, MEMORY);
        before.acquire(request("taken")).release();
        started(file);
        LockConnection after = voters.connect("redis+unix://" + file, MEMORY);
        try (Lease held = after.acquire(request("taken"))) {
            assertThat(isGranted(before, "taken") && held.isHeld())
                    .as("two holders")
                    .isFalse();
        }
        before.acquire(request("taken")).release();
    }

    private static boolean isGranted(LockConnection locks, String name) throws Exception {
        try {
            return locks.tryAcquire(LockRequest.of(name).waitTimeout(Duration.ZERO))
                    .isPresent();
        } catch (QuorumUnavailableException e) {
            return false;
        }
    }

    /** Unlike a port, it refuses at once those that are not accepted. */
    @Test
    void node_thatAcceptsNoOneForAMoment_isWaitedFor() throws Exception {
        Path slow = directory.resolve("slow.sock");
        List<SocketChannel> others = new ArrayList<>();
        try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listening.bind(UnixDomainSocketAddress.of(slow), 1);
            for (int i = 0;
                    i < 2;
                    i++) { // before it connects by itself: then there would be no room for the second one
                others.add(SocketChannel.open(UnixDomainSocketAddress.of(slow)));
            }
            LockConnectionFactory locks = voters.locks("redis+unix://" + slow, MEMORY);
            FutureTask<CheckReport> checked = new FutureTask<>(locks::check);
            long begun = System.nanoTime();
            new Thread(checked).start();
            String said = checked.get(30, TimeUnit.SECONDS).toString();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(ofMillis(350));
            assertThat(said).contains("no connection in time");
        } finally {
            for (SocketChannel other : others) {
                other.close();
            }
        }
    }
}
