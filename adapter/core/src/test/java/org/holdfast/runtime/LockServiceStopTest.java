// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static java.time.Duration.ofMillis;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LockRequest;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.runtime.scheduling.Pulse;
import org.holdfast.runtime.scheduling.Scheduling;
import org.holdfast.runtime.scheduling.StandaloneScheduling;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes are looked at on threads of the container, which gives none any more when it stops the adapter. */
@Timeout(60)
class LockServiceStopTest {

    private final AtomicReference<LockService> service = new AtomicReference<>();

    /** Threads as a container gives them, with a say in what becomes of those for long tasks. */
    private static final class Threads implements Scheduling {

        private final StandaloneScheduling own = new StandaloneScheduling(new SystemTime());
        private volatile Consumer<Runnable> forLongTasks = own::runLong;

        @Override
        public void repeat(Runnable task) {
            own.repeat(task);
        }

        @Override
        public void within(long nanos) {
            own.within(nanos);
        }

        @Override
        public void keepRunning(Pulse pulse) {
            runLong(pulse);
        }

        @Override
        public void runLong(Runnable task) {
            forLongTasks.accept(task);
        }

        @Override
        public void execute(Runnable task) {
            own.execute(task);
        }

        @Override
        public void runApplication(Runnable task) {
            own.runApplication(task);
        }

        @Override
        public void close() {
            own.close();
        }
    }

    @Test
    void close_whileTheContainerRefusesAThread_leavesNoConnection() throws Exception {
        closeWhen(task -> {
            service.get().close();
            throw new RejectedExecutionException("the container is being stopped");
        });
    }

    @Test
    void close_whenTheContainerDroppedWhatItHadAccepted_leavesNoConnection() throws Exception {
        closeWhen(task -> service.get().close());
    }

    @Test
    void close_whenTheThreadThatLooksHasJustBegun_leavesNoConnection() throws Exception {
        closeWhen(task -> {
            service.get().close();
            task.run();
        });
    }

    private LockService start(RedisServers redis, Threads threads) {
        Map<String, String> settings = Map.of("nodes", redis.uris(), "ttlMillis", "1000", "maxLeaseTtlMillis", "1000");
        service.set(new LockService(Settings.of(settings), Transactions.NONE, threads));
        return service.get();
    }

    /** Refuses a thread for looks at first, and then does as it is told when it is asked for one again. */
    private void closeWhen(Consumer<Runnable> asked) throws InterruptedException {
        try (RedisServers redis = RedisServers.start(1)) {
            Threads threads = new Threads();
            threads.forLongTasks = task -> {
                throw new RejectedExecutionException("the container is starting");
            };
            start(redis, threads)
                    .newSession()
                    .acquireAsync(LockRequest.of("a").detached())
                    .join();
            assertThat(connections(redis.get(0))).isPositive();
            threads.forLongTasks = asked;
            await().untilAsserted(() -> assertThat(connections(redis.get(0))).isZero());
        }
    }

    @Test
    void close_whileNodesAreLookedAt_leavesNoConnection() throws Exception {
        try (RedisServers redis = RedisServers.start(1)) {
            LockService looking = start(redis, new Threads());
            await().until(() -> connections(redis.get(0)) > 0); // no caller has asked for anything: these are looks
            looking.close();
            await().untilAsserted(() -> assertThat(connections(redis.get(0))).isZero());
        }
    }

    /** As without memory: it is closed once, and nothing else would end its renewals. */
    @Test
    void close_thatFails_endsRenewalsAndConnections_andLeavesLocksToTheirTtl() throws Exception {
        Handler failing = new StreamHandler() {
            @Override
            public void publish(LogRecord line) {
                throw new NoClassDefFoundError("on purpose");
            }
        };
        Logger log = Logger.getLogger("org.holdfast.protocol.session.LeaseShutdown");
        try (RedisServers redis = RedisServers.start(1)) {
            Map<String, String> settings = Map.of("nodes", redis.uris(), "guard", "OFF", "ttlMillis", "1500");
            LockService holding = new LockService(
                    Settings.of(settings), Transactions.NONE, new StandaloneScheduling(new SystemTime()));
            Lease lease = holding.newSession()
                    .acquireAsync(LockRequest.of("a").detached())
                    .join();
            log.addHandler(failing);
            assertThatThrownBy(holding::close).isInstanceOf(NoClassDefFoundError.class);
            await("until the node has seen it")
                    .untilAsserted(() -> assertThat(connections(redis.get(0))).isZero());
            assertThat(isHeld(redis.get(0))).as("its holder may work on").isTrue();
            await().until(() -> !isHeld(redis.get(0)));
            assertThat(lease.isHeld()).isFalse();
        } finally {
            log.removeHandler(failing);
        }
    }

