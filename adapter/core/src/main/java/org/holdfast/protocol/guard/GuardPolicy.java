// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.holdfast.GuardMode;

/**
 * Whether nodes that may have forgotten locks lose their votes, and for how long.
 *
 * @param mode what is done about them
 * @param settings the settings that all processes must share
 */
public record GuardPolicy(GuardMode mode, AcceptedSettings settings) {

    public GuardPolicy {
        Objects.requireNonNull(mode);
        Objects.requireNonNull(settings);
    }

    /** Returns whether they lose their votes; false to trust the memory and the clock of every node. */
    public boolean enforced() {
        return mode == GuardMode.QUARANTINE;
    }

    /** Returns for how long the key of a lock stays on a node after its lease, in microseconds; 0 if not enforced. */
    public long lingerMicros() {
        return enforced()
                ? TimeUnit.NANOSECONDS.toMicros(settings.widest().linger().toNanos())
                : 0;
    }
}
