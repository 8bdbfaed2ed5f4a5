// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.BitSet;

/**
 * Where a shard keeps what it knows of itself: in one of its own slots, the same for all clients. With marks in two
 * places, what one client has noted would not be known to another.
 *
 * <p>A client that starts looks at the door, in a slot that it finds by itself. When the node gets a slot that becomes
 * the door, its home stays where it is. Then a sign at the door names the home, which is its hash tag.
 * A birth mark that stood there until then is void.
 *
 * @param node that the shard is
 * @param slot -1 if it has none
 */
record Home(String node, int slot) {

    /**
     * The sign where the home is at the door. While a slot is being moved, no node of Redis says that a key is missing
     * there: it sends the client to the next node. So a sign stands there too. It names no slot, and leads to none: it
     * may come to another node, together with its slot.
     */
    static final String HERE = "here";

    /** Returns the hash tag of the door; empty if there are no slots. */
    static String door(BitSet slots) {
        return tag(Slot.homeOf(slots));
    }

    /** Returns the home of a node, as far as is known without a look at its door. */
    Home of(String now, BitSet slots) {
        boolean stays = slot >= 0 && slots.get(slot); // a promoted replica has what stood there
        return new Home(now, stays ? slot : Slot.homeOf(slots));
    }

    /** Returns the hash tag of the keys that are kept there; empty if there are no slots. */
    String tag() {
        return tag(slot);
    }

    private static String tag(int slot) {
        return slot < 0 ? "" : Slot.tag(slot);
    }

    /** Returns whether a sign names a slot that is still there. */
    static boolean isSign(String sign, BitSet slots) {
        int slot = Slot.of(sign);
        return !sign.isEmpty() && slots.get(slot) && Slot.tag(slot).equals(sign);
    }

    /** Returns the home that a sign names. */
    Home named(String sign) {
        return new Home(node, Slot.of(sign));
    }
}
