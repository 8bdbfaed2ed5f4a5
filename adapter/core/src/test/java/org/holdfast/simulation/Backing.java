// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;
import org.holdfast.Lease;

/** Watches, while nothing happens to nodes, that a quorum of them keeps each lock for as long as its lease says. */
final class Backing {

    private final World world;
    private final boolean watching;
    private final List<SimulatedNode> nodes;

    /** @param watching whether nothing happens to nodes by which they may forget, and nothing to clocks */
    Backing(World world, boolean watching, List<SimulatedNode> nodes) {
        this.world = world;
        this.watching = watching;
        this.nodes = nodes;
    }

    /**
     * A client looks at a lease that has its names alone.
     *
     * @param leastNanos for how long it is held at least, in the world's time
     */
    void check(Lease lease, long leastNanos) {
        if (watching) {
            lease.names().forEach(name -> check(lease, name, leastNanos));
        }
    }

    private void check(Lease lease, String name, long leastNanos) {
        long quorum = nodes.stream()
                .filter(node -> node.keptNanos(name, lease.token()) >= leastNanos)
                .count();
        if (quorum <= nodes.size() / 2) {
            throw new Violation("1: at " + world.now() / 1_000_000 + " ms " + lease + " is valid for "
                    + leastNanos / 1_000_000 + " ms more, but for so long it is kept by " + quorum + " nodes only");
        }
    }
}
