// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.BitSet;

/**
 * What the cluster says of the node.
 *
 * @param node its id
 * @param slots that it has, as a majority says
 * @param doubts those whose keys may have gone
 * @param own what the node itself has said last
 */
record Seen(String node, BitSet slots, SlotDoubts doubts, OwnWord own) {

    Seen noted() {
        return new Seen(node, slots, doubts.noted(), own);
    }
}
