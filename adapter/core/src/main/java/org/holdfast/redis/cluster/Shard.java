// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.BitSet;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import org.holdfast.protocol.guard.Terms;
import org.holdfast.redis.address.HostPort;
import org.jspecify.annotations.Nullable;

/**
 * A primary of a cluster, whichever node that is: after a failover it is another one.
 *
 * <p>Safe for use by any number of threads.
 */
public final class Shard {

    /** A slot that is being moved away is uncertain until then; so often that is written down. */
    private static final long MOVING_MICROS = 500_000;

    private final Terms terms;
    private volatile @Nullable HostPort place;
    private volatile BitSet slots = new BitSet();
    private volatile BitSet moving = new BitSet();
    private volatile Home home = new Home("", -1);
    private volatile @Nullable Written written;

    /** Where a shard keeps what it knows of itself: in one of its own slots. */
    private record Home(String node, int slot) {}

    /**
     * What stands on a node.
     *
     * @param home where it was read
     */
    private record Written(Home home, SlotRecord record) {}

    Shard(Terms terms) {
        this.terms = terms;
    }

    /** Returns which node it is, and whether its votes count. */
    public Terms terms() {
        return terms;
    }

    /**
     * Takes what the cluster says of it now.
     *
     * @param node the id of the node
     * @param at where that is
     */
    void see(String node, HostPort at, BitSet owned, BitSet movingAway) {
        place = at;
        slots = owned;
        moving = movingAway;
        Home before = home;
        boolean keeps = before.slot() >= 0 && owned.get(before.slot()); // a promoted replica has what stood there
        Home now = new Home(node, keeps ? before.slot() : homeOf(owned));
        if (!now.equals(before)) {
            home = now;
            written = null;
        }
    }

    /** Returns where the node is. */
    public HostPort place() {
        return Objects.requireNonNull(place, "a shard is known from when it was seen");
    }

    /** Slots are moved in order: so the order here is another one, and a home is seldom moved. */
    private static int homeOf(BitSet owned) {
        return owned.stream()
                .reduce((one, other) -> rank(one) <= rank(other) ? one : other)
                .orElse(-1);
    }

    private static int rank(int slot) {
        return slot * 40_503 % Slot.COUNT; // odd, so each slot has a rank of its own
    }

    /** Returns the hash tag of the keys in which it keeps what it knows of itself; empty if it has no slots. */
    public Optional<String> homeTag() {
        Home known = home;
        return known.slot() < 0 ? Optional.empty() : Optional.of(Slot.tag(known.slot()));
    }

    /**
     * Returns since when it has all that was granted in a slot, in microseconds by its clock; {@link Long#MAX_VALUE} if
     * that is not known.
     */
    public long sinceMicros(int slot) {
        Written known = written;
        return known == null || !known.home().equals(home)
                ? Long.MAX_VALUE
                : known.record().sinceMicros(slot);
    }

    /**
     * What a node shows of its slots.
     *
     * @param text the record that stands there; empty for none
     * @param ids of its data
     * @param nowMicros its clock
     * @param inheritedBeforeMicros see {@link SlotRecord#parse}
     */
    public record Sight(String text, ReplicationIds ids, long nowMicros, long inheritedBeforeMicros) {}

    /**
     * Returns what should stand on the node.
     *
     * @param settlesIn gives in how many nanoseconds no other shard votes on a slot any more, as far as is known
     */
    public Update update(Sight sight, IntToLongFunction settlesIn) {
        Home at = home;
        long nowMicros = sight.nowMicros();
        SlotRecord before = SlotRecord.parse(sight.text(), at.node(), sight.ids(), sight.inheritedBeforeMicros());
        BitSet uncertain = (BitSet) moving.clone();
        uncertain.stream()
                .filter(slot -> nowMicros - before.sinceMicros(slot) < MOVING_MICROS)
                .forEach(uncertain::clear);
        SlotRecord after = before.next(
                slots, uncertain, slot -> nowMicros + TimeUnit.NANOSECONDS.toMicros(settlesIn.applyAsLong(slot)));
        return new Update(at, after);
    }

    /** What should stand on a node, and where. */
    public final class Update {

        private final Home at;
        private final SlotRecord record;

        private Update(Home at, SlotRecord record) {
            this.at = at;
            this.record = record;
        }

        public String text() {
            return record.text();
        }

        /** It stands there by now. */
        public void isWritten() {
            written = new Written(at, record);
        }
    }

    @Override
    public String toString() {
        return place + " (" + terms.current().map(Terms.Term::place).orElse("") + ")";
    }
}
