// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.guard.Terms;
import org.holdfast.protocol.guard.Witnesses;
import org.holdfast.redis.address.HostPort;

/**
 * Which shard of a cluster has each slot, as a majority of its primaries says.
 *
 * <p>Primaries elect the replica that takes the place of a failed one, by a majority of themselves. One that has voted
 * has found the failed one to be so before, and does not name it any more. So a majority that names a node, and one
 * that has elected another, are in an order; {@link Terms} has the rest. Safe for use by any number of threads.
 */
public final class ClusterMap {

    private final Time time;
    private final long countsNanos;
    private final long settlesNanos;
    private final Supplier<Terms> newTerms;
    private Map<String, Shard> byNode = new HashMap<>();
    private volatile NavigableMap<Integer, Segment> segments = new TreeMap<>();

    /**
     * Slots that follow one another, and have the same shard.
     *
     * @param learnedAt since when this client knows that they are there
     * @param confirmedAt when the question was sent that a majority has answered so
     */
    private record Segment(int last, Shard shard, long learnedAt, long confirmedAt) {}

    /** A shard that another node has become. */
    public record Move(Shard shard, Terms.Term term) {}

    /**
     * @param counts so long after a question its answer counts
     * @param round how long after a vote other voters may still vote in the same round
     */
    public ClusterMap(Time time, Duration counts, Duration round, double driftFactor) {
        this.time = time;
        this.countsNanos = counts.minus(round).toNanos();
        this.newTerms = () -> new Terms(time, counts, round, driftFactor);
        this.settlesNanos = newTerms.get().settlesNanos();
    }

    /** Returns how many primaries must say the same. */
    public static int needed(Collection<NodeView> views) {
        return views.stream().mapToInt(view -> view.primaries().size()).max().orElse(0) / 2 + 1;
    }

    /** Returns those that have a voice: primaries that have slots, each once. */
    public static List<NodeView> voices(Collection<NodeView> views) {
        Map<String, NodeView> byId = views.stream()
                .filter(view -> view.own().isPresent())
                .collect(Collectors.toMap(NodeView::node, view -> view, (one, other) -> one));
        return List.copyOf(byId.values());
    }

    /**
     * Takes what nodes have answered.
     *
     * @param askedAt when the first of them was asked
     * @param askedMicros the wall clock at that moment
     * @return shards that another node has become
     */
    public synchronized List<Move> confirm(Collection<NodeView> views, long askedAt, long askedMicros) {
        List<NodeView> voices = voices(views);
        NavigableMap<Integer, String> agreed = agreed(voices, needed(views));
        Map<String, BitSet> owned = owned(agreed);
        List<Move> moves = new ArrayList<>();
        Map<String, Shard> next = new HashMap<>();
        owned.forEach((node, slots) -> {
            Shard shard = shardOf(node, slots, owned, next.values());
            next.put(node, shard);
            boolean begun = shard.terms().confirm(new Witnesses.Agreement(node, 0), askedAt, askedMicros);
            shard.see(node, place(node, voices), slots, moving(node, voices));
            Terms.Term term = shard.terms().current().orElseThrow();
            if (begun && term.number() > 1) {
                moves.add(new Move(shard, term));
            }
        });
        keepUnheard(next);
        byNode = next;
        segments = merged(agreed, next, askedAt);
        return moves;
    }

    /** A shard that no majority names now may be named again. */
    private void keepUnheard(Map<String, Shard> next) {
        byNode.forEach((node, shard) -> {
            boolean used = segments.values().stream().anyMatch(segment -> segment.shard() == shard);
            if (used && !next.containsValue(shard)) {
                next.putIfAbsent(node, shard);
            }
        });
    }

    /**
     * Another node has become a shard if it has slots of that, and the node of before has none any more.
     * It is one node, also where several have such slots.
     */
    private Shard shardOf(String node, BitSet slots, Map<String, BitSet> owned, Collection<Shard> taken) {
        Shard known = byNode.get(node);
        if (known != null) {
            return known;
        }
        for (Map.Entry<String, Shard> before : byNode.entrySet()) {
            boolean isLeft = !owned.containsKey(before.getKey()) && !taken.contains(before.getValue());
            if (isLeft && hadOneOf(slots, before.getValue())) {
                return before.getValue();
            }
        }
        return new Shard(newTerms.get());
    }

    private boolean hadOneOf(BitSet slots, Shard shard) {
        return slots.stream().anyMatch(slot -> segment(slot)
                .filter(segment -> segment.shard() == shard)
                .isPresent());
    }

    /** The node itself knows best where it is. */
    private static HostPort place(String node, List<NodeView> voices) {
        return voices.stream()
                .filter(view -> view.node().equals(node))
                .flatMap(view -> view.own().stream())
                .findFirst()
                .or(() -> voices.stream()
                        .flatMap(view -> view.primaries().stream())
                        .filter(primary -> primary.id().equals(node))
                        .findFirst())
                .map(NodeView.Primary::place)
                .orElseThrow();
    }

    private static BitSet moving(String node, List<NodeView> voices) {
        return voices.stream()
                .filter(view -> view.node().equals(node))
                .map(NodeView::moving)
                .findFirst()
                .orElseGet(BitSet::new);
    }

