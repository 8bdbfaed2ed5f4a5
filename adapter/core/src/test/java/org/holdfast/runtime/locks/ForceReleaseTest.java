// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.locks;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockHolder;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.runtime.RuntimeBridge;
import org.holdfast.testkit.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of holders and waiters when an operator releases a lock by force, on three real nodes. */
@Timeout(60)
class ForceReleaseTest extends LockAdminOnNodes {

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
        assertThat(told.get(20, TimeUnit.SECONDS).reason()).contains("of a later lease, or of a forced release");
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
    void forceRelease_isAuditedInOneLineBeforeAndOneAfterWhateverNamesSay() throws Exception {
        String evil = "a\nWARNING: all is well\u2028\u202e";
        take(locks, LockRequest.of(evil));
        worker.submit(() -> {
                    Thread.currentThread().setName("operator\nhimself");
                    return others.forceRelease(evil);
                })
                .get(20, TimeUnit.SECONDS);
        LogRecord before = audited.remove();
        LogRecord after = audited.remove();
        assertThat(audited).isEmpty();
        assertThat(before.getMessage())
                .startsWith("HF0235: begins: forced release of")
                .contains("; held by: EXCLUSIVE");
        assertThat(after.getMessage()).startsWith("HF0214: forced release of").contains("; removed: EXCLUSIVE");
        for (LogRecord line : List.of(before, after)) {
            assertAudited(line);
        }
    }

    private static void assertAudited(LogRecord line) {
        assertThat(line.getLevel()).isEqualTo(Level.WARNING);
        assertThat(line.getMessage())
                .contains("forced release of 'a?WARNING: all is well??'")
                .contains("thread 'operator?himself' of process "
                        + ProcessHandle.current().pid())
                .contains("on host " + RuntimeBridge.host())
                .contains("held by '" + Thread.currentThread().getName() + "'")
                .doesNotContain("\n", "\u2028", "\u202e");
    }

    @Test
    void forceRelease_ofOneHolder_leavesTheNextOneAlone() throws Exception {
        Lease former = take(locks, LockRequest.of("a"));
        former.release();
        Lease next = take(locks, LockRequest.of("a"));
        seenByAll(others, LockRequest.of("a"), 1);
        assertThat(others.forceRelease(LockRequest.of("a"), former.token(), "it hangs"))
                .isEmpty();
        assertThat(next.renew()).isTrue();
        assertThat(audited).singleElement().satisfies(line -> assertThat(line.getMessage())
                .contains("from the holder with token " + former.token())
                .contains("removed: no such holder; it is held by: EXCLUSIVE 'a'"));

        assertThat(others.forceRelease(LockRequest.of("a"), next.token(), "it hangs"))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.token()).isEqualTo(next.token());
                    assertThat(each.nodeCount()).isEqualTo(3);
                });
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(next::renew);
        assertThat(take(others, LockRequest.of("a")).token()).isGreaterThan(next.token());
    }

    @Test
    void forceRelease_ofOneReader_leavesTheOthersTheirs() throws Exception {
        LockRequest read = LockRequest.of("a").mode(LockMode.READ);
        Lease one = take(locks, read);
        Lease two = take(locks, read);
        seenByAll(others, read, 2);
        assertThat(others.forceRelease(read, one.token(), ""))
                .extracting(LockHolder::token, LockHolder::nodeCount)
                .containsExactly(tuple(one.token(), 3));
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(one::renew);
        assertThat(two.renew()).isTrue();
        assertThat(seenByAll(others, read, 1)).extracting(LockHolder::token).containsExactly(two.token());
        assertThat(others.forceRelease(LockRequest.of("a"), two.token(), "")).hasSize(1);
        assertThat(take(others, LockRequest.of("a").mode(LockMode.WRITE)).token())
                .isGreaterThan(two.token());
    }

    @Test
    void forceRelease_ofOnePermit_leavesTheOthersTheirs() throws Exception {
        LockRequest permit = LockRequest.semaphore("a", 3);
        Lease one = take(locks, permit);
        Lease two = take(locks, permit);
        seenByAll(others, permit, 2);
        assertThat(others.forceRelease(permit, two.token(), ""))
                .extracting(LockHolder::token)
                .containsExactly(two.token());
        assertThat(one.renew()).isTrue();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(two::renew);
    }

    @Test
    void forceRelease_ofOneHolderHere_isALossOfThatOneAtOnce() throws Exception {
        LockRequest permit = LockRequest.semaphore("a", 3);
        Lease one = take(locks, permit);
        Lease two = take(locks, permit);
        assertThat(locks.forceRelease(permit, one.token(), "")).hasSize(1);
        assertThat(one.isHeld()).isFalse();
        assertThat(two.isHeld()).isTrue();
    }

    /** Nodes know the token with which the process took it. */
    @Test
    void forceRelease_ofALockThatWasHandedOff_isDoneByEachOfItsTokens() throws Exception {
        LockRequest a = LockRequest.of("a");
        Lease last = handedOff(a);
        long first = others.holders(a).get(0).token();
        assertThat(last.token()).isGreaterThan(first);
        assertThat(others.forceRelease(a, first - 1, "not that one")).isEmpty();
        assertThat(others.forceRelease(a, first + 16, "nor this one")).isEmpty();
        assertThat(locks.forceRelease(a, first, "here it is known exactly")).isEmpty();
        assertThat(others.forceRelease(a, last.token(), "it hangs"))
                .extracting(LockHolder::token)
                .containsExactly(first);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(last::renew);

        Lease again = handedOff(a);
        assertThat(others.forceRelease(a, others.holders(a).get(0).token(), "it hangs"))
                .hasSize(1);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(again::renew);
        assertThat(locks.forceRelease(a, handedOff(a).token(), "here")).hasSize(1);
    }

    /** Not if the machine stands still just then: a lock is handed off for 100 ms only. */
    private Lease handedOff(LockRequest request) {
        return await().atMost(ofSeconds(30)).until(() -> contend(request), Objects::nonNull);
    }

    /** Returns the lease of the last of three waiters, if it was handed off; null if not. */
    private @Nullable Lease contend(LockRequest request) throws Exception {
        LockRequest waiting = request.detached().waitTimeout(ofSeconds(20));
        try (LockConnection connection = locks.getConnection()) {
            Lease before = connection.acquire(waiting);
            CompletableFuture<Lease> one = connection.acquireAsync(waiting);
            CompletableFuture<Lease> two = connection.acquireAsync(waiting);
            CompletableFuture<?> passedOn = CompletableFuture.anyOf(
                    one.thenAccept(lease -> releaseUnless(two.isDone(), lease)),
                    two.thenAccept(lease -> releaseUnless(one.isDone(), lease)));
            before.release();
            passedOn.get(20, TimeUnit.SECONDS);
            Lease first = one.get(20, TimeUnit.SECONDS);
            Lease second = two.get(20, TimeUnit.SECONDS);
            Lease last = first.token() > second.token() ? first : second;
            if (last.token() == Math.min(first.token(), second.token()) + 1 && last.renew()) {
                return last;
            }
            last.release();
            return null;
        }
    }

    private static void releaseUnless(boolean isLast, Lease lease) {
        if (!isLast) {
            lease.release();
        }
    }

    @Test
    void forceRelease_ofAHolderWithoutAToken_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> others.forceRelease(LockRequest.of("a"), 0, ""))
                .withMessageContaining("more than 0, was 0");
    }
}
