// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.holdfast.redis.address.HostPort;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as one of its nodes sees it: what it answers to {@code CLUSTER NODES}.
 *
 * @param node the id of the node that answered
 * @param members the ids of all nodes that it knows, its own included
 * @param primaries all primaries that have slots, as far as it knows, itself included if it is one
 * @param empty all primaries that have none: they have no voice, and slots may be moved to them
 * @param moving the slots that are being moved away from the node that answered
 * @param coming the slots that are being moved to it, each with the id of the node from which they come
 */
public record NodeView(
        String node,
        Set<String> members,
        List<Primary> primaries,
        List<Primary> empty,
        BitSet moving,
        Map<Integer, String> coming) {

    private static final Pattern MOVE = Pattern.compile("\\[(\\d+)(->-|-<-)(.*)]");
    private static final Pattern ID = Pattern.compile("[0-9a-f]{40}");
    private static final int FLAGS = 2;
    private static final int EPOCH = 6;
    private static final int FIRST_SLOTS = 8;

    /**
     * A primary.
     *
     * @param place where it is; empty once another node answers there
     * @param epoch grows each time that it takes slots from another node, by a failover or a move
     * @param failed whether a majority of primaries has found that it does not answer, as far as the node knows: from
     *     then on the node may vote for a replica in its place
     */
    public record Primary(String id, Optional<HostPort> place, BitSet slots, long epoch, boolean failed) {

        /** Returns whether the node that answered names it as the one that has its slots. */
        boolean isNamed() {
            return !failed && place.isPresent();
        }

        /** Returns what a majority must say alike: one that has missed two changes names a node by chance. */
        Owner owner() {
            return new Owner(id, epoch);
        }
    }

    /**
     * A node that has slots, and since when.
     *
     * @param node its id
     * @param epoch of its slots
     */
    record Owner(String node, long epoch) {}

    public NodeView {
        members = Set.copyOf(members);
        primaries = List.copyOf(primaries);
        empty = List.copyOf(empty);
        coming = Map.copyOf(coming);
    }

    /** Of a node to which no slot is being moved, in a cluster whose primaries all have slots. */
    public NodeView(String node, Set<String> members, List<Primary> primaries, BitSet moving) {
        this(node, members, primaries, List.of(), moving, Map.of());
    }

    /** Returns all primaries, also those that have no slots. */
    Stream<Primary> allPrimaries() {
        return Stream.concat(primaries.stream(), empty.stream());
    }

    /** Returns where those are that have slots, or may be about to get some. */
    public Stream<HostPort> places() {
        return Stream.concat(primaries.stream(), empty.stream().filter(Primary::isNamed))
                .flatMap(primary -> primary.place().stream());
    }

    /**
     * Returns how many primaries there are, as far as it knows. A node keeps a slot that is being moved to it with the
     * node from which it comes, also when that has failed and a replica has all its slots: that is no primary any more.
     */
    int countPrimaries() {
        return (int) primaries.stream()
                .filter(one -> !one.failed() || !one.slots().stream().allMatch(coming::containsKey))
                .count();
    }

    /** Returns the slots that are being moved to it from another node than this one. */
    BitSet comingFromOthersThan(String owner) {
        BitSet slots = new BitSet();
        coming.forEach((slot, from) -> {
            if (!from.equals(owner)) {
                slots.set(slot);
            }
        });
        return slots;
    }

    /** Returns the node that answered, as it sees itself; empty if it is a replica, or has no slots. */
    Optional<Primary> own() {
        return primaries.stream().filter(one -> one.id().equals(node)).findFirst();
    }

    /**
     * Understands an answer.
     *
     * @param asked where the node was asked, which may not know its own address
     * @throws IllegalArgumentException if no Redis answers that
     */
    public static NodeView parse(String answer, HostPort asked) {
        String self = "";
        Set<String> members = new HashSet<>();
        List<Primary> primaries = new ArrayList<>();
        List<Primary> empty = new ArrayList<>();
        BitSet moving = new BitSet();
        Map<Integer, String> coming = new HashMap<>();
        for (String line : answer.lines().toList()) {
            String[] words = line.split(" ");
            if (words.length < FIRST_SLOTS || !ID.matcher(words[0]).matches()) {
                throw new IllegalArgumentException("a line is none of CLUSTER NODES");
            }
            members.add(words[0]);
            Set<String> flags = Set.of(words[FLAGS].split(",", -1));
            boolean own = flags.contains("myself");
            if (own) {
                self = words[0];
            }
            BitSet slots = slots(words);
            if (own) {
                readMoves(words, moving, coming);
            }
            if (flags.contains("master")) {
                Optional<HostPort> place = place(words[1], own ? asked : null);
                (slots.isEmpty() ? empty : primaries)
                        .add(new Primary(words[0], place, slots, Long.parseLong(words[EPOCH]), flags.contains("fail")));
            }
        }
        if (self.isEmpty()) {
            throw new IllegalArgumentException("it does not say which node it is");
        }
        return new NodeView(self, members, primaries, empty, moving, coming);
    }

    /**
     * {@code ip:port@bus[,hostname]}: the name first, since a certificate is for that. {@code :0@0} where another node
     * answers by now at the address that was known.
     */
    private static Optional<HostPort> place(String text, @Nullable HostPort asked) {
        int comma = text.indexOf(',');
        String address = text.substring(0, text.indexOf('@') < 0 ? text.length() : text.indexOf('@'));
        String name = comma < 0 ? "" : text.substring(comma + 1).split(",", -1)[0];
        int colon = address.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("an address has no port");
        }
        String host = !name.isEmpty() ? name : address.substring(0, colon);
        int port = Integer.parseInt(address.substring(colon + 1));
        if (host.isEmpty() && asked != null) {
            return Optional.of(new HostPort(asked.host(), port));
        }
        return host.isEmpty() || port == 0 ? Optional.empty() : Optional.of(HostPort.named(host, port));
    }

    private static BitSet slots(String[] words) {
        BitSet slots = new BitSet(Slot.COUNT);
        for (int i = FIRST_SLOTS; i < words.length; i++) {
            if (!words[i].startsWith("[")) {
                SlotRange range = SlotRange.parse(words[i]);
                slots.set(range.first(), range.last() + 1);
            }
        }
        return slots;
    }

    /** {@code [slot->-id]} is being moved to that node, and {@code [slot-<-id]} comes from it. */
    private static void readMoves(String[] words, BitSet moving, Map<Integer, String> coming) {
        for (int i = FIRST_SLOTS; i < words.length; i++) {
            Matcher move = MOVE.matcher(words[i]);
            if (move.matches()) {
                int slot = SlotRange.parse(move.group(1)).first();
                if (move.group(2).equals("->-")) {
                    moving.set(slot);
                } else {
                    coming.put(slot, move.group(3));
                }
            }
        }
    }
}
