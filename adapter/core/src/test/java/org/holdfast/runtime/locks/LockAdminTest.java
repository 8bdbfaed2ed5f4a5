// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.locks;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockHolder;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.runtime.RuntimeBridge;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What operators see and do, on three real nodes. Two factories are two processes, as far as the nodes can see. */
@Timeout(60)
class LockAdminTest {

    private static final String OWNER = "0123456789abcdef0123456789abcdef01234567";

    private static final Logger AUDIT = Logger.getLogger("org.holdfast.audit");

    private static RedisServers redis;

    private final LinkedBlockingQueue<LogRecord> audited = new LinkedBlockingQueue<>();
    private final Handler auditor = new Handler() {
        @Override
        public void publish(LogRecord line) {
            audited.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private ExecutorService worker;
    private LockConnectionFactory locks;
    private LockConnectionFactory others;

    @BeforeAll
    static void startNodes() {
        redis = RedisServers.start(3);
    }

    @AfterAll
    static void stopNodes() {
        redis.close();
    }

    @BeforeEach
    void connect() {
        onEveryNode("FLUSHALL");
        AUDIT.addHandler(auditor);
        AUDIT.setUseParentHandlers(false);
        worker = Executors.newSingleThreadExecutor(work -> new Thread(work, "order-worker-7"));
        locks = connect(redis.uris());
        others = connect(redis.uris());
    }

    private static LockConnectionFactory connect(String nodes) {
        // a machine that is busy with other tests is not a node that hangs
        return Holdfast.connect(Map.of("nodes", nodes, "guard", "OFF", "nodeTimeoutMillis", "2000"));
    }

    @AfterEach
    void disconnect() {
        AUDIT.removeHandler(auditor);
        worker.shutdownNow();
        locks.close();
        others.close();
    }

    private static void onEveryNode(String command) {
        redis.all().forEach(node -> ask(node, command));
    }

    private static String ask(RedisServer node, String command) {
        try {
            return node.command(command);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** An acquisition waits for a quorum only, and may have found a node without our scripts; a renewal heals that. */
    private static Lease take(LockConnectionFactory by, LockRequest request) throws Exception {
        try (LockConnection connection = by.getConnection()) {
            Lease lease = connection.acquire(request.detached().waitTimeout(ofSeconds(20)));
            assertThat(lease.renew()).isTrue();
            return lease;
        }
    }

    private <T> T inWorker(Callable<T> work) throws Exception {
        return worker.submit(work).get(30, TimeUnit.SECONDS);
    }

    private List<LockHolder> seenByAll(LockConnectionFactory by, LockRequest request, int holders) {
        return await().atMost(ofSeconds(10))
                .until(
                        () -> by.holders(request),
                        seen -> seen.size() == holders && seen.stream().allMatch(each -> each.nodeCount() == 3));
    }

    private static String lockKey(String name) {
        return "holdfast:{" + name + "}:lock";
    }

    @Test
    void holders_inAnotherProcess_sayWhereTheyAreAndSinceWhen() throws Exception {
        Instant before = Instant.now().minusMillis(1);
        Lease lease = inWorker(() -> take(locks, LockRequest.of("a").ttl(ofSeconds(30))));
        LockHolder seen = seenByAll(others, LockRequest.of("a"), 1).get(0);

        assertThat(seen.name()).isEqualTo("a");
        assertThat(seen.mode()).isEqualTo(LockMode.EXCLUSIVE);
        assertThat(seen.host()).isEqualTo(RuntimeBridge.host()).isNotEqualTo(LockHolder.UNKNOWN);
        assertThat(seen.pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(seen.thread()).isEqualTo("order-worker-7");
        assertThat(seen.since()).isBetween(before, Instant.now());
        assertThat(seen.token()).isEqualTo(lease.token());
        assertThat(seen.remaining()).isBetween(ofSeconds(15), ofSeconds(30));
        assertThat(seen.here()).isFalse();
        assertThat(locks.holders("a").get(0).here()).isTrue();

        lease.release();
        await().untilAsserted(() -> assertThat(others.holders("a")).isEmpty());
    }

    @Test
    void holders_thatRead_areAllListed() throws Exception {
        LockRequest read = LockRequest.of("a").mode(LockMode.READ);
        Lease one = take(locks, read);
        Lease two = inWorker(() -> take(others, read));
        List<LockHolder> seen = seenByAll(others, read, 2);

        assertThat(seen).extracting(LockHolder::mode).containsOnly(LockMode.READ);
        assertThat(seen).extracting(LockHolder::token).containsExactly(one.token(), two.token());
        assertThat(seen).extracting(LockHolder::here).containsExactly(false, true);
        assertThat(seen).allSatisfy(each -> assertThat(each.remaining()).isPositive());
    }

    @Test
    void holder_thatWrites_saysSo() throws Exception {
        take(locks, LockRequest.of("a").mode(LockMode.WRITE));
        assertThat(others.holders("a")).extracting(LockHolder::mode).containsExactly(LockMode.WRITE);
    }

    @Test
    void holders_ofSeveralNames_areSortedByName() throws Exception {
        Lease lease = take(locks, LockRequest.allOf("b", "a"));
        List<LockHolder> seen = seenByAll(others, LockRequest.allOf("b", "free", "a"), 2);
        assertThat(seen).extracting(LockHolder::name).containsExactly("a", "b");
        assertThat(seen).extracting(LockHolder::token).containsOnly(lease.token());
    }

    @Test
    void holders_ofPermits_areListedAndTheLockOfThatNameIsAnother() throws Exception {
        LockRequest permit = LockRequest.semaphore("a", 3);
        take(locks, permit);
        take(others, permit);
        assertThat(seenByAll(others, permit, 2)).extracting(LockHolder::mode).containsOnly(LockMode.PERMIT);
        assertThat(others.holders("a")).isEmpty();
    }

    @Test
    void holder_thatGotTheLockFromAnotherThread_isKnownExactlyInItsProcess() throws Exception {
        Lease first;
        Lease heir;
        do { // a lock is passed on only soon after it was taken: a busy machine may need another try
            first = take(locks, LockRequest.of("a"));
            Future<Lease> second = worker.submit(() -> take(locks, LockRequest.of("a")));
            await().pollDelay(Duration.ofMillis(20)).until(() -> true);
            first.release();
            heir = second.get(20, TimeUnit.SECONDS);
            if (heir.token() != first.token() + 1) {
                heir.release();
            }
        } while (!heir.isHeld());

        LockHolder here = locks.holders("a").get(0);
        assertThat(here.thread()).isEqualTo("order-worker-7");
        assertThat(here.token()).isEqualTo(heir.token());
        LockHolder fromFar = seenByAll(others, LockRequest.of("a"), 1).get(0);
        assertThat(fromFar.thread()).isEqualTo(Thread.currentThread().getName());
        assertThat(fromFar.token()).isEqualTo(first.token());
    }

    @Test
    void holder_withAHostileName_cannotBreakOut() throws Exception {
        String name = Thread.currentThread().getName();
        Thread.currentThread().setName("evil\r\nSET x 1\u0000\u001b[2J " + "é".repeat(500));
        try {
            take(locks, LockRequest.of("a"));
        } finally {
            Thread.currentThread().setName(name);
        }
        LockHolder seen = seenByAll(others, LockRequest.of("a"), 1).get(0);
        assertThat(seen.thread()).startsWith("evil??SET x 1??[2J ??").hasSizeLessThan(100);
        assertThat(ask(redis.get(0), "EXISTS x")).isEqualTo(":0\r\n");
        assertThat(ask(redis.get(0), "STRLEN " + lockKey("a"))).isEqualTo(":180\r\n");
    }

    @Test
    void holder_whoseValueNobodyOfUsWrote_isUnknown() {
        for (String value : List.of(
                "somebody",
                OWNER,
                OWNER + " 1 2",
                OWNER + " x 2 E 1 host thread",
                OWNER + " 1 99999999999999999999 E 1 host thread",
                OWNER + " 1 2 E -1 host thread",
                OWNER + " 1 2 E 1 host evil\\nline",
                OWNER + " 1 2 E 1 host " + "x".repeat(1_000),
                "x".repeat(60_000),
                "\\xff\\x00\\x80")) {
            onEveryNode("SET " + lockKey("a") + " \"" + value + "\" PX 5000");
            assertThat(others.holders("a")).singleElement().satisfies(seen -> {
                assertThat(seen.host()).isEqualTo(LockHolder.UNKNOWN);
                assertThat(seen.thread()).isEqualTo(LockHolder.UNKNOWN);
                assertThat(seen.pid()).isZero();
                assertThat(seen.token()).isZero();
                assertThat(seen.since()).isEqualTo(Instant.EPOCH);
                assertThat(seen.nodeCount()).isEqualTo(3);
                assertThat(seen.remaining()).isPositive();
            });
        }
    }

    @Test
    void holder_knownToOneNodeOnly_isToldWithThat() {
        ask(redis.get(1), "SET " + lockKey("a") + " somebody");
        assertThat(others.holders("a")).singleElement().satisfies(seen -> {
            assertThat(seen.nodeCount()).isEqualTo(1);
            assertThat(seen.remaining()).as("it never ends").isZero();
        });
    }

    @Test
    void holders_whereTooFewNodesCanTell_isAnError() throws Exception {
        take(locks, LockRequest.of("a"));
        onEveryNode("DEL " + lockKey("b"));
        ask(redis.get(0), "LPUSH " + lockKey("b") + " no-lock");
        assertThat(others.holders("b")).isEmpty();
        ask(redis.get(1), "LPUSH " + lockKey("b") + " no-lock");
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> others.holders("b"))
                .withMessageContaining("WRONGTYPE");
        assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(() -> others.forceRelease("b"));
        assertThat(audited).as("nothing was done").isEmpty();
        assertThat(others.holders("a")).hasSize(1);
    }

    @Test
    void everything_afterClose_isRefused() {
        others.close();
        assertThatIllegalStateException().isThrownBy(() -> others.holders("a"));
        assertThatIllegalStateException().isThrownBy(() -> others.forceRelease("a"));
    }

    @Test
    void forceRelease_letsOthersInAtOnce_andTellsTheHolderAtItsRenewal() throws Exception {
        Lease lease = inWorker(() -> take(locks, LockRequest.of("a")));
        seenByAll(others, LockRequest.of("a"), 1);
        List<LockHolder> gone = others.forceRelease("a");
        assertThat(gone).singleElement().satisfies(each -> {
            assertThat(each.thread()).isEqualTo("order-worker-7");
            assertThat(each.token()).isEqualTo(lease.token());
            assertThat(each.nodeCount()).isEqualTo(3);
        });
        assertThat(lease.isHeld()).as("what only tokens protect from").isTrue();

        try (LockConnection connection = others.getConnection()) {
            Lease next = connection.acquire(LockRequest.of("a").waitTimeout(Duration.ZERO));
            assertThat(next.token()).isGreaterThan(lease.token());
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::renew);
            lease.release();
            assertThat(next.renew()).isTrue();
        }
    }

    @Test
    void forceRelease_isFinal_evenOnANodeThatHadNotHeardOfTheHolder() throws Exception {
        Lease lease = take(locks, LockRequest.of("a").ttl(ofSeconds(6)));
        seenByAll(others, LockRequest.of("a"), 1);
        ask(redis.get(2), "DEL " + lockKey("a") + " holdfast:{a}:fence");
        CompletableFuture<LeaseLoss> told = new CompletableFuture<>();
        lease.onLost(told::complete);

        others.forceRelease("a");
        String fence =
                ask(redis.get(2), "GET holdfast:{a}:fence").lines().toList().get(1);
        assertThat(Long.parseLong(fence)).isGreaterThan(lease.token());
        assertThat(told.get(20, TimeUnit.SECONDS).reason()).contains("later lease");
        assertThat(others.holders("a")).isEmpty();
    }

    @Test
    void forceRelease_inTheHoldersOwnProcess_isALossAtOnce() throws Exception {
        Lease lease = take(locks, LockRequest.of("a"));
        CompletableFuture<LeaseLoss> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        assertThat(locks.forceRelease("a")).extracting(LockHolder::here).containsExactly(true);
        assertThat(lease.isHeld()).isFalse();
        assertThat(told.get(5, TimeUnit.SECONDS).reason()).contains("by force");
    }

    @Test
    void forceRelease_wakesWhoWaits() throws Exception {
        take(locks, LockRequest.of("a"));
        try (LockConnectionFactory waiters = connect(redis.uris())) {
            Future<Lease> waiter =
                    worker.submit(() -> take(waiters, LockRequest.of("a").fair(true)));
            for (RedisServer node : redis.all()) {
                await().until(() ->
                        ask(node, "PUBSUB NUMSUB holdfast:{a}:released").endsWith(":1\r\n"));
            }
            others.forceRelease("a");
            assertThat(waiter.get(20, TimeUnit.SECONDS).isHeld()).isTrue();
        }
    }

    @Test
    void forceRelease_ofReaders_throwsAllOutForGood() throws Exception {
        LockRequest read = LockRequest.of("a").mode(LockMode.READ);
        Lease one = take(locks, read);
        Lease two = take(locks, read);
        seenByAll(others, read, 2);
        assertThat(others.forceRelease("a"))
                .extracting(LockHolder::token)
                .containsExactlyInAnyOrder(one.token(), two.token());

        Lease later = take(others, read);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(one::renew);
        assertThat(later.token()).isGreaterThan(two.token());
        assertThat(seenByAll(others, read, 1)).extracting(LockHolder::token).containsExactly(later.token());
    }

    @Test
    void forceRelease_ofPermits_freesAllAndLeavesTheLockOfThatName() throws Exception {
        LockRequest permit = LockRequest.semaphore("a", 2);
        Lease lock = take(locks, LockRequest.of("a"));
        Lease one = take(locks, permit);
        take(locks, permit);
        seenByAll(others, permit, 2);
        assertThat(locks.forceRelease(permit)).hasSize(2);
        assertThat(one.isHeld()).isFalse();
        assertThat(others.holders(permit)).isEmpty();
        assertThat(lock.renew()).isTrue();
    }

    @Test
    void forceRelease_ofWhatNobodyOfUsWrote_freesItToo() throws Exception {
        onEveryNode("SET " + lockKey("a") + " somebody");
        assertThat(others.forceRelease("a")).hasSize(1);
        assertThat(take(locks, LockRequest.of("a")).isHeld()).isTrue();
    }

    @Test
    void forceRelease_ofNothing_changesNothingAndIsAudited() {
        assertThat(others.forceRelease("a")).isEmpty();
        assertThat(ask(redis.get(0), "DBSIZE")).isEqualTo(":0\r\n");
        assertThat(audited).singleElement().satisfies(line -> assertThat(line.getMessage())
                .contains("no holder had it"));
    }

    @Test
    void forceRelease_isAuditedInOneLineWhateverNamesSay() throws Exception {
        String evil = "a\nWARNING: all is well\u2028\u202e";
        take(locks, LockRequest.of(evil));
        worker.submit(() -> {
                    Thread.currentThread().setName("operator\nhimself");
                    return others.forceRelease(evil);
                })
                .get(20, TimeUnit.SECONDS);
        LogRecord line = audited.remove();
        assertThat(audited).isEmpty();
        assertThat(line.getLevel()).isEqualTo(Level.WARNING);
        assertThat(line.getMessage())
                .contains("forced release of 'a?WARNING: all is well??'")
                .contains("thread 'operator?himself' of process "
                        + ProcessHandle.current().pid())
                .contains("on host " + RuntimeBridge.host())
                .contains("held by '" + Thread.currentThread().getName() + "'")
                .doesNotContain("\n", "\u2028", "\u202e");
    }
}
