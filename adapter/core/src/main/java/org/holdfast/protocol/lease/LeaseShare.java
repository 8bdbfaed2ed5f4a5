// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

/** One lease's part of a hold. */
public interface LeaseShare {

    HeldLock heldLock();

    /** Returns whether the lease is only to read, though the hold may be more. */
    boolean reads();

    /** Returns a part that no caller has as a lease. */
    static LeaseShare of(HeldLock heldLock, boolean reads) {
        return new Plain(heldLock, reads);
    }

    record Plain(HeldLock heldLock, boolean reads) implements LeaseShare {}

    /** What is to become of the nodes' locks when it is given back. */
    enum ReleaseEffect {
        /** Other leases are left, or there is nothing to release. */
        NOTHING,
        /** The leases that are left only read: other readers are to be let in. */
        DOWNGRADE,
        /** It was the last. */
        RELEASE
    }
}
