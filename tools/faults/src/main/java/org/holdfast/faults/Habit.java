// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.util.concurrent.ThreadLocalRandom;
import org.holdfast.Lease;

/** How a client deals with its leases: as it should, or with a bug that a check must find. */
public enum Habit {

    /** Believes what the lease says. */
    HONEST,

    /** Holds a lock for as long as it has work, whatever the lease says. */
    IGNORES_VALIDITY,

    /** Passes on a token of its own. */
    INVENTS_TOKENS;

    boolean isHeld(Lease lease) {
        return this == IGNORES_VALIDITY || lease.isHeld();
    }

    long token(Lease lease) {
        long off = this == INVENTS_TOKENS ? ThreadLocalRandom.current().nextLong(10_000_000) : 0;
        return Math.max(1, lease.token() - off);
    }
}
