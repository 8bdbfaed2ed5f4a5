// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.BitSet;
import java.util.Optional;

/**
 * Where a shard keeps what it knows of itself: in one of its own slots, the same for all clients. With marks in two
 * places, what one client has noted would not be known to another.
 *
 * <p>Each look begins at the door, in a slot that every client finds by itself. When the node gets a slot that becomes
 * the door, its home stays where it is. Then a {@link Sign} at the door names the home. A look is noted in a birth mark
 * only while the sign leads there, and a lock is asked for only after a look that has found it so. A mark at which no
 * client has looked for nearly the longest TTL is not trusted. So a mark that is trusted was noted after all that was
 * granted by clients with another home, if there ever was one: what they begin is in quarantine for the longest TTL.
 *
 * <p>A client that leaves a home which the node still has makes void what stands there: it is kept up by no client from
 * now on, and must not be trusted when clients come back.
 *
 * @param node that the shard is
 * @param slot -1 if it has none
 */
record Home(String node, int slot) {

    /** What a client does that has found a sign at a door. */
    sealed interface Step {

        /** The sign is right. */
        record Stay() implements Step {}

        /**
         * It writes another sign.
         *
         * @param voids whether a birth mark that stands there is void from then on
         */
        record WriteSign(String sign, boolean voids) implements Step {}

        /**
         * It looks elsewhere from now on.
         *
         * @param leaves the hash tag of the home that it leaves, where it makes void what stands there, and writes a
         *     sign; empty if that is done
         */
        record Follow(Home to, String leaves, String sign) implements Step {}
    }

    /** Returns the home of a client that has not looked at the door yet. */
    static Home atTheDoor(String node, BitSet slots) {
        return new Home(node, Slot.homeOf(slots));
    }

    /** Returns the home of a node, as far as is known without a look at its door. */
    Home of(String now, BitSet slots) {
        boolean stays = slot >= 0 && slots.get(slot); // a promoted replica has what stood there
        return stays ? new Home(now, slot) : atTheDoor(now, slots);
    }

    /** Returns the hash tag of the keys that are kept there; empty if there are no slots. */
    String tag() {
        return slot < 0 ? "" : Slot.tag(slot);
    }

    /**
     * Returns what a client does that finds a sign: it follows that. But a second home at the door is ended by a client
     * that has looked at another one until now: the clients that keep it have just started, and what they have begun
     * there is in quarantine.
     *
     * @param door the slot in which the sign stands
     * @param seen what stands there; empty for none
     * @param ids of the node's data
     * @param begins whether this client has no home yet: what it finds there without a sign is void
     * @param isKept whether it has looked at its home until now; else clients may have noted elsewhere what it lacks
     */
    Step next(BitSet slots, int door, String seen, ReplicationIds ids, boolean begins, boolean isKept) {
        ReplicationIds.Owner us = new ReplicationIds.Owner(node, ids.present());
        Optional<Sign> ours = Sign.parse(seen).filter(sign -> sign.writer().isNowOrWasBefore(node, ids));
        int named = ours.map(sign -> sign.leadsTo(door)).orElse(-1);
        String right = Sign.in(door, slot, us).toString();
        if (named == slot) {
            return seen.equals(right) ? new Step.Stay() : new Step.WriteSign(right, false);
        }
        if (named < 0 || !slots.get(named) || named == door && isKept) {
            return new Step.WriteSign(right, slot != door || ours.isPresent() || begins);
        }
        String leaves = slot == door ? "" : tag(); // at the door, what stood there was made void with the sign
        return new Step.Follow(
                new Home(node, named), leaves, Sign.in(slot, named, us).toString());
    }
}
