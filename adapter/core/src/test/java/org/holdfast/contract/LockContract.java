// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockTimeoutException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.script.ScriptBridge;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** What a lock is for its users, on real nodes that are well. */
abstract class LockContract extends ContractOnNodes {

    /** So many are reserved with each lease, for others in the same process to have the lock after it. */
    private static final long RESERVED_TOKENS = 15;

    private static final Owner STRANGER = new Owner("5".repeat(40));

    LockContract(IntFunction<List<? extends Node>> starter) {
        super(starter);
    }

    private String fenceKey() {
        return PREFIX + ":{" + lock + "}:fence";
    }

    private static Reply tell(Node node, Command command) {
        ScriptCall call = ScriptBridge.call(command, PREFIX, 0);
        Object answer = node.ask(jedis -> jedis.eval(call.source(), call.keys(), call.arguments()));
        return ScriptBridge.answer(0, answer).reply();
    }

    @Test
    void acquire_free_isHeldByOneUntilReleased() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(request());
            assertThat(lease.isHeld()).isTrue();
            assertThat(lease.remaining()).isBetween(ofSeconds(20), ofSeconds(30));
            assertThat(lease.token()).isPositive();
            assertThat(isFree()).isFalse();

            lease.release();
            assertThat(lease.isHeld()).isFalse();
            assertThat(lease.remaining()).isZero();
            await().until(() -> isFree());
            assertThatIllegalStateException()
                    .isThrownBy(lease::requireHeld)
                    .withMessageContaining("'" + lock + "' was released");
            lease.release();
        }
    }

    @Test
    void acquire_byManyThreadsOfTwoProcesses_isNeverHeldTwice() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Future<Void>> work = IntStream.range(0, 12)
                .mapToObj(i -> threads.submit((Callable<Void>) () -> {
                    for (int round = 0; round < 20; round++) {
                        try (LockConnection connection = (i % 2 == 0 ? locks : otherProcess).getConnection();
                                Lease lease = connection.acquire(request())) {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            lease.requireHeld();
                            inside.decrementAndGet();
                        }
                    }
                    return null;
                }))
                .toList();
        for (Future<Void> each : work) {
            each.get(60, TimeUnit.SECONDS);
        }
        assertThat(most).hasValue(1);
    }

    @Test
    void acquire_heldByAnother_isAValueOrATimeout() throws Exception {
        try (LockConnection connection = locks.getConnection();
                LockConnection other = otherProcess.getConnection()) {
            connection.acquire(request());
            assertThat(other.tryAcquire(now())).isEmpty();
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> other.acquire(request().waitTimeout(ofMillis(300))))
                    .withMessageContaining("'" + lock + "'")
                    .withMessageContaining("300 ms");
        }
    }

    @Test
    void acquire_releasedByAnotherProcessWhileWaiting_succeeds() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(request());
            CountDownLatch asking = new CountDownLatch(1);
            Future<Long> waiter = threads.submit(() -> {
                try (LockConnection other = otherProcess.getConnection()) {
                    asking.countDown();
                    return other.acquire(request()).token();
                }
            });
            asking.await();
            lease.release();
            assertThat(waiter.get(20, TimeUnit.SECONDS)).isGreaterThan(lease.token());
        }
    }

    @Test
    void acquire_sameThread_sharesTheLeaseUntilTheLastIsReleased() throws Exception {
        try (LockConnection connection = locks.getConnection();
                LockConnection second = locks.getConnection()) {
            Lease outer = connection.acquire(request());
            Lease inner = second.acquire(request());
            assertThat(inner.token()).isEqualTo(outer.token());

            outer.release();
            assertThat(inner.isHeld()).isTrue();
            assertThat(isFree()).isFalse();

            inner.release();
            await().until(() -> isFree());
        }
    }

    @Test
    void token_overManyAcquisitionsByTwoProcesses_grows() throws Exception {
        long last = 0;
        try (LockConnection one = locks.getConnection();
                LockConnection two = otherProcess.getConnection()) {
            for (int i = 0; i < 200; i++) {
                try (Lease lease = (i % 2 == 0 ? one : two).acquire(request())) {
                    assertThat(lease.token()).isGreaterThan(last);
                    last = lease.token();
                }
            }
        }
    }

    @Test
    void token_afterEveryNodeForgotEverything_stillGrows() throws Exception {
        try (LockConnection connection = locks.getConnection();
                LockConnection other = otherProcess.getConnection()) {
            Lease before = connection.acquire(request());
            before.release();
            nodes.forEach(node -> node.ask(Jedis::flushAll));
            assertThat(other.acquire(request()).token()).isGreaterThan(before.token());
        }
    }

    @Test
    void release_byAnother_touchesNothing() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(request());
            Owner owner = ownerOnEveryNode(lease);
            for (Node node : nodes) {
                Reply reply = tell(
                        node,
                        AnyToken.release(
                                new Claim(new Target.Exclusive(lock), STRANGER, lease.token(), 10_000, 60_000), true));
                assertThat(reply).isInstanceOf(Reply.Held.class);
            }
            assertThat(ownerOnEveryNode(lease)).isEqualTo(owner);
            assertThat(isFree()).isFalse();
        }
    }

    @Test
    void request_lateAfterTheRelease_isRefusedByEveryNode() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(request());
            Owner owner = ownerOnEveryNode(lease);
            lease.release();
            awaitReleasedOnEveryNode();

            long lastToken = lease.token() + RESERVED_TOKENS;
            Claim claim = new Claim(new Target.Exclusive(lock), owner, lease.token(), lastToken, 10_000, 60_000);
            for (Node node : nodes) {
                Reply tombstone = new Reply.TokenTooSmall(lastToken + 1);
                assertThat(tell(node, AnyToken.acquire(claim))).isEqualTo(tombstone);
                assertThat(tell(node, new Command.Renew(claim))).isEqualTo(tombstone);
            }
            await().until(() -> isFree());
        }
    }

    @Test
    void release_onEveryNode_leavesOnlyTheFenceWithATimeToLive() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(request());
            ownerOnEveryNode(lease);
            lease.release();
        }
        awaitReleasedOnEveryNode();
        for (Node node : nodes) {
            Set<String> keys = node.ask(jedis -> jedis.keys(PREFIX + ":{" + lock + "}:*"));
            assertThat(keys).containsExactly(fenceKey());
            assertThat(node.ask(jedis -> jedis.pttl(fenceKey())).longValue()).isPositive();
        }
    }

    @Test
    void keys_ofWhateverWasDone_haveATimeToLive() throws Exception {
        try (LockConnection connection = locks.getConnection();
                LockConnection other = otherProcess.getConnection()) {
            Lease lease = connection.acquire(request());
            ownerOnEveryNode(lease);
            assertThat(other.tryAcquire(now())).isEmpty();
            assertEveryKeyEnds();
            lease.release();
            other.acquire(request());
            assertEveryKeyEnds();
        }
    }

    /** All but the birth mark, whose absence is what tells that a node has forgotten. -1 is no TTL, -2 no key. */
    private void assertEveryKeyEnds() {
        for (Node node : nodes) {
            Set<String> keys = node.ask(jedis -> jedis.keys(PREFIX + ":*"));
            keys.remove(ScriptBridge.markKey(PREFIX));
            assertThat(keys).as(node.uri()).isNotEmpty();
            for (String key : keys) {
                long millis = node.ask(jedis -> jedis.pttl(key));
                assertThat(millis).as(key).isNotEqualTo(-1);
            }
        }
    }

    @Test
    void renew_whereANodeForgotEverything_healsIt() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(request());
            Owner owner = ownerOnEveryNode(lease);
            nodes.get(0).ask(Jedis::flushAll);
            assertThat(ownerOnEveryNode(lease)).isEqualTo(owner);
            String fence = nodes.get(0).ask(jedis -> jedis.get(fenceKey()));
            assertThat(fence).isEqualTo(Long.toString(lease.token() + RESERVED_TOKENS));
        }
    }

    @Test
    void scripts_forgottenByEveryNode_areSentAgain() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            forgetScripts();
            Lease lease = connection.acquire(request());
            forgetScripts();
            ownerOnEveryNode(lease);
            forgetScripts();
            lease.release();
            awaitReleasedOnEveryNode();
        }
    }

    private void forgetScripts() {
        nodes.forEach(node -> node.ask(Jedis::scriptFlush));
    }

    @Test
    void lease_heldLongerThanItsTtl_isRenewed() throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(request().ttl(ofSeconds(3)));
            await().pollDelay(ofMillis(3_500)).until(() -> true);
            assertThat(lease.isHeld()).isTrue();
            assertThat(isFree()).isFalse();
        }
    }

    @Test
    void lease_withoutRenewal_isLostAtItsEndAndFreeForOthers() throws Exception {
        try (LockConnection connection = locks.getConnection();
                LockConnection other = otherProcess.getConnection()) {
            Lease lease = connection.acquire(request().fixedTtl(ofMillis(300)));
            BlockingQueue<LeaseLoss> told = new LinkedBlockingQueue<>();
            lease.onLost(told::add);

            Lease next = other.acquire(request());
            assertThat(lease.isHeld()).isFalse();
            assertThat(next.token()).isGreaterThan(lease.token());
            assertThat(told.poll(20, TimeUnit.SECONDS).token()).isEqualTo(lease.token());
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(lease::requireHeld)
                    .satisfies(e -> assertThat(e.loss().token()).isEqualTo(lease.token()))
                    .withMessageContaining("'" + lock + "'");
            lease.release();
            assertThat(next.renew()).as("nobody else's release touches it").isTrue();
            assertThat(told).as("told once").isEmpty();
        }
    }

    @Test
    void guard_afterEveryNodeForgotALease_grantsItToNobodyBeforeItHasEnded() throws Exception {
        Map<String, String> guarded = Map.of("maxLeaseTtlMillis", "2000");
        try (LockConnectionFactory mine = connect(guarded);
                LockConnectionFactory others = connect(guarded);
                LockConnection connection = mine.getConnection();
                LockConnection contender = others.getConnection()) {
            Lease lease = connection.acquire(request().fixedTtl(ofSeconds(2)));
            nodes.forEach(node -> node.ask(Jedis::flushAll));

            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> contender.tryAcquire(now()))
                    .satisfies(e -> assertThat(e.failures()).hasSizeGreaterThanOrEqualTo(quorum));
            Lease next = contender.acquire(request());
            assertThat(lease.isHeld()).isFalse();
            assertThat(next.token()).isGreaterThan(lease.token());
        }
    }
}