    @Test
    void close_whileANodeIsSlow_hearsThatTheLockIsReleasedThere() throws Exception {
        List<String> said = new CopyOnWriteArrayList<>();
        Logger log = Logger.getLogger(LockService.class.getName());
        Handler listener = new StreamHandler() {
            @Override
            public void publish(LogRecord message) {
                said.add(message.getMessage());
            }
        };
        log.addHandler(listener);
        try (RedisServers redis = RedisServers.start(3)) {
            Map<String, String> settings = Map.of("nodes", redis.uris(), "guard", "OFF", "nodeTimeoutMillis", "10000");
            LockService holding = new LockService(
                    Settings.of(settings), Transactions.NONE, new StandaloneScheduling(new SystemTime()));
            Lease lease = holding.newSession()
                    .acquireAsync(LockRequest.of("a").detached())
                    .join();
            lease.renew(); // what releases it is connected
            await().until(() -> isHeld(redis.get(2)));
            redis.get(2).freeze();
            CompletableFuture<Void> closed = CompletableFuture.runAsync(holding::close);
            await().pollInterval(ofMillis(10)) // it waits 2 s for the third
                    .until(() -> !isHeld(redis.get(0)) && !isHeld(redis.get(1)));
            redis.get(2).thaw();
            closed.join();
            assertThat(isHeld(redis.get(2))).isFalse();
            assertThat(said).noneMatch(message -> message.contains("HF0105"));
        } finally {
            log.removeHandler(listener);
        }
    }

    /** One transaction, open from the beginning, that may be completed from elsewhere. */
    private static final class OneTransaction implements Transactions {

        private volatile Completion bound;

        @Override
        public Object current() {
            return this;
        }

        @Override
        public boolean mayCommit() {
            return true;
        }

        @Override
        public Binding bind(Completion completion) {
            bound = completion;
            return Binding.SILENT;
        }
    }

    private static LockService serviceWith(OneTransaction transaction, RedisServers redis, String stopTimeoutMillis) {
        Map<String, String> settings = Map.of(
                "nodes",
                redis.uris(),
                "guard",
                "OFF",
                "nodeTimeoutMillis",
                "10000",
                "stopTimeoutMillis",
                stopTimeoutMillis);
        return new LockService(Settings.of(settings), transaction, new StandaloneScheduling(new SystemTime()));
    }

    private static Lease take(LockService service, LockRequest request) throws InterruptedException {
        return new NodesConnection(service.newSession(), service.openConnections()).acquire(request);
    }

    @Test
    void close_whileATransactionIsOpen_waitsForItAndReleasesEverything() throws Exception {
        try (RedisServers redis = RedisServers.start(1)) {
            OneTransaction transaction = new OneTransaction();
            LockService service = serviceWith(transaction, redis, "30000");
            take(service, LockRequest.of("a"));
            take(service, LockRequest.of("detached").detached());
            CompletableFuture<Void> closed = CompletableFuture.runAsync(service::close);
            await().until(() -> {
                try {
                    take(service, LockRequest.of("b").detached()).release();
                    return false;
                } catch (IllegalStateException e) {
                    return true;
                }
            });
            assertThat(closed).isNotDone();
            assertThat(isHeld(redis.get(0))).isTrue();
            transaction.bound.confirm();
            transaction.bound.completed();
            closed.get(10, SECONDS);
            assertThat(redis.get(0).command("KEYS *:lock")).doesNotContain("holdfast:{detached}:lock");
            assertThat(isHeld(redis.get(0))).isFalse();
        }
    }

    @Test
    void close_underATransactionThatDoesNotEnd_losesItsLeaseAndLeavesItOnTheNodes() throws Exception {
        try (RedisServers redis = RedisServers.start(1)) {
            OneTransaction transaction = new OneTransaction();
            LockService service = serviceWith(transaction, redis, "100");
            Lease lease = take(service, LockRequest.of("a"));
            service.close();
            assertThat(isHeld(redis.get(0))).isTrue();
            assertThat(lease.isHeld()).isFalse();
            assertThatThrownBy(transaction.bound::confirm)
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("the lock service was closed before its transaction ended");
            transaction.bound.completed();
            assertThat(isHeld(redis.get(0))).isTrue();
        }
    }

    private static boolean isHeld(RedisServer node) throws IOException {
        return node.command("EXISTS holdfast:{a}:lock").startsWith(":1");
    }

    private static long connections(RedisServer node) {
        try {
            return node.command("CLIENT LIST")
                    .lines()
                    .filter(client -> client.contains(" name=holdfast"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
