// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.cluster.ClusterMap;
import org.holdfast.redis.cluster.NodeView;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.cluster.Slot;
import org.holdfast.redis.script.NodeKeys;

/**
 * How the slots of a cluster are divided: those that are moved, each a part by itself, and what is left of the slots of
 * each primary, a part that stays.
 */
final class ClusterParts {

    private final List<BitSet> parts = new ArrayList<>();
    private final List<String> ranges = new ArrayList<>();
    private final List<NodeKeys> homes = new ArrayList<>();
    private final Map<String, Integer> partOfKey = new HashMap<>();
    private final int named;

    /** @param name one of the names, which are all in one slot */
    ClusterParts(World world, String name) {
        int slot = Slot.of(new NodeKeys(SimulatedNode.PREFIX, Optional.empty()).channel(name));
        divide(world, slot);
        this.named = IntStream.range(0, parts.size())
                .filter(part -> parts.get(part).get(slot))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the slots that a primary has in the beginning. */
    static BitSet ofPrimary(int primary) {
        return range(
                Slot.COUNT * primary / SimulatedCluster.PRIMARIES,
                Slot.COUNT * (primary + 1) / SimulatedCluster.PRIMARIES);
    }

    private static BitSet range(int first, int end) {
        BitSet slots = new BitSet();
        slots.set(first, end);
        return slots;
    }

    private void divide(World world, int slot) {
        List<NodeView.Primary> primaries = IntStream.range(0, SimulatedCluster.PRIMARIES)
                .mapToObj(i -> new NodeView.Primary(
                        "primary-" + i, Optional.of(new HostPort("10.0.0.1", 1 + i)), ofPrimary(i), 1, false))
                .toList();
        Set<String> ids = primaries.stream().map(NodeView.Primary::id).collect(Collectors.toSet());
        ClusterMap map =
                new ClusterMap(new SimulatedTime(world, 1, 0, 0), Duration.ofSeconds(9), Duration.ofSeconds(1), 0);
        map.confirm(
                primaries.stream()
                        .map(one -> new NodeView(one.id(), ids, primaries, new BitSet()))
                        .toList(),
                0,
                0);
        for (NodeView.Primary primary : primaries) {
            Shard shard = map.lastShard(primary.slots().nextSetBit(0)).orElseThrow();
            NodeKeys keys = new NodeKeys(SimulatedNode.PREFIX, Optional.of(shard));
            int home = Slot.of(keys.own().mark());
            BitSet rest = (BitSet) primary.slots().clone();
            rest.clear(home);
            rest.clear(slot);
            addPart(rest);
            addPart(range(home, home + 1));
            homes.add(keys);
        }
        if (parts.stream().noneMatch(part -> part.get(slot))) {
            addPart(range(slot, slot + 1));
        }
    }

    private void addPart(BitSet slots) {
        parts.add(slots);
        StringBuilder text = new StringBuilder();
        for (int first = slots.nextSetBit(0); first >= 0; ) {
            int end = slots.nextClearBit(first);
            text.append(' ').append(first).append(end - 1 == first ? "" : "-" + (end - 1));
            first = slots.nextSetBit(end);
        }
        ranges.add(text.toString());
    }

    int count() {
        return parts.size();
    }

    /** Returns which primary has each part in the beginning. */
    int[] owners() {
        return parts.stream().mapToInt(part -> primaryOf(part.nextSetBit(0))).toArray();
    }

    private static int primaryOf(int slot) {
        return IntStream.range(0, SimulatedCluster.PRIMARIES)
                .filter(primary -> ofPrimary(primary).get(slot))
                .findFirst()
                .orElseThrow();
    }

    /** Returns what the keys of a primary are called. */
    NodeKeys home(int primary) {
        return homes.get(primary);
    }

    /** Returns the part that has the slot of a key. */
    int of(String key) {
        return partOfKey.computeIfAbsent(key, any -> {
            int slot = Slot.of(key);
            return IntStream.range(0, parts.size())
                    .filter(part -> parts.get(part).get(slot))
                    .findFirst()
                    .orElseThrow();
        });
    }

    BitSet slots(int part) {
        return parts.get(part);
    }

    String ranges(int part) {
        return ranges.get(part);
    }

    /** Returns the part that has the slot of all names. */
    int named() {
        return named;
    }
}
