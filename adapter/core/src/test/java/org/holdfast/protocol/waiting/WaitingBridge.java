// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import org.jspecify.annotations.Nullable;

/** Opens the room's door a little for tests of other rooms: a caller that stands in line. */
public final class WaitingBridge {

    private WaitingBridge() {}

    /** Joins the end of the line; what wakes the caller is left to the test. */
    public static void enter(Acquiring acquiring) {
        acquiring.enter(() -> {});
    }

    /** Does what is due now, and returns the result; null while it is not known. */
    public static @Nullable AcquireResult step(Acquiring acquiring) {
        acquiring.step();
        return acquiring.result();
    }

    public static void leave(Acquiring acquiring) {
        acquiring.leave();
    }
}
