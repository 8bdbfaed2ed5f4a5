// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.holdfast.GuardMode;

/**
 * Whether nodes that may have forgotten locks lose their votes, and for how long.
 *
 * @param mode what is done about them
 * @param settings the settings that all processes must share
 * @param observes whether this process takes no locks: then it writes no birth mark, and leaves nodes that need one to
 *     the processes that do
 * @param others what this process has seen of the settings of others, by voter
 */
public record GuardPolicy(
        GuardMode mode, AcceptedSettings settings, boolean observes, Map<Integer, AcceptedSettings.OfOthers> others) {

    /** Of a process that takes locks. */
    public GuardPolicy(GuardMode mode, AcceptedSettings settings) {
        this(mode, settings, false, new ConcurrentHashMap<>());
    }

    public GuardPolicy {
        Objects.requireNonNull(mode);
        Objects.requireNonNull(settings);
    }

    /**
     * Returns what this process has seen of the settings of others: on all nodes of a voter, such as the shards of a
     * cluster, and on none of another voter. One that is used by another deployment must not keep this process from the
     * others.
     */
    public AcceptedSettings.OfOthers others(int voter) {
        return others.computeIfAbsent(voter, any -> new AcceptedSettings.OfOthers());
    }

    /** Returns the policy of a process that takes no locks. */
    public GuardPolicy observing() {
        return new GuardPolicy(mode, settings, true, others);
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
