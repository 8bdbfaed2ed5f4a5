// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.util.concurrent.atomic.AtomicLongArray;
import org.holdfast.protocol.node.NodeSet;

/**
 * Which nodes know which scripts, as far as this process has seen.
 *
 * <p>A script that a node is not known to know is sent with its source. So the first call of a script takes one round
 * trip like any other. Nor is a request left undone on a node that needs the source, because a quorum of others has
 * answered and no thread reads the reply of that node.
 *
 * <p>Safe for use by any number of threads. A node may forget scripts at any time: it reports that, and is asked again.
 */
public final class KnownScripts {

    /** For each script the nodes that know it, as the bits of a {@link NodeSet}. */
    private final AtomicLongArray nodes = new AtomicLongArray(LockScript.values().length);

    /** Returns whether none of these nodes needs the source. */
    public boolean areKnown(LockScript script, NodeSet asked) {
        return (asked.bits() & ~nodes.get(script.ordinal())) == 0;
    }

    /** A node has answered, and not that it does not know the script. */
    public void answered(int node, LockScript script) {
        if (!areKnown(script, NodeSet.of(node))) {
            nodes.accumulateAndGet(script.ordinal(), NodeSet.of(node).bits(), (known, one) -> known | one);
        }
    }

    /** A node does not know a script that it knew: it was restarted or its scripts were flushed, so it knows none. */
    public void forgotten(int node) {
        for (int script = 0; script < nodes.length(); script++) {
            nodes.accumulateAndGet(script, NodeSet.of(node).bits(), (known, one) -> known & ~one);
        }
    }
}
