// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.Optional;

/**
 * What stands at a door: in which of its slots a node keeps what it knows of itself, see {@link Home}.
 *
 * <p>{@code tag node@data-set}, where the tag may be {@code here}. While a slot is being moved, no node of Redis says
 * that a key is missing there: it sends the client to the next node. So a sign stands there too where the door is the
 * home. It may come to another node, together with its slot: there it leads to none.
 *
 * @param tag the hash tag of the slot, or {@link #HERE}
 */
record Sign(String tag, ReplicationIds.Owner writer) {

    private static final String HERE = "here";

    /** Returns the sign that stands in a slot and leads to another one, or to that. */
    static Sign in(int slot, int home, ReplicationIds.Owner writer) {
        return new Sign(slot == home ? HERE : Slot.tag(home), writer);
    }

    /** Understands what stands there; empty if it is no sign. */
    static Optional<Sign> parse(String text) {
        String[] words = text.split(" ", -1);
        return words.length == 2
                ? Optional.of(new Sign(words[0], ReplicationIds.Owner.parse(words[1])))
                : Optional.empty();
    }

    /** Returns to which slot it leads if it stands in this one; -1 if to none. */
    int leadsTo(int slot) {
        int named = tag.equals(HERE) ? slot : Slot.of(tag);
        return tag.equals(HERE) || Slot.tag(named).equals(tag) ? named : -1;
    }

    @Override
    public String toString() {
        return tag + " " + writer;
    }
}
