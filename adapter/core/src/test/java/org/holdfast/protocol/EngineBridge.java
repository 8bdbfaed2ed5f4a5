// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.Set;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.LeaseBridge;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.waiting.Acquirer;

/** Opens the room's door a little for tests: what a process remembers of locks, and has to do. */
public final class EngineBridge {

    private EngineBridge() {}

    /** Returns whether a sweep would renew a lease, or see that one has ended. */
    public static boolean isDue(LockEngine engine) {
        return LeaseBridge.isDue(engine.renewals);
    }

    /** Returns what the process holds. */
    public static Set<HeldLock> held(LockEngine engine) {
        return engine.heldLocks.all();
    }

    /** Returns a session without a service, which cannot end: as if releasing the leases of a handle had failed. */
    public static LockSession sessionThatCannotEnd() {
        return new LockSession(null, null, null, null, null, null, null);
    }

    /** Returns what begins the acquisitions of a process. */
    public static Acquirer acquirer(LockEngine engine) {
        return engine.acquirer;
    }

    /** Returns how many tickets the process keeps on the nodes. */
    public static int tickets(LockEngine engine) {
        return engine.tickets.size();
    }

    /** Returns 0 if no caller of the process holds a lock or waits for one, and nothing is left of earlier ones. */
    public static int remembered(LockEngine engine) {
        return engine.remembered();
    }
}
