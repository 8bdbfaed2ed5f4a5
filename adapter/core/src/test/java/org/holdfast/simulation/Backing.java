// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;
import org.holdfast.Lease;
import org.holdfast.redis.script.ScriptBridge;

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
                .filter(node -> keptNanos(node, name, lease.token()) >= leastNanos)
                .count();
        if (quorum <= nodes.size() / 2) {
            throw new Violation("1: at " + world.now() / 1_000_000 + " ms " + lease + " is valid for "
                    + leastNanos / 1_000_000 + " ms more, but for so long it is kept by " + quorum + " nodes only");
        }
    }

    /**
     * Returns for how long a node keeps a lock for a lease that has it alone, in the world's time; 0 if it does not.
     *
     * @param token a token of the lease, which stands in what is written as the owner, or is one of those after it
     */
    private static long keptNanos(SimulatedNode node, String lock, long token) {
        String key = ScriptBridge.lockKey(SimulatedNode.PREFIX, lock);
        String written = node.redis().copy().get(key); // to ask the node's own would delete what has expired
        if (written == null) {
            return 0;
        }
        LockValue value = LockValue.parse(written);
        String[] words = value.owner().split(" ");
        boolean mine =
                words.length > 2 && !words[0].equals("readers") && Math.abs(token - 8 - Long.parseLong(words[2])) <= 8;
        return mine
                ? node.clock.worldNanos(node.redis().expiresAt(key) - value.lingersMicros() - node.clock.micros())
                : 0;
    }
}
