// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.LogLines;
import org.holdfast.redis.health.NodeHealth;
import org.holdfast.testkit.Link;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A node, or the line to it, takes no more bytes, or few. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "Redis has no UNIX domain sockets there")
@Timeout(90)
class UnreadRequestsTest {

    private static final Duration TTL = ofSeconds(6);

    @TempDir
    private Path directory;

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    /** A UNIX domain socket has a small buffer: it shows that soon. */
    @Test
    void nodes_whileAnotherOneReadsNothing_areNotSuspectedForWhatWasSentToThemLate() throws Exception {
        List<RedisServer> servers = new ArrayList<>();
        for (String file : List.of("a", "b", "c")) {
            servers.add(voters.opened(RedisServer.start(
                    MovingVoters.FILES, "--unixsocket", socket(file).toString())));
        }
        String nodes = List.of("a", "b", "c").stream()
                .map(file -> "redis+unix://" + socket(file))
                .collect(Collectors.joining(","));
        LockConnection locks = voters.connect(nodes, TTL);
        LockRequest request = large(0);
        locks.acquire(request).release();
        Lease lease = locks.acquire(request);
        try (LogLines lines = LogLines.of(NodeHealth.class.getName())) {
            servers.get(0).freeze();
            lease.release();
            await().atMost(TTL).until(() -> !lines.beginningWith("HF0301").isEmpty());
            assertThat(lines.beginningWith("HF0301"))
                    .allMatch(line -> line.contains(socket("a").toString()));
        }
    }

    /** Renewals are 25 MB, every 4 s. The line carries 6 MB in that time, and the buffers before it take as much. */
    @Test
    void leases_whileOneNodeTakesLittle_areKeptOnTheOthers_andNoCallerWaitsForIt() throws Exception {
        Duration ttl = ofSeconds(12);
        RedisServer[] servers = new RedisServer[3];
        for (int i = 0; i < servers.length; i++) {
            servers[i] = voters.opened(RedisServer.start(MovingVoters.FILES));
        }
        try (Link slow = new Link(servers[2].port())) {
            LockConnection locks =
                    voters.connectPatiently(servers[0].uri() + "," + servers[1].uri() + "," + slow.uri(), ttl);
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < 250; i++) {
                leases.add(locks.acquire(large(i).ttl(ttl)));
            }
            slow.passAtMost(1_500_000);
            LockRequest small = LockRequest.of("small").ttl(ttl).waitTimeout(ofSeconds(30));
            long until = System.nanoTime() + ttl.plus(ttl.dividedBy(3)).toNanos();
            while (System.nanoTime() - until < 0) {
                locks.acquire(small).release();
                assertThat(leases).allMatch(Lease::isHeld);
            }
            leases.forEach(Lease::release);
        }
    }

    private static LockRequest large(int number) {
        String[] names = IntStream.range(0, LockRequest.MAX_NAMES)
                .mapToObj(each -> number + "-" + each + "-" + "x".repeat(1000))
                .toArray(String[]::new);
        return LockRequest.allOf(names).ttl(TTL).waitTimeout(ofSeconds(30));
    }

    private Path socket(String file) {
        return directory.resolve(file + ".sock");
    }
}
