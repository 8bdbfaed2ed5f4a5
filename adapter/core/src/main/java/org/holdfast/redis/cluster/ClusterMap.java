// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.term.Terms;
import org.holdfast.protocol.term.WitnessGroup;
import org.holdfast.protocol.term.Witnesses;
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
    private final Duration round;
    private final long countsNanos;
    private final long settlesNanos;
    private final PrimaryWatch primaries;
    private final WitnessGroup group = new WitnessGroup();
    private final Supplier<Terms> newTerms;
    private Map<String, Shard> byNode = new HashMap<>();
    private volatile NavigableMap<Integer, Segment> segments = new TreeMap<>();

    /** Since when a majority was heard without a gap; and when it was asked last. */
    private long watchedSince;

    private OptionalLong watchedAt = OptionalLong.empty();

    /**
     * Slots that follow one another, and have the same shard.
     *
     * @param node that the shard is
     * @param learnedAt since when this client knows that they are there
     * @param confirmedAt when the question was sent that a majority has answered so
     * @param otherAt when the last question was sent that a majority has answered with another node; empty if none was
     */
    private record Segment(int last, Shard shard, String node, long learnedAt, long confirmedAt, OptionalLong otherAt) {

        Segment until(int end) {
            return new Segment(end, shard, node, learnedAt, confirmedAt, otherAt);
        }
    }

    /** A shard that another node has become. */
    public record Move(Shard shard, Terms.Term term) {}

    /**
     * @param counts so long after a question its answer counts
     * @param round how long after a vote other voters may still vote in the same round
     */
    public ClusterMap(Time time, Duration counts, Duration round, double driftFactor) {
        this.time = time;
        this.round = round;
        this.primaries = new PrimaryWatch(round.toNanos());
        this.countsNanos = counts.minus(round).toNanos();
        this.newTerms = () -> new Terms(time, counts, round, driftFactor);
        this.settlesNanos = newTerms.get().settlesNanos();
    }

    /** Returns how many primaries must say the same. */
    public static int needed(Collection<NodeView> views) {
        return Assignment.primaries(views) / 2 + 1;
    }

    /** Returns whether as many primaries have answered as must say the same. */
    public static boolean isHeard(Collection<NodeView> views) {
        return Assignment.voices(views).size() >= needed(views);
    }

    /** Returns whether a majority was heard; before that, all are to be heard: they may be of different clusters. */
    public boolean isKnown() {
        return group.isKnown();
    }

    /** Returns the answers that count: of nodes that belong to the cluster, or to any before one is used. */
    public List<NodeView> own(List<NodeView> views) {
        return Assignment.withoutForgotten(kin(views));
    }

    private List<NodeView> kin(List<NodeView> views) {
        return group.own(views, NodeView::members);
    }

    /** Returns those answers that are worth nothing, as other clusters have given them, or different ones. */
    public List<NodeView> worthless(List<NodeView> views) {
        List<NodeView> own = own(views);
        return Assignment.strangers(own).isPresent()
                ? views
                : views.stream().filter(view -> !own.contains(view)).toList();
    }

    /** Returns why some answers are worth nothing; empty if all are worth something. */
    public Optional<String> fault(List<NodeView> views) {
        List<NodeView> kin = kin(views);
        Optional<String> stranger =
                views.stream().filter(view -> !kin.contains(view)).findFirst().map(this::explainStranger);
        return stranger.or(() -> Assignment.strangers(own(views))
                .map(two -> "nodes " + two.get(0) + " and " + two.get(1)
                        + " do not know each other: they belong to different clusters, of which the address must name"
                        + " one"));
    }

    private String explainStranger(NodeView stranger) {
        return "node " + stranger.node() + " answers where this cluster was, and knows none of its nodes (" + group
                + "): it belongs to another cluster, which is not used. Have the hosts lead to the former cluster. If all"
                + " its nodes were replaced meanwhile, start this client again, once no client reaches a former one";
    }

    /**
     * Takes what nodes have answered. What nodes of another cluster have answered counts for nothing.
     *
     * @param askedAt when the first of them was asked
     * @param askedMicros the wall clock at that moment
     * @return shards that another node has become
     */
    public synchronized List<Move> confirm(List<NodeView> views, long askedAt, long askedMicros) {
        Assignment assignment = Assignment.of(own(views));
        primaries.see(assignment.primaryIds(), assignment.heard(), askedAt);
        Map<NodeView.Owner, BitSet> slots = assignment.slots();
        Set<String> owners = slots.keySet().stream().map(NodeView.Owner::node).collect(Collectors.toSet());
        if (!slots.isEmpty()) {
            boolean continues = watchedAt.isPresent() && askedAt - watchedAt.getAsLong() <= round.toNanos();
            watchedSince = continues ? watchedSince : askedAt;
            watchedAt = OptionalLong.of(askedAt);
            group.agreed(assignment.voices().stream().flatMap(view -> view.members().stream()));
        }
        List<Move> moves = new ArrayList<>();
        Map<String, Shard> next = new HashMap<>();
        Set<Shard> watched = new HashSet<>();
        slots.forEach((owner, owned) -> {
            String node = owner.node();
            Shard shard = shardOf(node, owned, owners, next.values());
            next.put(node, shard);
            if (isWatched(shard)) {
                watched.add(shard);
            }
            boolean begun = shard.terms().confirm(new Witnesses.Agreement(node, 0), askedAt, askedMicros);
            Seen.Word said = new Seen.Word(node, owned, assignment.voice(node), assignment.coming(node, owned));
            shard.see(owner, place(node, assignment), said, askedAt, watchedSince);
            shard.closeBefore(primaries);
            shard.firstUse().witnessed(assignment.isWitnessed(owner), assignment.witnesses(), watched.contains(shard));
            Terms.Term term = shard.terms().current().orElseThrow();
            if (begun && term.number() > 1) {
                moves.add(new Move(shard, term));
            }
        });
        keepUnheard(next, assignment, askedAt);
        byNode = next;
        segments = merged(assignment, next, watched, askedAt);
        return moves;
    }

    /**
     * Returns whether this client has heard of a shard so lately that no other node can have been in its place
     * meanwhile, and have votes that count by now. After a longer time what is said of it is heard as for the first
     * time.
     */
    private boolean isWatched(Shard shard) {
        return shard.terms().age().filter(age -> age.compareTo(round) <= 0).isPresent();
    }

    /** A shard that no majority names now may be named again. */
    private void keepUnheard(Map<String, Shard> next, Assignment assignment, long askedAt) {
        byNode.forEach((node, shard) -> {
            boolean used = segments.values().stream().anyMatch(segment -> segment.shard() == shard);
            if (used && !next.containsValue(shard)) {
                next.putIfAbsent(node, shard);
                shard.hearOthers(assignment, askedAt);
            }
        });
    }

    /**
     * Another node has become a shard if it has slots of that, and the node of before has none any more.
     * It is one node, also where several have such slots.
     */
    private Shard shardOf(String node, BitSet slots, Set<String> owners, Collection<Shard> taken) {
        Shard known = byNode.get(node);
        if (known != null) {
            return known;
        }
        for (Map.Entry<String, Shard> before : byNode.entrySet()) {
            boolean isLeft = !owners.contains(before.getKey()) && !taken.contains(before.getValue());
            if (isLeft && hadOneOf(slots, before.getValue())) {
                return before.getValue();
            }
        }
        return new Shard(newTerms.get(), time, round);
    }

    private boolean hadOneOf(BitSet slots, Shard shard) {
        return slots.stream().anyMatch(slot -> segment(slot)
                .filter(segment -> segment.shard() == shard)
                .isPresent());
    }

    /** The node itself knows best where it is. */
    private static HostPort place(String node, Assignment assignment) {
        return assignment
                .voice(node)
                .flatMap(NodeView::own)
                .or(() -> assignment.voices().stream()
                        .flatMap(view -> view.primaries().stream())
                        .filter(primary -> primary.id().equals(node) && primary.isNamed())
                        .findFirst())
                .flatMap(NodeView.Primary::place)
                .orElseThrow();
    }

    /** Where there is no majority now, what one has said before counts for as long as it does. */
    private NavigableMap<Integer, Segment> merged(
            Assignment assignment, Map<String, Shard> shards, Set<Shard> watched, long askedAt) {
        NavigableMap<Integer, Segment> before = segments;
        long now = time.nanoTime();
        TreeMap<Integer, Boolean> begins = new TreeMap<>();
        assignment.firsts().forEach(first -> begins.put(first, true));
        before.forEach((first, segment) -> {
            begins.put(first, true);
            begins.put(Math.min(segment.last() + 1, Slot.COUNT - 1), true);
        });
        NavigableMap<Integer, Segment> merged = new TreeMap<>();
        for (int first : begins.keySet()) {
            int last = Assignment.end(begins, first) - 1;
            String node = assignment.node(first);
            Optional<Segment> known = segment(first);
            if (!node.isEmpty()) {
                Shard shard = Objects.requireNonNull(shards.get(node), "each node that is agreed upon is a shard");
                long learned = known.filter(segment -> segment.shard() == shard && watched.contains(shard))
                        .filter(segment -> now - segment.confirmedAt() <= round.toNanos())
                        .map(Segment::learnedAt)
                        .orElse(now);
                OptionalLong other =
                        known.map(segment -> otherAt(segment, node)).orElse(OptionalLong.empty());
                append(merged, first, new Segment(last, shard, node, learned, askedAt, other));
            } else if (known.isPresent()) {
                append(merged, first, known.get().until(last));
            }
        }
        return merged;
    }

    private static OptionalLong otherAt(Segment known, String node) {
        return known.node().equals(node) ? known.otherAt() : OptionalLong.of(known.confirmedAt());
    }

    private static void append(NavigableMap<Integer, Segment> to, int first, Segment segment) {
        Map.Entry<Integer, Segment> before = to.lastEntry();
        boolean continues = before != null && before.getValue().equals(segment.until(first - 1));
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

    /** Returns the slots for which a majority has named another node than now, as far as this client has heard. */
    public List<SlotRecord.OtherOwner> otherOwners() {
        long now = time.nanoTime();
        List<SlotRecord.OtherOwner> others = new ArrayList<>();
        segments.forEach((first, segment) -> segment.otherAt()
                .ifPresent(
                        at -> others.add(new SlotRecord.OtherOwner(new SlotRange(first, segment.last()), now - at))));
        return others;
    }

    /** Returns the first slot of each range that one shard has. */
    public List<Integer> firsts() {
        return List.copyOf(segments.keySet());
    }

    /**
     * Returns whether some slots have no node, as far as is known: since this client has begun, or a majority names
     * none for so long that no vote counts. Not before a majority was heard.
     */
    public boolean hasSlotsOfNoNode() {
        int next = 0;
        for (Map.Entry<Integer, Segment> segment : segments.entrySet()) {
            if (segment.getKey() > next || shard(segment.getKey()).isEmpty()) {
                return true;
            }
            next = segment.getValue().last() + 1;
        }
        return next > 0 && next < Slot.COUNT;
    }
}
