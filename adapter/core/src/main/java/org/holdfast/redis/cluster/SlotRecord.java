// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.BitSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;

/**
 * Since when a node of a cluster has all that was granted in each of its slots: a key on that node, beside its birth
 * mark. It says what the mark cannot: slots come and go while the process stays the same, and a slot may come without
 * its keys.
 *
 * <p>{@code node@data-set first-last:since first-last:since ...}, the moments in microseconds by the clock of the node.
 */
public final class SlotRecord {

    /** The node, and which data set it has: see {@link ReplicationIds}. */
    private final Owner owner;

    /** By the first slot of a range. */
    private final NavigableMap<Integer, Entry> entries;

    private record Entry(SlotRange range, long sinceMicros) {}

    private record Owner(String node, String dataSet) {

        static Owner parse(String text) {
            int at = text.lastIndexOf('@');
            return at < 0 ? new Owner(text, "") : new Owner(text.substring(0, at), text.substring(at + 1));
        }

        @Override
        public String toString() {
            return dataSet.isEmpty() ? node : node + "@" + dataSet;
        }
    }

    private SlotRecord(Owner owner, NavigableMap<Integer, Entry> entries) {
        this.owner = owner;
        this.entries = entries;
    }

    /** Returns the record of a node on which there is none. */
    public static SlotRecord none(String node, ReplicationIds ids) {
        return new SlotRecord(new Owner(node, ids.present()), new TreeMap<>());
    }

    /**
     * Understands what stands on a node. The record of another node is none, unless this one continues its data set and
     * has all that was acknowledged there: then slots count that the other had for long enough.
     *
     * @param inheritedBeforeMicros what another node had before this moment, by the clock of this one, it had for long
     *     enough by any clock; 0 if nothing is inherited
     */
    public static SlotRecord parse(String text, String node, ReplicationIds ids, long inheritedBeforeMicros) {
        String[] words = text.split(" ", -1);
        Owner writer = Owner.parse(words[0]);
        SlotRecord none = none(node, ids);
        if (writer.node().equals(node)) {
            return new SlotRecord(none.owner, entries(words, Long.MAX_VALUE));
        }
        return ids.continues(writer.dataSet())
                ? new SlotRecord(none.owner, entries(words, inheritedBeforeMicros))
                : none;
    }

    /** Returns those from before a moment; none if anything cannot be understood. */
    private static NavigableMap<Integer, Entry> entries(String[] words, long beforeMicros) {
        NavigableMap<Integer, Entry> entries = new TreeMap<>();
        try {
            for (int i = 1; i < words.length; i++) {
                int colon = words[i].indexOf(':');
                SlotRange range = SlotRange.parse(words[i].substring(0, Math.max(0, colon)));
                long since = Long.parseLong(words[i].substring(colon + 1));
                if (since < beforeMicros) {
                    entries.put(range.first(), new Entry(range, since));
                }
            }
        } catch (IllegalArgumentException e) {
            return new TreeMap<>();
        }
        return entries;
    }

    /** Returns since when the node has all that was granted in a slot; {@link Long#MAX_VALUE} if that is not known. */
    public long sinceMicros(int slot) {
        Map.Entry<Integer, Entry> entry = entries.floorEntry(slot);
        return entry == null || entry.getValue().range().last() < slot
                ? Long.MAX_VALUE
                : entry.getValue().sinceMicros();
    }

    /**
     * Returns what the record should say by now.
     *
     * @param owned the slots that the node has
     * @param uncertain those of them that have just come, or are being moved away
     * @param fresh gives since when the node has what was granted in a slot that is uncertain, or has no entry yet
     */
    public SlotRecord next(BitSet owned, BitSet uncertain, IntToLongFunction fresh) {
        NavigableMap<Integer, Entry> next = new TreeMap<>();
        int first = owned.nextSetBit(0);
        while (first >= 0) {
            long since = since(first, uncertain, fresh);
            int last = first;
            while (owned.get(last + 1) && since(last + 1, uncertain, fresh) == since) {
                last++;
            }
            next.put(first, new Entry(new SlotRange(first, last), since));
            first = owned.nextSetBit(last + 1);
        }
        return new SlotRecord(owner, next);
    }

    private long since(int slot, BitSet uncertain, IntToLongFunction fresh) {
        long known = sinceMicros(slot);
        return uncertain.get(slot) || known == Long.MAX_VALUE ? fresh.applyAsLong(slot) : known;
    }

    /** Returns what stands on the node. */
    public String text() {
        StringBuilder text = new StringBuilder(owner.toString());
        for (Entry entry : entries.values()) {
            text.append(' ').append(entry.range()).append(':').append(entry.sinceMicros());
        }
        return text.toString();
    }
}
