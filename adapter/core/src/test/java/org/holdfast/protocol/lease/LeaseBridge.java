// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

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
}
