// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.Optional;
import org.holdfast.Release;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.env.Callbacks;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.HolderInfo;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.quorum.QuorumResult;

/** Opens the room's door a little for tests of other rooms. */
public final class LeaseBridge {

    private LeaseBridge() {}

    /** Returns whether a sweep would renew a lease, or see that one has ended. */
    public static boolean isDue(Renewals renewals) {
        return renewals.isDue();
    }

    /** Returns the end of validity, also of a lock that is released or lost. */
    public static long validUntil(HeldLock heldLock) {
        return heldLock.validUntil();
    }

    /** Takes one lease away, and does nothing else; returns whether it was the last. */
    public static boolean isLastGivenBack(HeldLock heldLock) {
        return heldLock.giveBack(false) == LeaseShare.ReleaseEffect.RELEASE;
    }

    /** Returns an exclusive lock that is held for ever, with one lease. */
    public static HeldLock heldLock() {
        Claim claim = new Claim(new Target.Exclusive("a"), new Owner("0".repeat(40)), 7, 1_000, 2_000);
        LossNotifier notifier = new LossNotifier(new Callbacks(Runnable::run, WakeUp.NONE), new VirtualTime());
        return new HeldLock(
                claim,
                new Cohort(0, 0, Optional.empty()),
                new Taker(null, HolderInfo.UNKNOWN, 1),
                new LeaseTerms(true, Optional.empty(), Optional.empty(), Release.CONFIRMED),
                new QuorumResult.Acquired(0, Long.MAX_VALUE / 2),
                new LossNotifier.OnLoss(notifier, lost -> {}));
    }
}
