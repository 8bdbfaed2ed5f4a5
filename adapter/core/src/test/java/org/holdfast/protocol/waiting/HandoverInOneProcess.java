// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.LockRequest;
import org.holdfast.protocol.LockEngine;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.node.Command;

/** A lock of one process, and callers of the same process that wait for it. */
abstract class HandoverInOneProcess {

    final ProtocolFixture fixture = new ProtocolFixture(3);
    final LockEngine engine = fixture.engine;
    final AtomicInteger woken = new AtomicInteger();

    /** A caller that stands in line. */
    record Waiter(Acquiring acquiring) {

        /** Leaves the line; returns the lock that was handed off to the caller, or null. */
        HeldLock leave() {
            AcquireResult done = acquiring.isHandedOff() && acquiring.step() == 0 ? acquiring.result() : null;
            acquiring.leave();
            return done instanceof AcquireResult.Held held ? held.heldLock() : null;
        }
    }

    HeldLock heldLock(LockRequest request) throws Exception {
        AcquireResult done = fixture.acquire(fixture.nodes, request, List.of(Holder.thread()));
        return ((AcquireResult.Held) done).heldLock();
    }

    HeldLock heldLock() throws Exception {
        return heldLock(fixture.request(0));
    }

    Waiter waitFor(LockRequest request) {
        Acquiring acquiring = fixture.acquirer.begin(request, Holder.transaction("next"));
        acquiring.enter(woken::incrementAndGet);
        return new Waiter(acquiring);
    }

    Waiter waitForIt() {
        return waitFor(fixture.request(10_000));
    }

    void giveBack(HeldLock heldLock) {
        fixture.leases.giveBack(List.of(LeaseShare.of(heldLock, false)));
    }

    boolean isReleasedOnNodes() {
        return !fixture.service.sent(Command.Release.class).isEmpty();
    }
}
