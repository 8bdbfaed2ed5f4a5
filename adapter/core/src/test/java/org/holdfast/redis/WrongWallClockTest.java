// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.GuardMode;
import org.holdfast.Lease;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.Release;
import org.holdfast.protocol.LockEngine;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.queue.ReleaseNotifications;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.protocol.quorum.UnfinishedReleases;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.redis.address.VoterAddresses;
import org.holdfast.redis.health.NodeLogLimiters;
import org.holdfast.redis.voter.Locators;
import org.holdfast.redis.wire.ConnectionSecurity;
import org.holdfast.redis.wire.NodeConnector;
import org.holdfast.testkit.ClockShim;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients and nodes with wrong wall clocks, on real nodes: what they leave on record, and which clients follow. */
@Timeout(60)
class WrongWallClockTest {

    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration YEAR = Duration.ofDays(365);
    private static final Timing TIMING = new Timing(
            NODE_TIMEOUT,
            Duration.ofSeconds(30),
            Duration.ofMinutes(10),
            0.01,
            Duration.ofSeconds(1),
            Duration.ofSeconds(2));

    @TempDir
    Path directory;

    private final ArrayList<RedisServer> servers = new ArrayList<>();

    @AfterEach
    void stop() {
        servers.forEach(RedisServer::close);
    }

    /** A process of the application, with a wall clock of its own. */
    private final class Client {
        final AtomicLong aheadMicros = new AtomicLong();
        private final NodeChannel nodes;
        private final LockEngine engine;
        private final LockSession session;

        Client() {
            Time time = new OneNode.WaitlessTime() {
                @Override
                public long epochMicros() {
                    return super.epochMicros() + aheadMicros.get();
                }
            };
            NodeGroup cluster = new NodeGroup(
                    new Locators(
                                    VoterAddresses.parse(
                                            String.join(
                                                    ",",
                                                    servers.stream()
                                                            .map(RedisServer::uri)
                                                            .toList()),
                                            "nodes",
                                            new ArrayList<>()),
                                    new NodeConnector(ConnectionSecurity.DEFAULT, NODE_TIMEOUT, Runnable::run, time),
                                    0.01,
                                    time)
                            .connector(),
                    "test",
                    new GuardPolicy(GuardMode.OFF, OneNode.AGREEMENTS),
                    time,
                    Recorder.NONE,
                    new NodeLogLimiters(time),
                    WakeUp.NONE);
            nodes = cluster.open();
            UnfinishedReleases unfinished = new UnfinishedReleases(time, servers.size(), WakeUp.NONE);
            engine = new LockEngine(
                    new LockEngine.Environment(time, new RandomOwners(), Recorder.NONE, new ProcessInfo("test", 1)),
                    TIMING,
                    unfinished,
                    new LockEngine.Connections(nodes, nodes, ReleaseNotifications.NONE),
                    new LockEngine.Threads(Runnable::run, Runnable::run, WakeUp.NONE));
            session = engine.newSession(
                    engine.transactionLeases(Transactions.NONE),
                    new LockSession.Defaults(
                            Duration.ZERO, Duration.ofSeconds(10), TIMING.maxLeaseTtl(), Release.CONFIRMED));
        }

        void setAhead(Duration ahead) {
            aheadMicros.set(TimeUnit.MILLISECONDS.toMicros(ahead.toMillis()));
        }

        Nodes nodes() {
            return nodes;
        }

        Lease acquire(String name) throws InterruptedException {
            return new NodesConnection(session, nodes).acquire(LockRequest.of(name));
        }

        long tokenOf(String name) throws InterruptedException {
            try (Lease lease = acquire(name)) {
                return lease.token();
            }
        }
    }

    private static final class RandomOwners implements Randomness {
        private final java.util.Random random = new java.util.Random();

        @Override
        public byte[] uniqueId() {
            byte[] id = new byte[20];
            random.nextBytes(id);
            return id;
        }

        @Override
        public long below(long bound) {
            return (long) (random.nextDouble() * bound);
        }
    }

    private void startNodes(int count) {
        for (int node = 0; node < count; node++) {
            servers.add(RedisServer.start(directory));
        }
    }

    private static void assertNearNow(long token) {
        long millisAhead = token / 1_000 - System.currentTimeMillis();
        assertThat(Math.abs(millisAhead)).as("ms between token and now").isLessThan(300_000);
    }

    @Test
    void clientAYearAhead_isRefusedAndLeavesNothingThatAnybodyFollows() throws Exception {
        startNodes(3);
        Client wrong = new Client();
        Client right = new Client();
        right.acquire("b").release();
        wrong.setAhead(YEAR);
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> wrong.acquire("a"))
                .withMessageStartingWith("HF0205:");
        assertNearNow(right.tokenOf("a"));

        wrong.setAhead(Duration.ZERO); // set right
        assertNearNow(wrong.tokenOf("a"));
        assertNearNow(right.tokenOf("a"));
        assertNearNow(right.tokenOf("b"));
    }

    @Test
    void operatorAYearAhead_isRefusedAndTheHolderIsLeftAlone() throws Exception {
        startNodes(3);
        Client holder = new Client();
        Client operator = new Client();
        Lease lease = holder.acquire("a");
        operator.setAhead(YEAR);
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> operator.engine.lockAdmin().forceRelease(operator.nodes(), LockRequest.of("a"), ""))
                .withMessageStartingWith("HF0205:");
        assertThat(lease.renew()).isTrue();
        lease.release();
        assertNearNow(holder.tokenOf("a"));

        operator.setAhead(Duration.ZERO);
        holder.acquire("a");
        assertThat(operator.engine.lockAdmin().forceRelease(operator.nodes(), LockRequest.of("a"), ""))
                .hasSize(1);
        assertNearNow(holder.tokenOf("a"));
    }

    @Test
    void tokenOnRecordAYearAhead_isNotCarriedToOtherNames() throws Exception {
        startNodes(3);
        long poison = (System.currentTimeMillis() + YEAR.toMillis()) * 1_000;
        for (RedisServer server : servers) {
            server.command("SET test:{a}:fence " + poison + " PX 600000");
        }
        Client client = new Client();
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> client.acquire("a"))
                .withMessageContaining("the last token on record there is 31535");
        assertNearNow(client.tokenOf("b"));
    }

    @Test
    void oneNodeAnHourAheadAndOneDown_admitsNeitherAClientThatIsRightNorOneThatIsAnHourAhead() throws Exception {
        ClockShim clock = ClockShim.in(directory).orElse(null);
        Assumptions.assumeTrue(clock != null, ClockShim.NEEDS);
        startNodes(2);
        servers.add(RedisServer.startWithClock(directory, clock));
        clock.set(Duration.ofHours(1));
        Client right = new Client();
        Client ahead = new Client();
        ahead.setAhead(Duration.ofHours(1));
        assertNearNow(right.tokenOf("a"));

        servers.get(0).kill();
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> right.acquire("a"))
                .withMessageContaining("its clock and the token of this request are");
        assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(() -> ahead.acquire("a"));
    }
}
