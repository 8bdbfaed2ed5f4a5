// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.holdfast.protocol.env.Time;
import org.holdfast.redis.address.ClusterAddress;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.cluster.ClusterMap;
import org.holdfast.redis.cluster.NodeView;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.wire.NodeConnection;
import org.holdfast.redis.wire.NodeConnector;

/**
 * Asks the primaries of a cluster which of them has which slots. {@link ClusterMap} decides what their answers are
 * worth.
 *
 * <p>Safe for use by any number of threads.
 */
final class ClusterLocator implements AutoCloseable {

    /** More are not asked: a majority of a larger cluster cannot be heard, and so it does not vote. */
    private static final int MOST_WITNESSES = 1_000;

    private final ClusterAddress address;
    private final NodeConnector connector;
    private final ClusterMap map;
    private final Time time;
    private final Consumer<ClusterMap.Move> moved;
    private final Hearing<NodeView> inquiry;

    /** Those that were heard of last; empty if none was. */
    private volatile Set<HostPort> known = Set.of();

    private volatile int needed = 1;

    /** Why what was answered is worth nothing; empty if it is worth something. */
    private volatile Optional<String> fault = Optional.empty();

    /** @param moved receives a shard that another node has become */
    ClusterLocator(
            ClusterAddress address,
            NodeConnector connector,
            Hearing<NodeView> inquiry,
            ClusterMap map,
            Time time,
            Consumer<ClusterMap.Move> moved) {
        this.address = address;
        this.connector = connector;
        this.map = map;
        this.time = time;
        this.moved = moved;
        this.inquiry = inquiry;
    }

    ClusterAddress address() {
        return address;
    }

    ClusterMap map() {
        return map;
    }

    /** Returns the shard that has a slot, if that is known well enough for a vote to count; asks if it is not. */
    Optional<Shard> shard(int slot) {
        Optional<Shard> shard = map.shard(slot);
        if (shard.isEmpty() && known.isEmpty()) { // else the thread that asks once a second has heard no majority
            confirm();
            shard = map.shard(slot);
        }
        return shard;
    }

    /** Asks. Blocks for a node timeout at the most. */
    void confirm() {
        confirm(connector.deadline());
    }

    void confirm(long deadline) {
        inquiry.run(deadline, () -> ask(deadline));
    }

    private Runnable ask(long deadline) throws IOException {
        long askedAt = time.nanoTime();
        long wall = time.epochMicros();
        Set<HostPort> asked = new LinkedHashSet<>(known);
        if (asked.isEmpty()) {
            asked.addAll(address.seeds());
        }
        List<ClusterMap.Move> moves = hear(asked, deadline, askedAt, wall);
        return () -> moves.forEach(moved);
    }

    /** Asks those that were heard of as well, if they are needed: the seeds are seldom a majority. */
    private List<ClusterMap.Move> hear(Set<HostPort> asked, long deadline, long askedAt, long wall) throws IOException {
        List<NodeView> views = ask(asked, deadline);
        Set<HostPort> named = named(views);
        if (!named.isEmpty() && !asked.containsAll(named) && !isAgreed(views)) {
            List<NodeView> more = ask(named, deadline);
            if (!more.isEmpty()) { // else there was no time left: those that were named are asked next time
                views = more;
                named = named(views);
            }
        }
        needed = ClusterMap.needed(map.own(views));
        fault = map.fault(views);
        inquiry.abandon(map.worthless(views));
        List<ClusterMap.Move> moves = map.confirm(views, askedAt, wall);
        known = isAgreed(views) ? named : withSeeds(named.isEmpty() ? known : named); // after that: see shard(int)
        return moves;
    }

    private List<NodeView> ask(Set<HostPort> places, long deadline) throws IOException {
        return inquiry.ask(
                places.stream().map(place -> new ClusterWitness(address, place)).toList(),
                deadline,
                views -> map.isKnown() && isAgreed(views));
    }

    /** Too few of them answer: perhaps they have other addresses by now, and a seed knows. */
    private Set<HostPort> withSeeds(Set<HostPort> places) {
        Set<HostPort> all = new LinkedHashSet<>(places);
        all.addAll(address.seeds());
        return all;
    }

    private boolean isAgreed(List<NodeView> views) {
        return ClusterMap.isHeard(map.own(views));
    }

    private Set<HostPort> named(List<NodeView> views) {
        Set<HostPort> named = new LinkedHashSet<>();
        map.own(views).forEach(view -> view.places()
                .filter(place -> named.size() < MOST_WITNESSES)
                .forEach(named::add));
        return named;
    }

    /** Asks a shard over a connection to it, if it was not among those that have answered so far. */
    void hear(Shard shard, NodeConnection connection, HostPort place) {
        if (shard.isSilent()) {
            ClusterWitness witness = new ClusterWitness(address, place);
            long askedAt = time.nanoTime();
            witness.questions().forEach(connection::sendCommand);
            shard.hear(witness.understand(connection.getMany(witness.questions().size())), askedAt);
        }
    }

    String heard() {
        return fault.map(reason -> reason + "; ").orElse("") + needed + " of its primaries must say so; "
                + inquiry.heard();
    }

    @Override
    public void close() {
        inquiry.close();
    }
}
