// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.waiting.AcquireResult;
import org.junit.jupiter.api.Test;

/** What becomes of a lock on the nodes when leases on it are given back, or are taken from a holder that works on. */
class LeasesTest {

    private static final Duration TTL = Duration.ofMillis(ProtocolFixture.TTL_MILLIS);

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final VirtualTime time = fixture.time;
    private final ScriptedNodes service = fixture.service;

    /** An attempt of a waiter in this process would be in vain, and would delay the one after the release. */
    @Test
    void lockBeingReleased_keepsWaitersOutUntilThatIsDone() throws Exception {
        HeldLock heldLock = heldLock(LockMode.EXCLUSIVE);
        List<Boolean> keptOut = new ArrayList<>();
        service.node(0, command -> {
            keptOut.add(fixture.leases.keptOutNanos(List.of("a"), any -> true) > 0);
            return ScriptedNodes.agree(command);
        });
        fixture.leases.giveBack(LeaseShare.of(heldLock, false));
        assertThat(keptOut).isNotEmpty().doesNotContain(false);
        assertThat(fixture.leases.keptOutNanos(List.of("a"), any -> true)).isZero();
    }

    private HeldLock heldLock(LockRequest request, Holder holder) throws InterruptedException {
        return ((AcquireResult.Held) fixture.acquire(fixture.nodes, request, List.of(holder))).heldLock();
    }

    private HeldLock heldLock(LockMode mode) throws InterruptedException {
        return heldLock(fixture.request(0).mode(mode), Holder.thread());
    }

    private int releases() {
        return service.sent(Command.Release.class).size();
    }

    private List<Target> renewed() {
        return service.sent(Command.Renew.class).stream()
                .map(sent -> ((Command.Renew) sent.command()).claim().target())
                .distinct()
                .toList();
    }

