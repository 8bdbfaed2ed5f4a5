// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What stands in the slots of a node, and clients that look there. */
abstract class ShardWithHome extends ShardOnNode {

    static final ReplicationIds DATA = new ReplicationIds("d1", "");

    /** The slots of the node at first; the one that comes is {@link #door}. */
    final BitSet fewer = new BitSet();

    final BitSet all = new BitSet();
    int door;
    int home;

    final Node node = new Node();

    /** What stands on the node. */
    final class Node implements HomeSearch.Doors {

        final Map<String, String> signs = new HashMap<>();
        final Map<String, String> marks = new HashMap<>();
        final Set<String> moving = new HashSet<>();
        ReplicationIds ids = DATA;
        boolean changesBeforeEachWrite;
        int searches;

        @Override
        public Optional<String> sign(String tag) {
            return moving.contains(tag) ? Optional.empty() : Optional.of(signs.getOrDefault(tag, ""));
        }

        @Override
        public List<Optional<String>> signs(List<String> tags) {
            searches++;
            return tags.stream().map(this::sign).toList();
        }

        @Override
        public ReplicationIds ids() {
            return ids;
        }

        @Override
        public RuntimeException unreadable(String tag) {
            return new IllegalStateException(tag);
        }

        @Override
        public boolean write(String tag, String seen, String sign, boolean voids) {
            if (changesBeforeEachWrite || !signs.getOrDefault(tag, "").equals(seen)) {
                return false;
            }
            signs.put(tag, sign);
            if (voids) {
                marks.remove(tag);
            }
            return true;
        }

        String of(int slot) {
            return signs.getOrDefault(Slot.tag(slot), "");
        }
    }

    ShardWithHome() {
        all.set(100, 200);
        door = Slot.homeOf(all);
        fewer.or(all);
        fewer.clear(door);
        home = Slot.homeOf(fewer);
    }

    Optional<HomeSearch.Lead> search(Shard shard) {
        return new HomeSearch(shard, node).search();
    }

    /** A client that has looked before the slot came. */
    Shard early() {
        Shard shard = shard();
        see(shard, 1, fewer, fewer);
        look(shard);
        node.marks.put(Slot.tag(home), "kept");
        see(shard, 5, all, all);
        return shard;
    }

    /** As a look does that has found no sign. */
    void keepRecord(Shard shard) {
        super.look(shard);
    }

    @Override
    void look(Shard shard) {
        Optional<HomeSearch.Lead> lead = search(shard);
        assertThat(lead).isPresent();
        super.look(shard);
        shard.isLedBy(lead, time.nanoTime());
        assertThat(shard.isHomeShared()).isTrue();
    }

    static int homeOf(Shard shard) {
        return Slot.of(shard.homeTag().orElseThrow());
    }

    static String sign(String what) {
        return what + " a@d1";
    }

    BitSet without(int... gone) {
        BitSet slots = (BitSet) all.clone();
        for (int slot : gone) {
            slots.clear(slot);
        }
        return slots;
    }

    /** Others may have changed it meanwhile, and look elsewhere. */
}
