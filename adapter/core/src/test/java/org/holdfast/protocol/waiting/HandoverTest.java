// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import org.holdfast.LockRequest;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.lease.Handoff;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.LeaseBridge;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/** A lock that a caller of the same process waits for is passed on, within bounds. */
class HandoverTest extends HandoverInOneProcess {

    @Test
    void release_withSomebodyWaiting_passesTheLockOnWithTheNextToken() throws Exception {
        HeldLock first = heldLock();
        Waiter waiter = waitForIt();
        giveBack(first);

        HeldLock next = waiter.leave();
        assertThat(next.token()).isEqualTo(first.token() + 1);
        assertThat(next.holderInfo().token()).as("as operators see it").isEqualTo(next.token());
        assertThat(LeaseBridge.validUntil(next)).isEqualTo(LeaseBridge.validUntil(first));
        assertThat(next.belongsTo(Holder.transaction("next"))).isTrue();
        assertThat(fixture.leases.isHeld(next)).isTrue();
        assertThat(fixture.leases.isHeld(first)).isFalse();
        assertThat(fixture.heldLocks.of("a")).containsExactly(next);
        assertThat(isReleasedOnNodes()).isFalse();
        assertThat(woken).hasValue(1);

        giveBack(next);
        assertThat(isReleasedOnNodes()).isTrue();
        assertThat(EngineBridge.remembered(engine)).isZero();
    }

    /** It does not depend on the sweep of renewals, which may be busy with thousands of leases. */
    @Test
    void headOfTheLine_whileThisProcessHasTheLock_looksAgainWhenTheLeaseEnds() throws Exception {
        HeldLock first = heldLock();
        Waiter heir = waitForIt();
        Waiter next = waitForIt();
        assertThat(next.acquiring().step()).isEqualTo(next.acquiring().left());
        giveBack(first);
        int before = woken.get();
        HeldLock held = heir.leave();
        assertThat(woken).hasValue(before + 1);
        assertThat(next.acquiring().step()).isEqualTo(LeaseBridge.validUntil(held) - fixture.time.nanoTime());
    }

    @Test
    void heir_isRenewedAndTheOldHoldIsNot() throws Exception {
        HeldLock first = heldLock();
        Waiter waiter = waitForIt();
        giveBack(first);
        HeldLock next = waiter.leave();
        fixture.time.passMillis(400);
        fixture.renewals.sweep(fixture.service);
        assertThat(fixture.service.sent(Command.Renew.class)).hasSize(3);
        assertThat(fixture.leases.remaining(next)).isGreaterThan(Duration.ofMillis(900));
    }

    @Test
    void release_afterSoManyPassedOn_goesToTheNodes() throws Exception {
        HeldLock heldLock = heldLock();
        long token = heldLock.token();
        int passed = 0;
        while (!isReleasedOnNodes()) {
            Waiter waiter = waitForIt();
            giveBack(heldLock);
            heldLock = waiter.leave();
            if (heldLock != null) {
                passed++;
                assertThat(heldLock.token()).isEqualTo(token + passed);
            }
        }
        assertThat(passed).isEqualTo(Handoff.MOST);
    }

    @Test
    void tombstone_isLargerThanEveryTokenThatMayBePassedOn() throws Exception {
        HeldLock heldLock = heldLock();
        giveBack(heldLock);
        Command.Release release = (Command.Release)
                fixture.service.sent(Command.Release.class).get(0).command();
        assertThat(release.claim().lastToken()).isEqualTo(heldLock.token() + Handoff.MOST);
        assertThat(fixture.tokens.next(0)).isGreaterThan(release.claim().lastToken() + 1);
    }

    /** Its key is still on the nodes: that lingers for as long as the quarantine. */
    @Test
    void release_afterTheValidityHasEnded_saysThatTheLockWasNotHeld() throws Exception {
        HeldLock heldLock = heldLock();
        fixture.time.passTo(LeaseBridge.validUntil(heldLock) - 1);
        assertThat(fixture.leases.isHeld(heldLock)).isTrue();
        fixture.time.pass(1);
        assertThat(fixture.leases.giveBack(LeaseShare.of(heldLock, false))).isEqualTo(ReleaseResult.NOT_HELD);
        assertThat(isReleasedOnNodes()).isTrue();
    }

