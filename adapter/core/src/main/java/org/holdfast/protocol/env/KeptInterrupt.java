// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import org.jspecify.annotations.Nullable;

/** An interrupt that a thread puts aside for as long as it waits. Null is none. For one thread. */
public final class KeptInterrupt {

    private final @Nullable Interrupts interrupts = Interrupts.known();
    private boolean ours;

    private KeptInterrupt() {}

    /** Puts the interrupt aside that the thread has, if it has one. */
    public static @Nullable KeptInterrupt take(@Nullable KeptInterrupt kept) {
        return Thread.interrupted() ? taken(kept) : kept;
    }

    /** The thread had an interrupt, which was cleared just now. */
    public static KeptInterrupt taken(@Nullable KeptInterrupt kept) {
        KeptInterrupt all = kept == null ? new KeptInterrupt() : kept;
        if (all.interrupts != null) {
            all.ours |= all.interrupts.putAside(kept == null);
        }
        return all;
    }

    /** Interrupts the thread again. */
    public static void restore(@Nullable KeptInterrupt kept) {
        if (kept != null) {
            Thread.currentThread().interrupt();
            if (kept.interrupts != null) {
                kept.interrupts.restored(kept.ours);
            }
        }
    }
}
