// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.holdfast.redis.cluster.NodeView.Owner;

/** Which node has each slot, as a majority of those says that were asked at about the same time. */
final class Assignment {

    private static final Owner NONE = new Owner("", 0);

    private final Collection<NodeView> views;
    private final List<NodeView> voices;
    private final int primaries;

    /** By the first slot of each range. */
    private final NavigableMap<Integer, Owner> owners;

    private Assignment(Collection<NodeView> views, List<NodeView> voices, int primaries) {
        this.views = views;
        this.voices = voices;
        this.primaries = primaries;
        this.owners = agreed(voices, primaries / 2 + 1);
    }

    /** Counts what nodes have answered. Those of two clusters agree on nothing. */
    static Assignment of(Collection<NodeView> views) {
        List<NodeView> voices = strangers(views).isPresent() ? List.of() : voices(views);
        return new Assignment(views, voices, primaries(views));
    }

    /** Returns how many primaries there are, as far as any node knows. */
    static int primaries(Collection<NodeView> views) {
        return views.stream().mapToInt(NodeView::countPrimaries).max().orElse(0);
    }

    /** Returns those that have a voice: primaries that have slots, each once. */
    static List<NodeView> voices(Collection<NodeView> views) {
        Map<String, NodeView> byId = views.stream()
                .filter(view -> view.own().isPresent())
                .collect(Collectors.toMap(NodeView::node, view -> view, (one, other) -> one));
        return List.copyOf(byId.values());
    }

    /**
     * Returns two voices of which neither knows the other. Each cluster has a majority of its own: clients that reach
     * one cluster each would not exclude each other.
     */
    static Optional<List<String>> strangers(Collection<NodeView> views) {
        List<NodeView> voices = voices(views);
        for (NodeView one : voices) {
            for (NodeView other : voices) {
                if (!one.members().contains(other.node()) && !other.members().contains(one.node())) {
                    return Optional.of(List.of(one.node(), other.node()));
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Leaves out what a primary has answered that most of those which it knows were told to forget, unheard by it:
     * it would name itself for ever, and knows no primary that has come since.
     */
    static List<NodeView> withoutForgotten(List<NodeView> views) {
        List<NodeView> voices = voices(views);
        return views.stream().filter(view -> !isForgotten(view, voices)).toList();
    }

    private static boolean isForgotten(NodeView view, List<NodeView> voices) {
        List<NodeView> known = voices.stream()
                .filter(one -> !one.node().equals(view.node()) && view.members().contains(one.node()))
                .toList();
        long naming = known.stream()
                .filter(one -> one.members().contains(view.node()))
                .count();
        return view.own().isPresent() && 2 * naming < known.size();
    }

    List<NodeView> voices() {
        return voices;
    }

    /** Returns what a node has answered, if it has a voice. */
    Optional<NodeView> voice(String node) {
        return voices.stream().filter(view -> view.node().equals(node)).findFirst();
    }

    /** Returns the ids of all primaries that any node knows, failed ones too. */
    Set<String> primaryIds() {
        return views.stream()
                .flatMap(NodeView::allPrimaries)
                .map(NodeView.Primary::id)
                .collect(Collectors.toSet());
    }

    /** Returns the ids of the nodes that have answered. */
    Set<String> heard() {
        return views.stream().map(NodeView::node).collect(Collectors.toSet());
    }

    /**
     * Returns the slots of a node that others say are being moved to them: from the node, or from another one in whose
     * place it is. A replica up to Redis 8 does not know what its primary was moving when that failed. While the node
     * answers, it knows best what it moves away itself. Those that have no slots yet, and so no voice, are heard too.
     *
     * @param owned the slots that the node has
     */
    BitSet coming(String node, BitSet owned) {
        boolean silent = views.stream().noneMatch(view -> view.node().equals(node));
        BitSet coming = new BitSet();
        views.forEach(view -> coming.or(view.comingFromOthersThan(silent ? "" : node)));
        coming.and(owned);
        return coming;
    }

    /** Returns the first slot of each range of slots that one node has, or none. */
    Collection<Integer> firsts() {
        return owners.keySet();
    }

    /** Returns the node that has a slot; empty text if a majority names none. */
    String node(int slot) {
        return owners.floorEntry(slot).getValue().node();
    }

    /** Returns all slots of each node that has some. */
    Map<Owner, BitSet> slots() {
        Map<Owner, BitSet> slots = new HashMap<>();
        owners.forEach((first, owner) -> {
            if (!owner.equals(NONE)) {
                slots.computeIfAbsent(owner, key -> new BitSet()).set(first, end(owners, first));
            }
        });
        return slots;
    }

    /**
     * Returns whether so many others name a node that each majority which includes the node before it has lost one of
     * them. The node itself has become a voice by what it says: with its own voice, it and the node before it might
     * each have a majority. A cluster of one primary has no others.
     */
    boolean isWitnessed(Owner owner) {
        long others = voices.stream()
                .filter(view -> !view.node().equals(owner.node()))
                .filter(view -> view.primaries().stream()
                        .anyMatch(one -> one.isNamed() && one.owner().equals(owner)))
                .count();
        return others >= witnesses();
    }

    /**
     * Returns how many others that must be: as many as elect a replica. Those that the node before it knows may be one
     * less, if a primary has got its first slots meanwhile. Of two, the other one.
     */
    int witnesses() {
        return primaries <= 2 ? primaries - 1 : primaries / 2 + 1;
    }

    /** Two majorities at a time, of a node and of one in its place, are none. */
    private static NavigableMap<Integer, Owner> agreed(List<NodeView> voices, int needed) {
        List<NavigableMap<Integer, Owner>> said =
                voices.stream().map(Assignment::said).toList();
        NavigableMap<Integer, Owner> agreed = new TreeMap<>(Map.of(0, NONE));
        said.forEach(one -> one.keySet().forEach(first -> agreed.put(first, NONE)));
        agreed.replaceAll((first, none) -> {
            List<Owner> chosen = said.stream()
                    .map(one -> one.floorEntry(first).getValue())
                    .filter(owner -> !owner.equals(NONE))
                    .collect(Collectors.groupingBy(owner -> owner, Collectors.counting()))
                    .entrySet()
                    .stream()
                    .filter(each -> each.getValue() >= needed)
                    .map(Map.Entry::getKey)
                    .toList();
            return chosen.size() == 1 ? chosen.get(0) : NONE;
        });
        return agreed;
    }

    private static NavigableMap<Integer, Owner> said(NodeView view) {
        NavigableMap<Integer, Owner> said = new TreeMap<>(Map.of(0, NONE));
        BitSet unnamed = new BitSet();
        unnamed.set(0, Slot.COUNT);
        for (NodeView.Primary primary : view.primaries()) {
            if (primary.isNamed()) {
                unnamed.andNot(primary.slots());
                SlotRange.of(primary.slots()).forEach(range -> said.put(range.first(), primary.owner()));
            }
        }
        SlotRange.of(unnamed).forEach(range -> said.put(range.first(), NONE));
        return said;
    }

    /** Returns the slot after the last one of a range. */
    static int end(NavigableMap<Integer, ?> byFirst, int first) {
        Integer next = byFirst.higherKey(first);
        return next == null ? Slot.COUNT : next;
    }
}
