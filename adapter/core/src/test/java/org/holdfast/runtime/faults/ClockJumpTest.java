// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.env.Time;
import org.holdfast.runtime.RuntimeBridge;
import org.holdfast.runtime.SystemTime;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks that jump, on real processes: ours stands still, which to us looks as if theirs jumped ahead. */
@Tag("thorough")
@Timeout(60)
class ClockJumpTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(3);

    private final List<RedisServer> nodes = new ArrayList<>();
    private final JumpingTime time = new JumpingTime();
    private LockConnectionFactory locks;

    /**
     * The system's time, which stands still on demand.
     *
     * <p>A thread that asks for it meanwhile waits, as in a suspended machine. If it got a time that stands still, it
     * would measure one node after the other while their clocks run, and find that each has jumped by something else.
     */
    private static final class JumpingTime implements Time {
        private final Time system = new SystemTime();
        private final ReadWriteLock suspension = new ReentrantReadWriteLock();
        private long behind;

        /** Blocks for as long. */
        void standStill(Duration duration) throws InterruptedException {
            suspension.writeLock().lock();
            try {
                Thread.sleep(duration.toMillis()); // the nodes' real clocks have to run meanwhile
                behind += duration.toNanos();
            } finally {
                suspension.writeLock().unlock();
            }
        }

        @Override
        public long nanoTime() {
            suspension.readLock().lock();
            try {
                return system.nanoTime() - behind;
            } finally {
                suspension.readLock().unlock();
            }
        }

        @Override
        public long epochMicros() {
            return system.epochMicros();
        }

        @Override
        public Signal newSignal() {
            return system.newSignal();
        }
    }

    @AfterEach
    void stop() {
        locks.close();
        nodes.forEach(RedisServer::close);
    }

    private LockConnection connect(int count) {
        for (int i = 0; i < count; i++) {
            nodes.add(RedisServer.start(Path.of("target", "redis")));
        }
        locks = connect(time);
        return locks.getConnection();
    }

    private LockConnectionFactory connect(Time by) {
        Map<String, String> settings = Map.of(
                "nodes",
                String.join(",", nodes.stream().map(RedisServer::uri).toList()),
                "ttlMillis",
                "2500",
                "nodeTimeoutMillis",
                "1200",
                "maxLeaseTtlMillis",
                Long.toString(MEMORY.toMillis()));
        return RuntimeBridge.connect(settings, by);
    }

    /** The system's time, with a wall clock that is a day ahead. */
    private static final class FutureTime implements Time {
        private final Time system = new SystemTime();

        @Override
        public long nanoTime() {
            return system.nanoTime();
        }

        @Override
        public long epochMicros() {
            return system.epochMicros() + TimeUnit.DAYS.toMicros(1);
        }

        @Override
        public Signal newSignal() {
            return system.newSignal();
        }
    }

    private static LockRequest within(Duration wait) {
        return LockRequest.of("a").waitTimeout(wait);
    }

    private String birthMark(int node) throws Exception {
        return nodes.get(node).command("GET holdfast:birth");
    }

    @Test
    void node_aheadOfWhereItWas_isInQuarantineFromThenOn() throws Exception {
        LockConnection connection = connect(1);
        connection.acquire(within(MEMORY.plusSeconds(3))).release();
        long before = markedSince();
        time.standStill(ofSeconds(2));
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> connection.acquire(within(ofMillis(500))))
                .satisfies(e -> assertThat(e.failures().get(nodes.get(0).uri()))
                        .containsAnyOf("its clock jumped by", "in quarantine for another"));
        await().until(() -> markedSince() > before);
        connection.acquire(within(MEMORY.plusSeconds(3))).release();
    }

    @Test
    void quorum_aheadOfWhereItWas_endsLeasesThatCountByOurClock_andNobodyElsesQuorum() throws Exception {
        LockConnection connection = connect(3);
        AtomicReference<LeaseLoss> told = new AtomicReference<>();
        Lease lease = connection.acquire(within(MEMORY.plusSeconds(3)));
        lease.onLost(told::set);
        for (int node = 0; node < nodes.size(); node++) {
            awaitLooks(node, 2); // its quarantine was watched to its end: else it would be longer
        }
        List<Long> before = marks();
        time.standStill(ofSeconds(2));
        await().until(() -> told.get() != null);
        assertThat(told.get().reason()).contains("the clock of this process stood still for");
        assertThat(lease.isHeld()).isFalse();
        connection.acquire(within(ofSeconds(2))).release();
        assertThat(marks()).isEqualTo(before);
    }

    /** One that is long can be told by the last look of another process, one that is short only by its next. */
    @ParameterizedTest(name = "{0} ms")
    @ValueSource(ints = {5, 100, 4_000})
    void process_thatStoodStill_takesNoVote_ifAnotherHasWatchedTheNode(int millis) throws Exception {
        LockConnection connection = connect(1);
        connection.acquire(within(MEMORY.plusSeconds(3))).release();
        try (LockConnectionFactory other = connect(new SystemTime());
                LockConnection watching = other.getConnection()) {
            Lease lease = watching.acquire(LockRequest.of("b").detached());
            awaitLooks(2); // the other process is known to watch: what it sees counts from then on
            long since = markedSince();
            time.standStill(Duration.ofMillis(millis));
            awaitLooks(3);
            assertThat(markedSince()).isEqualTo(since);
            assertThat(watching.tryAcquire(LockRequest.of("c").waitTimeout(Duration.ZERO)))
                    .isPresent();
            assertThat(lease.isHeld()).isTrue();
            connection.acquire(LockRequest.of("d").waitTimeout(ofSeconds(3))).release();
        }
    }

    private void awaitLooks(int count) throws Exception {
        awaitLooks(0, count);
    }

    private void awaitLooks(int node, int count) throws Exception {
        for (int look = 0; look < count; look++) {
            String before = birthMark(node);
            await().until(() -> !birthMark(node).equals(before));
        }
    }

    private long markedSince() throws Exception {
        return markedSince(0);
    }

    private long markedSince(int node) throws Exception {
        return Long.parseLong(birthMark(node).split("\\s+")[1]);
    }

    private List<Long> marks() throws Exception {
        return List.of(markedSince(0), markedSince(1), markedSince(2));
    }

    @Test
    void wallClock_thatIsWrong_leavesNoTokenBehindThatOthersWouldHaveToJumpOver() throws Exception {
        LockConnection connection = connect(3);
        long before = connection.acquire(within(MEMORY.plusSeconds(3))).token();
        try (LockConnectionFactory wrong = connect(new FutureTime());
                LockConnection refused = wrong.getConnection()) {
            assertThatExceptionOfType(LockException.class)
                    .isThrownBy(() -> refused.acquire(LockRequest.of("b")))
                    .withMessageContaining("HF0205");
        }
        long after = connection.acquire(LockRequest.of("b")).token();
        assertThat(after - before).isBetween(1L, TimeUnit.MINUTES.toMicros(1));
    }
}
