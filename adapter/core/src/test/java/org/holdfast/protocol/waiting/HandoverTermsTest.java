// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.LeaseBridge;
import org.holdfast.protocol.node.Command;
import org.junit.jupiter.api.Test;

/** A waiter gets the lock of another caller only where that meets what the waiter asks for. */
class HandoverTermsTest extends HandoverInOneProcess {

    private LockRequest notRenewed(long waitMillis) {
        return fixture.request(waitMillis).fixedTtl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS));
    }

    /** What the nodes keep is what the first of them has got: none after it is told that it has more. */
    @Test
    void leaseThatIsNotRenewed_isPassedOnWithTheRestOfItsValidity_whileThatIsAlmostAll() throws Exception {
        HeldLock first = heldLock(notRenewed(0));
        Waiter waiter = waitFor(notRenewed(10_000));
        fixture.time.passMillis(5);
        giveBack(first);
        HeldLock next = waiter.leave();
        assertThat(next.token()).isEqualTo(first.token() + 1);
        assertThat(LeaseBridge.validUntil(next)).isEqualTo(LeaseBridge.validUntil(first));
        assertThat(next.terms().renewed()).isFalse();
        assertThat(isReleasedOnNodes()).isFalse();

        waiter = waitFor(notRenewed(10_000));
        fixture.time.passMillis(5);
        giveBack(next);
        assertThat(waiter.leave()).as("a hundredth has passed").isNull();
        assertThat(isReleasedOnNodes()).isTrue();
    }

    @Test
    void waiterForALeaseThatIsNotRenewed_getsOneThatWas_whileAlmostAllOfItIsLeft() throws Exception {
        HeldLock first = heldLock();
        Waiter waiter = waitFor(notRenewed(10_000));
        giveBack(first);
        HeldLock next = waiter.leave();
        fixture.time.passMillis(400);
        fixture.renewals.sweep(fixture.service);
        assertThat(fixture.service.sent(Command.Renew.class)).isEmpty();

        waiter = waitForIt();
        giveBack(next);
        assertThat(waiter.leave()).as("after 100 ms").isNull();
    }

    @Test
    void waiterForALeaseThatIsRenewed_getsOneThatWasNot_andItIsRenewed() throws Exception {
        HeldLock first = heldLock(notRenewed(0));
        Waiter waiter = waitForIt();
        fixture.time.passMillis(50);
        giveBack(first);
        HeldLock next = waiter.leave();
        assertThat(next.token()).isEqualTo(first.token() + 1);
        fixture.time.passMillis(400);
        fixture.renewals.sweep(fixture.service);
        assertThat(fixture.service.sent(Command.Renew.class)).hasSize(3);
        assertThat(fixture.leases.remaining(next)).isGreaterThan(Duration.ofMillis(900));
    }

    @Test
    void waiter_whoAsksForSomethingElse_getsNothing() throws Exception {
        LockRequest same = fixture.request(10_000);
        for (LockRequest other : List.of(
                same.ttl(Duration.ofMillis(1_001)),
                same.fixedTtl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS - 1)),
                same.atLeast(Duration.ofMillis(100)),
                same.fair(true),
                same.mode(LockMode.WRITE))) {
            HeldLock heldLock = heldLock();
            Waiter waiter = waitFor(other);
            giveBack(heldLock);
            assertThat(waiter.leave()).as(other.toString()).isNull();
        }
    }

    @Test
    void heir_hasItsOwnMaxHold() throws Exception {
        HeldLock heldLock = heldLock();
        Waiter waiter = waitFor(fixture.request(10_000).maxHold(Duration.ofMillis(200)));
        fixture.time.passMillis(50);
        giveBack(heldLock);
        HeldLock heir = waiter.leave();
        fixture.time.passMillis(199);
        assertThat(fixture.leases.isHeld(heir)).isTrue();
        fixture.time.passMillis(1);
        assertThat(fixture.leases.isHeld(heir)).isFalse();
    }

    @Test
    void hold_withLittleValidityLeft_isNotPassedOn() throws Exception {
        LockRequest brief = fixture.request(10_000).ttl(Duration.ofMillis(100));
        HeldLock heldLock = heldLock(brief);
        Waiter waiter = waitFor(brief);
        fixture.time.passMillis(60);
        giveBack(heldLock);
        assertThat(waiter.leave()).isNull();
    }
}
