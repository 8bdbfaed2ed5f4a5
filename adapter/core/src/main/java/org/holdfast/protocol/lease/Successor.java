// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.List;

/** Those that get a lock after a holder of this process: its waiters. */
public interface Successor {

    /** Hands a lock that its holder has released to the first waiter that it fits; returns whether there was one. */
    boolean handOff(HeldLock released);

    /** Returns whether a caller of this process waits for one of these names, in whichever way. */
    boolean isWaitedFor(List<String> names);

    /** These names may be free: waiters may ask the nodes for them. */
    void freed(List<String> names);
}