    @Test
    void release_beforeTheValidityHasEnded_saysThatTheLockIsReleased() throws Exception {
        HeldLock heldLock = heldLock();
        fixture.time.passTo(LeaseBridge.validUntil(heldLock) - 1);
        assertThat(fixture.leases.giveBack(LeaseShare.of(heldLock, false))).isEqualTo(ReleaseResult.RELEASED);
    }

    private int renewals() {
        return fixture.service.sent(Command.Renew.class).size() / 3;
    }

    @Test
    void lock_thatIsSaidToBeTakenAway_isNotPassedOnUntilAQuorumHasConfirmedIt() throws Exception {
        HeldLock first = heldLock();
        Waiter waiter = waitForIt();
        fixture.notifications.announceForced("a", first.claim().lastToken()); // of the holder before
        giveBack(first);
        HeldLock second = waiter.leave();
        assertThat(second).isNotNull();

        fixture.notifications.announceForced("a", first.claim().lastToken() + 1);
        waiter = waitForIt();
        fixture.renewals.sweep(fixture.service);
        assertThat(renewals()).isOne();
        giveBack(second);
        HeldLock third = waiter.leave();
        assertThat(third).as("confirmed").isNotNull();

        fixture.notifications.announceForced("a", first.claim().lastToken() + 1);
        waiter = waitForIt();
        giveBack(third);
        assertThat(waiter.leave()).isNull();
        assertThat(isReleasedOnNodes()).isTrue();
    }

