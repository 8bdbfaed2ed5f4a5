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
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LockHolder;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.runtime.RuntimeBridge;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which holders operators see, on three real nodes. */
@Timeout(60)
class LockAdminTest extends LockAdminOnNodes {

    private static final String OWNER = "0123456789abcdef0123456789abcdef01234567";

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
}