    /** Returns which node a majority names, by the first slot of each range; empty text for none. */
    private static NavigableMap<Integer, String> agreed(List<NodeView> voices, int needed) {
        Map<Integer, List<String>> begins = new TreeMap<>();
        List<NavigableMap<Integer, String>> said =
                voices.stream().map(ClusterMap::said).toList();
        said.forEach(one -> one.keySet().forEach(first -> begins.put(first, List.of())));
        NavigableMap<Integer, String> agreed = new TreeMap<>(Map.of(0, ""));
        for (int first : begins.keySet()) {
            Map<String, Long> voicesOf = said.stream()
                    .map(one -> one.floorEntry(first).getValue())
                    .filter(statement -> !statement.isEmpty())
                    .collect(Collectors.groupingBy(statement -> statement, Collectors.counting()));
            agreed.put(
                    first,
                    voicesOf.entrySet().stream()
                            .filter(each -> each.getValue() >= needed)
                            .map(each ->
                                    each.getKey().substring(0, each.getKey().indexOf('@')))
                            .findFirst()
                            .orElse(""));
        }
        return agreed;
    }

    private static NavigableMap<Integer, String> said(NodeView view) {
        NavigableMap<Integer, String> said = new TreeMap<>(Map.of(0, ""));
        BitSet named = new BitSet();
        for (NodeView.Primary primary : view.primaries()) {
            if (!primary.failed()) {
                named.or(primary.slots());
                SlotRange.of(primary.slots()).forEach(range -> said.put(range.first(), primary.statement()));
            }
        }
        BitSet unnamed = (BitSet) named.clone();
        unnamed.flip(0, Slot.COUNT);
        SlotRange.of(unnamed).forEach(range -> said.put(range.first(), ""));
        return said;
    }

    private static Map<String, BitSet> owned(NavigableMap<Integer, String> agreed) {
        Map<String, BitSet> owned = new TreeMap<>();
        agreed.forEach((first, node) -> {
            if (!node.isEmpty()) {
                owned.computeIfAbsent(node, key -> new BitSet()).set(first, end(agreed, first));
            }
        });
        return owned;
    }

    private static int end(NavigableMap<Integer, ?> byFirst, int first) {
        Integer next = byFirst.higherKey(first);
        return next == null ? Slot.COUNT : next;
    }

    /** Where there is no majority now, what one has said before counts for as long as it does. */
    private NavigableMap<Integer, Segment> merged(
            NavigableMap<Integer, String> agreed, Map<String, Shard> shards, long askedAt) {
        NavigableMap<Integer, Segment> before = segments;
        TreeMap<Integer, Boolean> begins = new TreeMap<>();
        agreed.keySet().forEach(first -> begins.put(first, true));
        before.forEach((first, segment) -> {
            begins.put(first, true);
            begins.put(Math.min(segment.last() + 1, Slot.COUNT - 1), true);
        });
        NavigableMap<Integer, Segment> merged = new TreeMap<>();
        for (int first : begins.keySet()) {
            int last = end(begins, first) - 1;
            String node = agreed.floorEntry(first).getValue();
            Optional<Segment> known = segment(first);
            if (!node.isEmpty()) {
                Shard shard = Objects.requireNonNull(shards.get(node), "each node that is agreed upon is a shard");
                long learned = known.filter(segment -> segment.shard() == shard)
                        .map(Segment::learnedAt)
                        .orElseGet(time::nanoTime);
                append(merged, first, new Segment(last, shard, learned, askedAt));
            } else if (known.isPresent()) {
                Segment old = known.get();
                append(merged, first, new Segment(last, old.shard(), old.learnedAt(), old.confirmedAt()));
            }
        }
        return merged;
    }

    private static void append(NavigableMap<Integer, Segment> to, int first, Segment segment) {
        Map.Entry<Integer, Segment> before = to.lastEntry();
        boolean continues = before != null
                && before.getValue()
                        .equals(new Segment(first - 1, segment.shard(), segment.learnedAt(), segment.confirmedAt()));
        to.put(continues ? before.getKey() : first, segment);
    }

    private Optional<Segment> segment(int slot) {
        return Optional.ofNullable(segments.floorEntry(slot))
                .map(Map.Entry::getValue)
                .filter(segment -> segment.last() >= slot);
    }

    /** Returns the shard that has a slot, if a majority has said so lately enough for a vote to count. */
    public Optional<Shard> shard(int slot) {
        return segment(slot)
                .filter(segment -> time.nanoTime() - segment.confirmedAt() <= countsNanos)
                .map(Segment::shard);
    }

    /** Returns the shard that had a slot when a majority has said so last. */
    public Optional<Shard> lastShard(int slot) {
        return segment(slot).map(Segment::shard);
    }

    /** Returns in how many nanoseconds no other shard votes on a slot any more; 0 if none does. */
    public long settlesIn(int slot) {
        return segment(slot)
                .map(segment -> Math.max(0, segment.learnedAt() + settlesNanos - time.nanoTime()))
                .orElse(settlesNanos);
    }

    /** Returns the first slot of each range that one shard has. */
    public List<Integer> firsts() {
        return List.copyOf(segments.keySet());
    }
}