    @Test
    void lock_thatWasTakenAway_isLostAtOnce() throws Exception {
        HeldLock heldLock = heldLock();
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.Held(5_000));
        }
        fixture.notifications.announceForced("a", heldLock.claim().lastToken() + 1);
        fixture.renewals.sweep(fixture.service);
        assertThat(fixture.leases.isHeld(heldLock)).isFalse();
    }

    @Test
    void announcements_thatAreMadeUp_causeFewRenewals() throws Exception {
        HeldLock heldLock = heldLock();
        for (int i = 0; i < 500; i++) {
            for (int n = 0; n < 10; n++) {
                fixture.notifications.announceForced("a", Long.MAX_VALUE);
            }
            fixture.renewals.sweep(fixture.service);
            fixture.time.passMillis(20);
        }
        assertThat(fixture.leases.isHeld(heldLock)).isTrue();
        assertThat(renewals()).as("in ten seconds").isBetween(20, 60);
    }

    @Test
    void release_longAfterTheLockWasTaken_goesToTheNodes() throws Exception {
        HeldLock heldLock = heldLock();
        Waiter waiter = waitForIt();
        fixture.time.passMillis(101);
        giveBack(heldLock);
        assertThat(waiter.leave()).isNull();
        assertThat(isReleasedOnNodes()).isTrue();
    }

    @Test
    void hold_thatIsLost_isNotPassedOn() throws Exception {
        HeldLock heldLock = heldLock();
        Waiter waiter = waitForIt();
        heldLock.lose("a test", fixture.time.nanoTime());
        giveBack(heldLock);
        assertThat(waiter.leave()).isNull();
        assertThat(fixture.heldLocks.of("a")).isEmpty();
    }

    @Test
    void release_ofAStoppedService_isNotPassedOn() throws Exception {
        HeldLock heldLock = heldLock();
        Waiter waiter = waitForIt();
        engine.close(fixture.time.nanoTime() + 1_000_000_000L);
        giveBack(heldLock);
        assertThat(waiter.leave()).isNull();
    }

    @Test
    void lockThatOthersWaitFor_isLeftToThemForAMoment() throws Exception {
        HeldLock heldLock = heldLock();
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.Released(1));
        }
        giveBack(heldLock);
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, ScriptedNodes::agree); // a waiter asks through the service
        }
        Acquiring next = fixture.acquirer.begin(fixture.request(1_000), Holder.thread());
        assertThat(next.attempt(fixture.nodes)).as("has to wait").isNull();
        long before = fixture.time.nanoTime();
        giveBack(heldLock(fixture.request(1_000)));
        assertThat(fixture.time.nanoTime() - before).isGreaterThan(2_000_000L);
        fixture.time.passMillis(1_010);
        engine.sweep();
        assertThat(EngineBridge.remembered(engine)).isZero();
    }

    @Test
    void caller_withLessTimeThanOthersHave_asksOnceAtItsEnd() throws Exception {
        HeldLock heldLock = heldLock();
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.Released(1));
        }
        giveBack(heldLock);
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, ScriptedNodes::agree);
        }
        long before = fixture.time.nanoTime();
        giveBack(heldLock(fixture.request(1)));
        assertThat(fixture.time.nanoTime() - before)
                .as("1 ms, and what the nodes take; not the 3 ms that others have")
                .isLessThanOrEqualTo(3_000_000L);
        assertThat(fixture.service.sent(Command.Acquire.class)).hasSize(3);
    }

    @Test
    void hold_takenOverAfterTheClockStoodStill_isLost() throws Exception {
        HeldLock first = heldLock();
        Waiter waiter = waitForIt();
        assertThat(LeaseBridge.isLastGivenBack(first)).isTrue();
        engine.clockStoodStill(1_000_000_000L); // sees a lock that is released, and none that was handed over yet
        assertThat(fixture.waitQueues.handOff(first)).isTrue();
        HeldLock taken = waiter.leave();
        assertThat(fixture.leases.isHeld(taken)).isFalse();
    }

    /** The stop saw a lock that is released, and none that was handed over yet: nothing else releases it. */
    @Test
    void hold_takenOverAfterTheServiceHasStopped_isReleased() throws Exception {
        HeldLock first = heldLock();
        Waiter waiter = waitForIt();
        assertThat(LeaseBridge.isLastGivenBack(first)).isTrue();
        engine.close(fixture.time.nanoTime() + 1_000_000_000L);
        assertThat(fixture.waitQueues.handOff(first)).isTrue();
        assertThat(isReleasedOnNodes()).isFalse();
        assertThatIllegalStateException().isThrownBy(waiter::leave);
        assertThat(isReleasedOnNodes()).isTrue();
    }

    @Test
    void holder_whoseOldHoldIsAboutToBeForgotten_takesTheNewOneOnceMore() throws Exception {
        HeldLock old = heldLock();
        LeaseBridge.isLastGivenBack(old); // another thread releases it, and has not come to forget it
        HeldLock present = heldLock();
        assertThat(heldLock()).isSameAs(present);
    }

    /** A node publishes a release before it answers: the waiters could not ask yet, and are woken when it is known. */
    @Test
    void message_ofItsOwnRelease_wakesTheWaitersOnlyOnceTheNodesHaveConfirmedIt() throws Exception {
        HeldLock held = heldLock();
        Waiter waiter = waitFor(LockRequest.allOf("a", "b").waitTimeout(Duration.ofSeconds(10)));
        int[] wokenByMessage = {0};
        fixture.service.node(0, command -> {
            int before = woken.get();
            fixture.notifications.announce("a", held.claim().owner().value());
            wokenByMessage[0] += woken.get() - before;
            return ScriptedNodes.agree(command);
        });
        giveBack(held);
        assertThat(isReleasedOnNodes()).isTrue();
        assertThat(wokenByMessage[0]).isZero();
        assertThat(woken).hasValue(1);

        fixture.notifications.announce("a", held.claim().owner().value()); // of a node that was late
        assertThat(woken).hasValue(2);
        waiter.leave();
    }

    @Test
    void message_ofTheReleaseOfAnotherOwner_wakesTheWaitersAlsoWhileTheLockIsHeldHere() throws Exception {
        HeldLock held = heldLock();
        Waiter waiter = waitForIt();
        fixture.notifications.announce("a", "0".repeat(40));
        fixture.notifications.announce("a");
        assertThat(woken).hasValue(2);
        waiter.leave();
        giveBack(held);
    }
}
