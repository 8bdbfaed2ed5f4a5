// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.term.Terms;
import org.holdfast.redis.address.HostPort;

/** The shards of clients that look at one node of a cluster, and what stands on that node. */
abstract class ShardOnNode {

    static final HostPort PLACE = new HostPort("10.0.0.1", 7_000);
    static final long MICROS = 1_000_000;

    final VirtualTime time = new VirtualTime();
    final long start = time.nanoTime();

    /** What stands on the node. */
    String text = "";

    /** Since when a majority is asked without a gap. */
    long watchedSince = start;

    /** Whether a sign leads to the home. */
    boolean led = true;

    /** How many nanoseconds ago the slots were another node's. */
    long sinceOther = Long.MAX_VALUE;

    Shard shard() {
        return new Shard(
                new Terms(time, Duration.ofSeconds(7), Duration.ofSeconds(2), 0.01), time, Duration.ofSeconds(2));
    }

    void see(Shard shard, long epoch, int lastSlot) {
        BitSet slots = new BitSet();
        slots.set(0, lastSlot + 1);
        see(shard, epoch, slots, slots);
    }

    void see(Shard shard, long epoch, BitSet assigned, BitSet own) {
        see(shard, epoch, assigned, own, new BitSet());
    }

    void see(Shard shard, long epoch, BitSet assigned, BitSet own, BitSet moving) {
        see(shard, "a", epoch, assigned, own, moving);
    }

    void see(Shard shard, String node, long epoch, BitSet slots) {
        see(shard, node, epoch, slots, slots, new BitSet());
    }

    private void see(Shard shard, String node, long epoch, BitSet assigned, BitSet own, BitSet moving) {
        NodeView.Primary primary = new NodeView.Primary(node, Optional.of(PLACE), own, epoch, false);
        NodeView view = new NodeView(node, Set.of(node), List.of(primary), moving);
        shard.see(
                new NodeView.Owner(node, epoch),
                PLACE,
                new Seen.Word(node, assigned, Optional.of(view), new BitSet()),
                time.nanoTime(),
                watchedSince);
    }

    void look(Shard shard) {
        look(shard, false);
    }

    void look(Shard shard, boolean forgets) {
        Shard.Update update = updateOf(shard, forgets);
        text = update.text();
        update.isWritten();
    }

    Shard.Update updateOf(Shard shard, boolean forgets) {
        String tag = shard.homeTag().orElseThrow();
        SlotRecord.Sight sight = new SlotRecord.Sight(tag, text, ReplicationIds.UNKNOWN, nowMicros(), 0, forgets, led);
        return shard.update(sight, slot -> 0, others()).orElseThrow();
    }

    List<SlotRecord.OtherOwner> others() {
        return sinceOther == Long.MAX_VALUE
                ? List.of()
                : List.of(new SlotRecord.OtherOwner(new SlotRange(0, 9), sinceOther));
    }

    long nowMicros() {
        return (time.nanoTime() - start) / 1_000 + MICROS;
    }

    void pass(long millis) {
        time.pass(Duration.ofMillis(millis).toNanos());
    }
}
