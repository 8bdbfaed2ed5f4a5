// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;

/**
 * Since when a node of a cluster has all that was granted in each of its slots: a key on that node, beside its birth
 * mark. It says what the mark cannot: slots come and go while the process stays the same, and a slot may come without
 * its keys. A slot that was away and is back shows by the epoch of the node: to take it back, that rises above the
 * one of the node that had it meanwhile. So a record of another epoch is trusted only where a client has watched what
 * came.
 *
 * <p>{@code node@data-set epoch first-last:since first-last:since ...}, the moments in microseconds by the clock of the
 * node.
 */
public final class SlotRecord {

    /**
     * Slots that were another node's than now, as a majority has said.
     *
     * @param agoNanos how long ago it was asked when it has said so last
     */
    public record OtherOwner(SlotRange slots, long agoNanos) {}

    /**
     * What a node of a cluster shows of its slots.
     *
     * @param tag the hash tag of the slot in which that was read; empty if it had no slots
     * @param text the record that stands there; empty for none
     * @param ids of its data
     * @param nowMicros its clock
     * @param inheritedBeforeMicros see {@link SlotRecord#parse}
     * @param forgets whether a quarantine of the node began just now
     * @param led whether a sign leads all clients there, as was found at this look
     */
    public record Sight(
            String tag,
            String text,
            ReplicationIds ids,
            long nowMicros,
            long inheritedBeforeMicros,
            boolean forgets,
            boolean led) {}

    private static final int FIRST_ENTRY = 2;
    private static final long NO_EPOCH = -1;

    private final ReplicationIds.Owner owner;
    private final long epoch;

    /** Another node has written it, whose data this one has. */
    private final boolean inherited;

    /** By the first slot of a range. */
    private final NavigableMap<Integer, Entry> entries;

    private record Entry(SlotRange range, long sinceMicros) {}

    private SlotRecord(
            ReplicationIds.Owner owner, long epoch, boolean inherited, NavigableMap<Integer, Entry> entries) {
        this.owner = owner;
        this.epoch = epoch;
        this.inherited = inherited;
        this.entries = entries;
    }

    /** Returns the record of a node on which there is none. */
    public static SlotRecord none(String node, ReplicationIds ids) {
        return new SlotRecord(new ReplicationIds.Owner(node, ids.present()), NO_EPOCH, false, new TreeMap<>());
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
        ReplicationIds.Owner writer = ReplicationIds.Owner.parse(words[0]);
        SlotRecord none = none(node, ids);
        boolean ours = writer.node().equals(node);
        boolean inherited = !ours && inheritedBeforeMicros > 0 && ids.continues(writer.dataSet());
        if (words.length < FIRST_ENTRY || !ours && !inherited) {
            return none;
        }
        try {
            long before = inherited ? inheritedBeforeMicros : Long.MAX_VALUE;
            return new SlotRecord(none.owner, Long.parseLong(words[1]), inherited, entries(words, before));
        } catch (IllegalArgumentException e) {
            return none;
        }
    }

    /** Returns those from before a moment. */
    private static NavigableMap<Integer, Entry> entries(String[] words, long beforeMicros) {
        NavigableMap<Integer, Entry> entries = new TreeMap<>();
        for (int i = FIRST_ENTRY; i < words.length; i++) {
            int colon = words[i].indexOf(':');
            SlotRange range = SlotRange.parse(words[i].substring(0, Math.max(0, colon)));
            long since = Long.parseLong(words[i].substring(colon + 1));
            if (since < beforeMicros) {
                entries.put(range.first(), new Entry(range, since));
            }
        }
        return entries;
    }

    /** Returns it without moments that a right clock has not shown yet: they were written while it was ahead. */
    SlotRecord until(long latestMicros) {
        NavigableMap<Integer, Entry> right = new TreeMap<>(entries);
        right.values().removeIf(entry -> entry.sinceMicros() > latestMicros);
        return new SlotRecord(owner, epoch, inherited, right);
    }

    /** Returns whether there is none of this node. */
    boolean isNone() {
        return epoch == NO_EPOCH;
    }

    /** Returns whether it is that of the node whose data this one continues. */
    boolean isInherited() {
        return inherited;
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
     * Returns the slots that the node has had all the time, as the record says, while a majority of its cluster has
     * named another node.
     */
    BitSet contradicted(List<OtherOwner> others, long nowMicros) {
        BitSet contradicted = new BitSet();
        for (OtherOwner other : others) {
            long named = nowMicros - TimeUnit.NANOSECONDS.toMicros(other.agoNanos());
            entries.values().stream()
                    .filter(entry -> entry.sinceMicros() < named)
                    .flatMap(entry -> entry.range().intersection(other.slots()).stream())
                    .forEach(both -> contradicted.set(both.first(), both.last() + 1));
        }
        return contradicted;
    }

    /**
     * Returns what the record should say by now.
     *
     * @param nowEpoch the epoch that the node has by now
     * @param owned the slots that the node has
     * @param uncertain those of them whose keys may have gone meanwhile
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
        return new SlotRecord(owner, nowEpoch, false, next);
    }

    private long since(int slot, BitSet uncertain, IntToLongFunction fresh) {
        long known = sinceMicros(slot);
        if (known == Long.MAX_VALUE) {
            return fresh.applyAsLong(slot);
        }
        return uncertain.get(slot) ? Math.max(known, fresh.applyAsLong(slot)) : known;
    }

    /** Returns what stands on the node. */
    public String text() {
        StringBuilder text = new StringBuilder(owner.toString()).append(' ').append(epoch);
        for (Entry entry : entries.values()) {
            text.append(' ').append(entry.range()).append(':').append(entry.sinceMicros());
        }
        return text.toString();
    }
}
