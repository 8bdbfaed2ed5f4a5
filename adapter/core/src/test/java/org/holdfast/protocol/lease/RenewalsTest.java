// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.waiting.AcquireResult;
import org.holdfast.protocol.waiting.Acquiring;
import org.holdfast.protocol.waiting.WaitingBridge;
import org.junit.jupiter.api.Test;

/** What happens to a lease while it is renewed, and to many at once. */
class RenewalsTest {

    private static final int MORE_THAN_TWO_BATCHES = 450;

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final VirtualTime time = fixture.time;
    private final ScriptedNodes service = fixture.service;

    private HeldLock heldLock(LockRequest request) throws InterruptedException {
        return ((AcquireResult.Held) fixture.acquire(fixture.nodes, request, List.of(Holder.thread()))).heldLock();
    }

    private HeldLock heldLock() throws InterruptedException {
        return heldLock(fixture.request(0));
    }

    private LockRequest named(String name) {
        return LockRequest.of(name).waitTimeout(Duration.ZERO).ttl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS));
    }

    private void passUntilRenewed() {
        time.passMillis(ProtocolFixture.TTL_MILLIS / 3 + 7);
    }

    private int renewals() {
        return service.sent(Command.Renew.class).size() / 3;
    }

    /** The last node asks for something once, when a renewal reaches it. */
    private void duringTheNextRenewal(Runnable meanwhile) {
        boolean[] done = new boolean[1];
        service.node(2, command -> {
            if (command instanceof Command.Renew && !done[0]) {
                done[0] = true;
                meanwhile.run();
            }
            return ScriptedNodes.agree(command);
        });
    }

    @Test
    void sweep_ofMoreLeasesThanFitOneBatch_renewsAll() throws Exception {
        for (int i = 0; i < MORE_THAN_TWO_BATCHES; i++) {
            fixture.nodes.latency(0, 0).latency(1, 0).latency(2, 0);
            heldLock(named("lock-" + i));
        }
        passUntilRenewed();
        fixture.renewals.sweep(service);
        assertThat(renewals()).isEqualTo(MORE_THAN_TWO_BATCHES);
    }

    @Test
    void lease_renewedByHand_isRenewedByTheSweepAsBefore() throws Exception {
        HeldLock heldLock = heldLock();
        assertThat(fixture.leases.renew(heldLock)).isTrue();
        passUntilRenewed();
        fixture.renewals.sweep(service);
        assertThat(renewals()).isEqualTo(2);
    }

    @Test
    void lease_releasedWhileItIsRenewed_isDueNoMore() throws Exception {
        HeldLock heldLock = heldLock();
        duringTheNextRenewal(() -> fixture.leases.giveBack(LeaseShare.of(heldLock, false)));
        passUntilRenewed();
        fixture.renewals.sweep(service);
        time.passMillis(ProtocolFixture.TTL_MILLIS);
        assertThat(fixture.renewals.isDue()).isFalse();
    }

    @Test
    void suspicion_raisedWhileTheLeaseIsRenewed_isCheckedByTheNextSweep() throws Exception {
        heldLock();
        duringTheNextRenewal(() -> fixture.notifications.announceForced("a", Long.MAX_VALUE));
        passUntilRenewed();
        fixture.renewals.sweep(service);
        assertThat(fixture.renewals.isDue()).isTrue();
        fixture.renewals.sweep(service);
        assertThat(renewals()).isEqualTo(2);
        assertThat(fixture.renewals.isDue()).isFalse();
    }

    /** The announcement reaches the holder before, whose lease ends just then. */
    @Test
    void lock_handedOffWhileItIsSuspected_isCheckedByTheNextSweep() throws Exception {
        HeldLock first = heldLock();
        Acquiring next = fixture.acquirer.begin(fixture.request(10_000), Holder.transaction("next"));
        WaitingBridge.enter(next);
        assertThat(first.giveBack(false)).isEqualTo(LeaseShare.ReleaseEffect.RELEASE);
        fixture.notifications.announceForced("a", Long.MAX_VALUE);
        assertThat(fixture.waitQueues.handOff(first)).isTrue();
        assertThat(fixture.renewals.isDue()).isTrue();
        fixture.renewals.sweep(service);
        assertThat(renewals()).isOne();
        WaitingBridge.leave(next);
    }

    /** What nodes say of the claim to have the lock alone means nothing for the one that only reads. */
    @Test
    void lease_thatOnlyReadsSinceItsRenewalWasSent_isNotLostByTheAnswers() throws Exception {
        HeldLock heldLock = heldLock(fixture.request(0).mode(LockMode.WRITE));
        heldLock(fixture.request(0).mode(LockMode.READ));
        ScriptedNodes others = new ScriptedNodes(time, 3);
        others.node(0, new Reply.TokenTooSmall(Long.MAX_VALUE)).node(1, command -> {
            fixture.leases.giveBack(LeaseShare.of(heldLock, false));
            return new Reply.TokenTooSmall(Long.MAX_VALUE);
        });
        assertThat(fixture.renewals.renewNow(others, heldLock)).isFalse();
        assertThat(heldLock.isHeld(time.nanoTime())).isTrue();
        assertThat(heldLock.isReading()).isTrue();
    }

    @Test
    void confirm_ofALeaseWhoseMaxHoldIsShort_needsHalfOfThat() throws Exception {
        HeldLock heldLock = heldLock(fixture.request(0).maxHold(Duration.ofMillis(100)));
        time.passTo(heldLock.validUntil() - MILLISECONDS.toNanos(50));
        assertThat(fixture.leases.confirm(heldLock)).isTrue();
        time.pass(1);
        assertThat(fixture.leases.confirm(heldLock)).isFalse();
    }
}