    @Test
    void writeLease_givenBackBeforeTheReadLease_letsReadersInAtOnce() throws Exception {
        HeldLock heldLock = heldLock(LockMode.WRITE);
        heldLock(LockMode.READ);
        assertThat(fixture.leases.giveBack(LeaseShare.of(heldLock, false))).isEqualTo(ReleaseResult.KEPT);
        assertThat(renewed()).containsExactly(new Target.Shared("a"));
        assertThat(heldLock.isReading()).isTrue();
        assertThat(releases()).isZero();
        assertThat(fixture.leases.giveBack(LeaseShare.of(heldLock, true))).isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    void writeLeases_givenBackTogether_letReadersInAtOnce() throws Exception {
        HeldLock heldLock = heldLock(LockMode.WRITE);
        heldLock(LockMode.WRITE);
        heldLock(LockMode.READ);
        fixture.leases.giveBack(List.of(LeaseShare.of(heldLock, false), LeaseShare.of(heldLock, false)));
        assertThat(renewed()).containsExactly(new Target.Shared("a"));
        assertThat(heldLock.isReading()).isTrue();
        assertThat(fixture.leases.isHeld(heldLock)).isTrue();
    }

    @Test
    void allLeases_givenBackTogether_renewNothing() throws Exception {
        HeldLock heldLock = heldLock(LockMode.WRITE);
        heldLock(LockMode.READ);
        fixture.leases.giveBack(List.of(LeaseShare.of(heldLock, false), LeaseShare.of(heldLock, true)));
        assertThat(renewed()).isEmpty();
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void lease_givenBackBeforeTheLastOne_keepsTheLock() throws Exception {
        HeldLock heldLock = heldLock(LockMode.WRITE);
        heldLock(LockMode.WRITE);
        assertThat(fixture.leases.giveBack(LeaseShare.of(heldLock, false))).isEqualTo(ReleaseResult.KEPT);
        time.passMillis(ProtocolFixture.TTL_MILLIS);
        assertThat(fixture.leases.giveBack(LeaseShare.of(heldLock, false))).isEqualTo(ReleaseResult.NOT_HELD);
    }

    @Test
    void writeLease_givenBackAfterTheLoss_renewsNothing() throws Exception {
        HeldLock heldLock = heldLock(LockMode.WRITE);
        heldLock(LockMode.READ);
        time.passTo(heldLock.validUntil()); // and no thread has looked
        assertThat(fixture.leases.giveBack(LeaseShare.of(heldLock, false))).isEqualTo(ReleaseResult.NOT_HELD);
        assertThat(renewed()).isEmpty();
    }

    /** One of two readers of this process goes: the other is still renewed, and found. */
    @Test
    void lock_releasedBesideAnotherOfTheSameName_leavesThatOne() throws Exception {
        LockRequest reading = fixture.request(0).mode(LockMode.READ);
        HeldLock one = heldLock(reading, Holder.transaction("one"));
        HeldLock other = heldLock(reading, Holder.transaction("other"));
        assertThat(fixture.heldLocks.of("a")).containsExactly(one, other);
        fixture.leases.giveBack(LeaseShare.of(one, true));
        assertThat(fixture.heldLocks.of("a")).containsExactly(other);
        time.passMillis(ProtocolFixture.TTL_MILLIS / 2);
        fixture.renewals.sweep(service);
        assertThat(service.sent(Command.Renew.class)).hasSize(3);
        assertThat(heldLock(reading, Holder.transaction("other"))).isSameAs(other);
    }

    /** A line carries so much within a node timeout, and a node does nothing else meanwhile. */
    @Test
    void locks_withLongNames_releasedTogether_areReleasedSomeAtATime() throws Exception {
        List<LeaseShare> shares = new ArrayList<>();
        for (int i = 0; i < 700; i++) {
            String name = i + "-" + "x".repeat(1_000);
            LockRequest request =
                    LockRequest.of(name).waitTimeout(Duration.ZERO).ttl(TTL);
            shares.add(LeaseShare.of(heldLock(request, Holder.thread()), false));
        }
        service.latency(0, 5).latency(1, 5).latency(2, 5);
        long before = time.nanoTime();
        fixture.leases.giveBack(shares);
        assertThat(releases()).isEqualTo(3 * 700);
        assertThat(time.nanoTime() - before)
                .as("no more than 200, nor names of 262,144 characters, at a time")
                .isEqualTo(Duration.ofMillis(4 * 5).toNanos());
    }

    /** Another process must not get it as long as its holder may work on under it. */
    @Test
    void lock_leftToAHolderThatWorksOn_isNotFreedOnTheNodes() throws Exception {
        HeldLock heldLock = heldLock(LockMode.EXCLUSIVE);
        HeldLock released =
                heldLock(LockRequest.of("b").waitTimeout(Duration.ZERO).ttl(TTL), Holder.thread());
        fixture.leases.giveBack(LeaseShare.of(released, false));
        service.sent.clear();

        assertThat(fixture.leases.loseAndLeave(List.of(heldLock, released), "a test"))
                .isOne();
        assertThat(fixture.leases.isHeld(heldLock)).isFalse();
        assertThat(heldLock.loss().reason()).isEqualTo("a test");
        assertThat(fixture.leases.giveBack(LeaseShare.of(heldLock, false))).isEqualTo(ReleaseResult.NOT_HELD);
        fixture.engine.close(time.nanoTime() + 1_000_000_000L);
        fixture.unfinished.retry(service, time.nanoTime() + 1_000_000);
        assertThat(releases()).isZero();
    }

    @Test
    void stop_afterItsDeadline_leavesLocksToTheirTtl() throws Exception {
        heldLock(LockMode.EXCLUSIVE);
        fixture.engine.close(time.nanoTime());
        assertThat(releases()).isZero();
    }

    @Test
    void lockOfAtLeast_releasedInTime_saysSo() throws Exception {
        LockRequest kept = fixture.request(0).atLeast(Duration.ofMillis(500));
        assertThat(fixture.leases.giveBack(LeaseShare.of(heldLock(kept, Holder.thread()), false)))
                .isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    void lockOfThisThread_isFoundForWhicheverHolder_andPermitsAreNot() throws Exception {
        assertThat(fixture.leases.takenByThisThread(List.of("a"))).isNull();
        HeldLock heldLock = heldLock(fixture.request(0), Holder.transaction("one"));
        assertThat(fixture.leases.takenByThisThread(List.of("x", "a"))).isSameAs(heldLock);
        fixture.leases.giveBack(LeaseShare.of(heldLock, false));
        assertThat(fixture.leases.takenByThisThread(List.of("a"))).isNull();
        heldLock(LockRequest.semaphore("a", 2).waitTimeout(Duration.ZERO).ttl(TTL), Holder.transaction("one"));
        assertThat(fixture.leases.takenByThisThread(List.of("a"))).isNull();
    }

    @Test
    void lockOfAnotherThread_orOneThatHasEnded_isNotFoundAsOfThisThread() throws Exception {
        HeldLock mine = heldLock(fixture.request(0), Holder.transaction("one"));
        List<HeldLock> found = new ArrayList<>();
        Thread another = new Thread(() -> found.add(fixture.leases.takenByThisThread(List.of("a"))));
        another.start();
        another.join();
        assertThat(found).containsOnlyNulls().hasSize(1);
        time.passTo(mine.validUntil());
        assertThat(fixture.leases.takenByThisThread(List.of("a"))).isNull();
    }

    /** It was meant for the holder before. */
    @Test
    void announcementOfAnOlderToken_hastensNoRenewal() throws Exception {
        HeldLock heldLock = heldLock(fixture.request(0), Holder.transaction("one"));
        fixture.leases.suspect("a", heldLock.claim().lastToken());
        fixture.renewals.sweep(service);
        assertThat(renewed()).isEmpty();
        fixture.leases.suspect("a", heldLock.claim().lastToken() + 1);
        fixture.renewals.sweep(service);
        assertThat(renewed()).isNotEmpty();
    }

    @Test
    void fixedLease_whoseLockIsSaidToBeTakenAway_isNotMadeLonger() throws Exception {
        LockRequest fixed = LockRequest.of("a").waitTimeout(Duration.ZERO).fixedTtl(TTL);
        HeldLock heldLock = heldLock(fixed, Holder.transaction("one"));
        long end = heldLock.validUntil();
        time.passMillis(ProtocolFixture.TTL_MILLIS / 2);
        fixture.leases.suspect("a", heldLock.claim().lastToken() + 1);
        fixture.renewals.sweep(service);
        assertThat(heldLock.validUntil()).isEqualTo(end);
        assertThat(renewed()).isEmpty();
    }
}
