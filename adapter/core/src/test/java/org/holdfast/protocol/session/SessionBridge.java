// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import org.holdfast.Lease;
import org.holdfast.protocol.lease.HeldLock;

/** Opens the room's door a little for tests of other rooms. */
public final class SessionBridge {

    private SessionBridge() {}

    /** Returns what a lease is a share of. */
    public static HeldLock heldLock(Lease lease) {
        return ((LeaseHandle) lease).heldLock();
    }
}
