// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.SentinelGroup;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nodes and Sentinels at addresses of version 6 of IP. {@link ClusterAccessTest} has those of a cluster. */
@Tag("thorough")
@Timeout(240)
class Version6Test {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(3);

    /** For a failover, or a first use, on a busy machine. */
    private static final Duration PATIENCE = ofSeconds(60);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    @BeforeEach
    void requireVersion6() {
        assumeTrue(hasVersion6(), "this machine has no IPv6");
    }

    static boolean hasVersion6() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** Takes a lock for which another client waits, which hears of its release. */
    private void use(String nodes) throws Exception {
        LockConnection locks = voters.connect(nodes, MEMORY);
        LockConnection others = voters.connect(nodes, MEMORY);
        LockRequest request = LockRequest.of("used").ttl(MEMORY).waitTimeout(PATIENCE);
        Lease held = locks.acquire(request);
        CompletableFuture<Lease> waiter = others.acquireAsync(request);
        await().atMost(PATIENCE).until(held::renew); // no answer in time, on a busy machine, is none
        assertThat(waiter).isNotDone();
        held.release();
        Lease next = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(next.token()).isGreaterThan(held.token());
        next.release();
    }

    @Test
    void node_atAnAddressOfVersion6_isUsed() throws Exception {
        RedisServer server = voters.opened(RedisServer.start(MovingVoters.FILES, "--bind", "127.0.0.1", "::1"));
        use("redis://[::1]:" + server.port());
    }

    @Test
    void sentinels_atAddressesOfVersion6_nameThePrimaryAndTheOneAfterIt() throws Exception {
        RedisServer server = voters.opened(RedisServer.start(MovingVoters.FILES));
        assumeTrue(
                !server.ask("INFO server").contains("redis_version:6."),
                "a Sentinel of Redis 6 takes a primary at ::1 for down");
        SentinelGroup group = voters.opened(SentinelGroup.startOnVersion6(MovingVoters.FILES, 1));
        assertThat(group.uri()).contains("[::1]");
        use(group.uri());
        RedisServer primary = group.servers().get(0);
        primary.kill();
        group.awaitOtherThan(primary.port());
        use(group.uri());
    }
}
