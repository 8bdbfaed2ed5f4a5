// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.LeaseBridge;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.waiting.AcquireResult;
import org.junit.jupiter.api.Test;

/** A lease is renewed in time, and is lost where that fails. */
class LeaseRenewalTest extends EngineOnThreeNodes {

    @Test
    void renewByHand_ofALeaseThatIsNotRenewed_isWatchedToItsNewEnd() throws Exception {
        HeldLock heldLock = ((AcquireResult.Held) fixture.acquire(
                        nodes,
                        fixture.request(0).fixedTtl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS)),
                        List.of(Holder.thread())))
                .heldLock();
        time.passMillis(600);
        assertThat(fixture.leases.renew(heldLock)).isTrue();
        boolean[] told = new boolean[1];
        heldLock.onLost(loss -> told[0] = true);
        time.passMillis(600);
        fixture.renewals.sweep(service);
        assertThat(heldLock.isHeld(time.nanoTime())).isTrue();
        time.passMillis(400);
        fixture.renewals.sweep(service);
        fixture.runNotifications();
        assertThat(told[0]).isTrue();
    }

    @Test
    void renewal_ofOneLeaseThatGoesWrong_leavesTheOthersToBeRenewed() throws Exception {
        heldLock();
        HeldLock other = ((AcquireResult.Held) fixture.acquire(
                        nodes,
                        org.holdfast.LockRequest.of("b")
                                .waitTimeout(java.time.Duration.ZERO)
                                .ttl(java.time.Duration.ofMillis(2_000)),
                        List.of(Holder.thread())))
                .heldLock();
        service.node(0, command -> {
            if (((Command.OfClaim) command).claim().target().name().equals("a")) {
                throw new IllegalStateException("a bug of the test");
            }
            return ScriptedNodes.agree(command);
        });
        for (int i = 0; i < 60; i++) {
            time.passMillis(50);
            try {
                fixture.renewals.sweep(service);
            } catch (IllegalStateException e) {
                // the heartbeat logs it and continues
            }
        }
        assertThat(other.isHeld(time.nanoTime())).isTrue();
    }

    @Test
    void renewal_isDueAfterAThirdOfTheTtl_andExtends() throws Exception {
        HeldLock heldLock = heldLock();
        time.passMillis(315);
        fixture.renewals.sweep(service);
        assertThat(service.sent).isEmpty();

        time.passMillis(25);
        fixture.renewals.sweep(service);
        assertThat(service.sent(Command.Renew.class)).hasSize(3);
        assertThat(fixture.leases.remaining(heldLock)).isGreaterThan(Duration.ofMillis(950));
    }

    @Test
    void renewal_ofALeaseThatWasLongInComing_isDueAThirdOfTheTtlAfterItsRequest() throws Exception {
        nodes.sendingTakes(300);
        heldLock();
        time.passMillis(40);
        fixture.renewals.sweep(service);
        assertThat(service.sent(Command.Renew.class)).hasSize(3);
    }

    @Test
    void renewal_afterRelease_isNotSent() throws Exception {
        fixture.leases.giveBack(List.of(LeaseShare.of(heldLock(), false)));
        time.passMillis(500);
        fixture.renewals.sweep(service);
        assertThat(service.sent(Command.Renew.class)).isEmpty();
    }

    @Test
    void renewal_thatIsLongInSending_waitsForItsAnswersAllTheSame() throws Exception {
        HeldLock heldLock = heldLock();
        service.sendingTakes(60); // longer than a node may take to answer
        time.passMillis(340);
        fixture.renewals.sweep(service);
        time.passMillis(800);
        assertThat(fixture.leases.isHeld(heldLock)).isTrue();
    }

    @Test
    void renewal_thatFails_isTriedAgainUntilItSucceeds() throws Exception {
        HeldLock heldLock = heldLock();
        service.node(0, new Reply.NotSent("refused")).node(1, new Reply.NotSent("refused"));
        for (int i = 0; i < 20; i++) {
            time.passMillis(40);
            fixture.renewals.sweep(service);
        }
        assertThat(heldLock.isHeld(time.nanoTime())).isTrue();
        service.node(0, ScriptedNodes::agree);
        time.passMillis(40);
        fixture.renewals.sweep(service);
        assertThat(fixture.leases.remaining(heldLock)).isGreaterThan(Duration.ofMillis(900));
    }

    @Test
    void renewal_thatIsBrokenOff_isTriedAgainSoon() throws Exception {
        HeldLock heldLock = heldLock();
        service.node(0, command -> {
            throw new UnsupportedOperationException("on purpose");
        });
        fixture.time.passMillis(ProtocolFixture.TTL_MILLIS / 3 + 1);
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> fixture.renewals.sweep(service));
        service.node(0, ScriptedNodes::agree);
        fixture.time.passMillis(ProtocolFixture.TTL_MILLIS / 30 + 1);
        fixture.renewals.sweep(service);
        assertThat(fixture.leases.remaining(heldLock))
                .isGreaterThan(Duration.ofMillis(ProtocolFixture.TTL_MILLIS * 9 / 10));
    }

    @Test
    void renewal_thatFailsToTheEnd_isALossToldNoLaterThanTheEnd() throws Exception {
        HeldLock heldLock = heldLock();
        for (int node = 0; node < 3; node++) {
            service.node(node, new Reply.NoAnswer("silence"));
        }
        long end = LeaseBridge.validUntil(heldLock);
        boolean[] told = new boolean[1];
        heldLock.onLost(loss -> told[0] = true);
        while (time.nanoTime() - end < 0) {
            time.passMillis(20);
            fixture.renewals.sweep(service);
        }
        fixture.runNotifications();
        assertThat(told[0]).isTrue();
        assertThat(heldLock.loss().reason()).contains("node-0=silence");
    }

    @Test
    void renewal_refusedByAQuorum_isALossAtOnce() throws Exception {
        HeldLock heldLock = heldLock();
        service.node(0, new Reply.TokenTooSmall(Long.MAX_VALUE)).node(1, new Reply.Held(500));
        time.passMillis(340);
        fixture.renewals.sweep(service);
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
        assertThat(heldLock.loss().reason()).contains("later lease");
    }

    @Test
    void renewal_answeredAfterTheEnd_doesNotBringTheLeaseBack() throws Exception {
        HeldLock heldLock = heldLock();
        service.node(0, command -> {
            time.passMillis(2_000); // the process pauses while the renewal is under way
            return ScriptedNodes.agree(command);
        });
        time.passMillis(340);
        fixture.renewals.sweep(service);
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
    }

    private void acquireFive() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            fixture.acquire(
                    nodes,
                    org.holdfast.LockRequest.of("lock-" + i)
                            .waitTimeout(java.time.Duration.ZERO)
                            .ttl(java.time.Duration.ofMillis(1_000)),
                    List.of(Holder.thread()));
        }
    }

    @Test
    void renewals_dueTogether_areSentInOneGo() throws Exception {
        acquireFive();
        service.latency(0, 50).latency(1, 40).latency(2, 40);
        time.passMillis(340);
        long before = time.nanoTime();
        fixture.renewals.sweep(service);
        assertThat(service.sent(Command.Renew.class)).hasSize(15);
        assertThat(time.nanoTime() - before).as("the time of one round").isEqualTo(MILLISECONDS.toNanos(40));
    }

    @Test
    void sweep_whileAQuorumHangs_blocksForOneNodeTimeout() throws Exception {
        acquireFive();
        service.latency(0, 60_000).latency(1, 60_000);
        time.passMillis(340);
        long before = time.nanoTime();
        fixture.renewals.sweep(service);
        assertThat(time.nanoTime() - before)
                .isEqualTo(fixture.timing.nodeTimeout().toNanos());
    }

    @Test
    void maxHold_endsRenewals_tellsTheHolder_andTakesTheLockBackOnTheNodes() throws Exception {
        HeldLock heldLock = ((AcquireResult.Held) fixture.acquire(
                        nodes,
                        fixture.request(0).maxHold(java.time.Duration.ofMillis(1_500)),
                        List.of(Holder.thread())))
                .heldLock();
        boolean[] told = new boolean[1];
        heldLock.onLost(loss -> told[0] = true);
        for (int i = 0; i < 74; i++) {
            time.passMillis(20);
            fixture.renewals.sweep(service);
            assertThat(heldLock.isHeld(time.nanoTime())).isTrue();
        }
        int renewals = service.sent(Command.Renew.class).size();
        time.passMillis(40);
        fixture.renewals.sweep(service);
        fixture.runNotifications();
        assertThat(told[0]).isTrue();

        fixture.unfinished.retry(service, time.nanoTime() + 1_000_000);
        assertThat(service.sent(Command.Renew.class)).hasSize(renewals);
        assertThat(service.sent(Command.Release.class)).hasSize(3).allSatisfy(sent -> assertThat(
                        ((Command.Release) sent.command()).tombstone())
                .isTrue());
    }

    @Test
    void clockThatStoodStill_endsEveryLease() throws Exception {
        HeldLock heldLock = heldLock();
        fixture.engine.clockStoodStill(MILLISECONDS.toNanos(5_000));
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
        assertThat(heldLock.loss().reason()).contains("stood still for 5000 ms");
    }

    @Test
    void renewal_answeredAfterTheRelease_neitherExtendsNorReportsIt() throws Exception {
        HeldLock heldLock = heldLock();
        long validUntil = LeaseBridge.validUntil(heldLock);
        boolean[] told = new boolean[1];
        heldLock.onLost(loss -> told[0] = true);
        service.node(2, command -> {
            if (command instanceof Command.Renew) {
                fixture.leases.giveBack(
                        List.of(LeaseShare.of(heldLock, false))); // by another thread, while the renewal is under way
            }
            return ScriptedNodes.agree(command);
        });
        assertThat(fixture.leases.renew(heldLock)).isFalse();
        time.passMillis(2_000);
        fixture.renewals.sweep(service);
        fixture.runNotifications();
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
        assertThat(LeaseBridge.validUntil(heldLock)).isEqualTo(validUntil);
        assertThat(heldLock.loss()).isNull();
        assertThat(told[0]).isFalse();
    }
}
