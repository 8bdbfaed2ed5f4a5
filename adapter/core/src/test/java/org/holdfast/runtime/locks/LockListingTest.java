// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.locks;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockHolder;
import org.holdfast.LockListing;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.LockState;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which locks there are, which holders have them and how many callers wait, on three real nodes. */
@Timeout(60)
class LockListingTest extends LockAdminOnNodes {

    private LockState listed(String name, int limit) {
        return others.locks(limit).locks().stream()
                .filter(lock -> lock.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void locks_thatAreHeldInAnyShape_areListedWithTheirHolders() throws Exception {
        take(locks, LockRequest.of("b"));
        take(locks, LockRequest.of("a").mode(LockMode.READ));
        take(others, LockRequest.of("a").mode(LockMode.READ));
        take(locks, LockRequest.semaphore("c", 5));
        Lease second = take(others, LockRequest.semaphore("c", 5));
        onEveryNode("SET unrelated 1");

        LockListing listing = await().atMost(ofSeconds(10)).until(() -> others.locks(100), all -> all.locks().stream()
                .flatMap(lock -> lock.holders().stream())
                .allMatch(holder -> holder.nodeCount() == 3));
        assertThat(listing.complete()).isTrue();
        assertThat(listing.locks()).extracting(LockState::name).containsExactly("a", "b", "c");
        assertThat(listing.locks().get(0).holders())
                .extracting(LockHolder::mode)
                .containsExactly(LockMode.READ, LockMode.READ);
        assertThat(listing.locks().get(2).holders())
                .hasSize(2)
                .extracting(LockHolder::token)
                .contains(second.token());
        assertThat(listing.locks().get(2).request().permits()).isGreaterThanOrEqualTo(2);
        assertThat(listing.locks()).allSatisfy(lock -> assertThat(lock.inLine() + lock.listening())
                .as("waiters of " + lock.name())
                .isZero());
    }

    @Test
    void locks_thatWereReleased_areNotListed() throws Exception {
        take(locks, LockRequest.of("a")).release();
        await().atMost(ofSeconds(10))
                .untilAsserted(() -> assertThat(others.locks(10).locks()).isEmpty());
        assertThat(others.locks(10).complete()).isTrue();
    }

    @Test
    void lock_thatCallersWaitFor_showsHowManyInLineAndInHowManyProcesses() throws Exception {
        Lease held = take(locks, LockRequest.of("a"));
        LockRequest fair = LockRequest.of("a").fair(true).waitTimeout(ofSeconds(30));
        try (LockConnection here = locks.getConnection();
                LockConnection there = others.getConnection()) {
            List<CompletableFuture<Lease>> waiters =
                    List.of(here.acquireAsync(fair), there.acquireAsync(fair), there.acquireAsync(fair));
            await().atMost(ofSeconds(10)).untilAsserted(() -> {
                LockState seen = others.state(LockRequest.of("a"));
                assertThat(seen.inLine()).isEqualTo(3);
                assertThat(seen.listening()).isEqualTo(2);
            });
            assertThat(listed("a", 10).inLine()).isEqualTo(3);
            waiters.forEach(waiter -> waiter.thenAccept(Lease::release)); // each in its turn
            held.release();
            for (CompletableFuture<Lease> waiter : waiters) {
                waiter.get(30, TimeUnit.SECONDS);
            }
        }
    }

    /** Only locks have a line: callers take any permit that they find free. */
    @Test
    void callersInLineForALock_areNotShownAtTheSemaphoreOfItsName() throws Exception {
        take(locks, LockRequest.of("a"));
        LockRequest permit = LockRequest.semaphore("a", 2);
        take(locks, permit);
        try (LockConnection there = others.getConnection()) {
            CompletableFuture<Lease> waiter =
                    there.acquireAsync(LockRequest.of("a").fair(true).waitTimeout(ofSeconds(40)));
            await().atMost(ofSeconds(10))
                    .until(() -> others.state(LockRequest.of("a")).inLine() == 1);
            assertThat(others.state(permit).inLine()).isZero();
            assertThat(others.locks(10).locks())
                    .extracting(lock -> lock.request().permits() > 0, LockState::inLine)
                    .containsExactlyInAnyOrder(tuple(false, 1), tuple(true, 0));
            waiter.cancel(true);
        }
    }

    @Test
    void lock_thatCallersWaitForOutOfLine_showsTheirProcess() throws Exception {
        take(locks, LockRequest.of("a"));
        try (LockConnection there = others.getConnection()) {
            CompletableFuture<Lease> waiter =
                    there.acquireAsync(LockRequest.of("a").waitTimeout(ofSeconds(30)));
            await().atMost(ofSeconds(10)).untilAsserted(() -> assertThat(locks.state(LockRequest.of("a")))
                    .extracting(LockState::inLine, LockState::listening)
                    .containsExactly(0, 1));
            waiter.cancel(true);
        }
    }

    @Test
    void locks_moreThanTheLimit_areCutOffAndTheListingSaysSo() throws Exception {
        for (int i = 0; i < 30; i++) {
            take(locks, LockRequest.of("n" + i));
        }
        LockListing some = others.locks(10);
        assertThat(some.complete()).isFalse();
        assertThat(some.locks()).hasSize(10);
        assertThat(others.locks(30).complete()).isTrue();
        assertThat(others.locks(30).locks()).hasSize(30);
        assertThatIllegalArgumentException().isThrownBy(() -> others.locks(0)).withMessageContaining("1 to 10000");
        assertThatIllegalArgumentException().isThrownBy(() -> others.locks(10_001));
    }

    @Test
    void keys_thatNoLockCanHave_areSkippedAndCounted() throws Exception {
        onEveryNode("SET holdfast:{}:lock junk");
        onEveryNode("SET holdfast:{" + "x".repeat(2_000) + "}:lock junk");
        take(locks, LockRequest.of("a"));
        LockListing listing = others.locks(10);
        assertThat(listing.locks()).extracting(LockState::name).contains("a");
        assertThat(listing.skipped()).isGreaterThanOrEqualTo(2);
        assertThat(listing.complete()).isTrue();
    }

    /** A node answers with an error for that name, and for no other. */
    @Test
    void keys_ofAnotherType_areSkippedAndCounted_andTheOthersListed() throws Exception {
        onEveryNode("RPUSH holdfast:{alist}:lock a");
        onEveryNode("RPUSH holdfast:{afence}:fence a");
        onEveryNode("SET holdfast:{afence}:lock junk");
        onEveryNode("RPUSH holdfast:{apermit}:permit-0:lock a");
        ask(redis.get(0), "RPUSH holdfast:{one}:lock a");
        take(locks, LockRequest.of("b"));
        take(locks, LockRequest.of("one"));
        LockListing listing = others.locks(10);
        assertThat(listing.locks()).extracting(LockState::name).containsExactly("b", "one");
        assertThat(listing.skipped()).isEqualTo(3);
        assertThat(listing.complete()).isTrue();
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> others.holders("alist"))
                .withMessageContaining("'alist'")
                .withMessageContaining("WRONGTYPE");
    }

    /** The key of a lock outlasts its lease where nodes are guarded. */
    @Test
    void locks_amongMoreThatHaveEndedThanTheLimit_areFound() throws Exception {
        for (int i = 0; i < 20; i++) {
            onEveryNode("SET holdfast:{ended" + i + "}:lock \"9000000000 7 " + "a".repeat(40) + "\" PX 60000");
        }
        take(locks, LockRequest.of("z"));
        LockListing listing = others.locks(5);
        assertThat(listing.locks()).extracting(LockState::name).containsExactly("z");
        assertThat(listing.complete()).isTrue();
    }

    @Test
    void locks_whereOneNodeDoesNotLetTheUserIn_areListedByTheOthers() throws Exception {
        take(locks, LockRequest.of("a"));
        onEveryNode("ACL SETUSER op on >secret ~* +@all");
        ask(redis.get(1), "ACL SETUSER op resetpass >another");
        try (LockConnectionFactory operator = Holdfast.connect(Map.of(
                "nodes",
                redis.uris(),
                "guard",
                "OFF",
                "nodeTimeoutMillis",
                "2000",
                "user",
                "op",
                "password",
                "secret"))) {
            assertThat(operator.locks(10).locks()).extracting(LockState::name).containsExactly("a");
            assertThat(operator.state(LockRequest.of("a")).holders()).hasSize(1);
        } finally {
            onEveryNode("ACL DELUSER op");
        }
    }

    @Test
    void locks_amongManyKeysOfOthers_areAllFound() throws Exception {
        onEveryNode("EVAL \"for i = 1, 20000 do redis.call('SET', 'k' .. i, i) end\" 0");
        take(locks, LockRequest.of("}odd{ name"));
        assertThat(others.locks(10).locks()).extracting(LockState::name).containsExactly("}odd{ name");
    }

    @Test
    void locks_whereTheUserMayNotScan_sayWhatIsMissing() throws Exception {
        RedisServer node = redis.get(1);
        ask(node, "ACL SETUSER default -scan");
        try {
            assertThatExceptionOfType(LockException.class)
                    .isThrownBy(() -> others.locks(10))
                    .withMessageStartingWith("HF0316")
                    .withMessageContaining(node.uri())
                    .withMessageContaining("scan");
        } finally {
            ask(node, "ACL SETUSER default +scan");
        }
        ask(node, "ACL SETUSER default -pubsub");
        try {
            assertThatExceptionOfType(LockException.class)
                    .isThrownBy(() -> others.state(LockRequest.of("a")))
                    .withMessageStartingWith("HF0316")
                    .withMessageContaining("pubsub");
        } finally {
            ask(node, "ACL SETUSER default +pubsub");
        }
    }

    @Test
    void locks_withOneNodeGone_areListedByTheOthers() throws Exception {
        take(locks, LockRequest.of("a"));
        String nodes = redis.get(0).uri() + "," + redis.get(1).uri() + ",redis://127.0.0.1:1";
        try (LockConnectionFactory operator =
                Holdfast.connect(Map.of("nodes", nodes, "guard", "OFF", "nodeTimeoutMillis", "2000"))) {
            assertThat(operator.locks(10).locks()).extracting(LockState::name).containsExactly("a");
        }
    }

    @Test
    void everything_afterClose_isRefused() {
        others.close();
        assertThatIllegalStateException().isThrownBy(() -> others.locks(1));
        assertThatIllegalStateException().isThrownBy(() -> others.state(LockRequest.of("a")));
    }
}
