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
 * its keys. A slot that was away and is back shows by the epoch of the node: to take a slot, that rises above all
 * others. So a record of another epoch is trusted only where a client has watched what came.
 *
 * <p>{@code node epoch first-last:since first-last:since ...}, the moments in microseconds by the clock of the node.
 */
public final class SlotRecord {

    private static final int FIRST_ENTRY = 2;
    private static final long NO_EPOCH = -1;

    private final String node;
    private final long epoch;

    /** By the first slot of a range. */
    private final NavigableMap<Integer, Entry> entries;

    private record Entry(SlotRange range, long sinceMicros) {}

    private SlotRecord(String node, long epoch, NavigableMap<Integer, Entry> entries) {
        this.node = node;
        this.epoch = epoch;
        this.entries = entries;
    }

    /** Returns the record of a node on which there is none. */
    public static SlotRecord none(String node) {
        return new SlotRecord(node, NO_EPOCH, new TreeMap<>());
    }

    /** Understands what stands on a node; what is not the record of this node is none. */
    public static SlotRecord parse(String text, String node) {
        String[] words = text.split(" ", -1);
        NavigableMap<Integer, Entry> entries = new TreeMap<>();
        if (!words[0].equals(node) || words.length < FIRST_ENTRY) {
            return none(node);
        }
        long epoch;
        try {
            epoch = Long.parseLong(words[1]);
            for (int i = FIRST_ENTRY; i < words.length; i++) {
                int colon = words[i].indexOf(':');
                SlotRange range = SlotRange.parse(words[i].substring(0, Math.max(0, colon)));
                entries.put(range.first(), new Entry(range, Long.parseLong(words[i].substring(colon + 1))));
            }
        } catch (IllegalArgumentException e) {
            return none(node);
        }
        return new SlotRecord(node, epoch, entries);
    }

    /** Returns whether there is none of this node. */
    boolean isNone() {
        return epoch == NO_EPOCH;
    }

    /** Returns the epoch that the node had. */
    long epoch() {
        return epoch;
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
     * @param nowEpoch the epoch that the node has by now
     * @param owned the slots that the node has
     * @param uncertain those of them that have just come, or are being moved away
     * @param fresh gives since when the node has what was granted in a slot that is uncertain, or has no entry yet
     */
    public SlotRecord next(long nowEpoch, BitSet owned, BitSet uncertain, IntToLongFunction fresh) {
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
        return new SlotRecord(node, nowEpoch, next);
    }

    private long since(int slot, BitSet uncertain, IntToLongFunction fresh) {
        long known = sinceMicros(slot);
        return uncertain.get(slot) || known == Long.MAX_VALUE ? fresh.applyAsLong(slot) : known;
    }

    /** Returns what stands on the node. */
    public String text() {
        StringBuilder text = new StringBuilder(node).append(' ').append(epoch);
        for (Entry entry : entries.values()) {
            text.append(' ').append(entry.range()).append(':').append(entry.sinceMicros());
        }
        return text.toString();
    }
}
