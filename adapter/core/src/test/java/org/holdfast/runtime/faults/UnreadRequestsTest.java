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
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A node stands still, and its machine takes no more bytes for it: a socket with a small buffer shows that soon. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "Redis has no UNIX domain sockets there")
@Timeout(90)
class UnreadRequestsTest {

    private static final Duration TTL = ofSeconds(6);

    @TempDir
    private Path directory;

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

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
        LockConnection locks = voters.connectPatiently(nodes, TTL);
        List<String> names = IntStream.range(0, LockRequest.MAX_NAMES)
                .mapToObj(number -> number + "-" + "x".repeat(1000))
                .toList();
        LockRequest request =
                LockRequest.allOf(names.toArray(String[]::new)).ttl(TTL).waitTimeout(ofSeconds(30));
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

    private Path socket(String file) {
        return directory.resolve(file + ".sock");
    }
}
