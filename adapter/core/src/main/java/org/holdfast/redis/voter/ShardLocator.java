// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.time.Duration;
import java.util.Optional;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.term.Terms;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.cluster.SlotRecord;
import org.holdfast.redis.wire.NodeConnection;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A voter that is one shard of a cluster, wherever that is. */
final class ShardLocator implements Locator {

    private final ClusterLocator cluster;
    private final Shard shard;

    ShardLocator(ClusterLocator cluster, Shard shard) {
        this.cluster = cluster;
        this.shard = shard;
    }

    Optional<Shard.Update> update(SlotRecord.Sight sight) {
        return shard.update(sight, cluster.map()::settlesIn, cluster.map().otherOwners());
    }

    /** Has the node say which slots it has, if it has not yet. */
    void hear(NodeConnection connection) {
        shard.terms()
                .current()
                .flatMap(term -> shard.placeOf(term.place()))
                .ifPresent(place -> cluster.hear(shard, connection, place));
    }

    @Override
    public Place place(long deadline) {
        Optional<Terms.Term> known = shard.terms().counting();
        if (known.isEmpty()) {
            cluster.confirm(deadline);
            known = shard.terms().counting();
        }
        Terms.Term term = known.orElseThrow(
                () -> new JedisConnectionException("its cluster does not say where it is: " + cluster.heard()));
        HostPort at = shard.placeOf(term.place())
                .orElseThrow(() -> new JedisConnectionException("its cluster names another primary in this moment"));
        return new Place(cluster.address().node(at), term.number());
    }

    @Override
    public @Nullable String whyOver(int term) {
        return shard.terms().count(term) ? null : explain(term);
    }

    /** Returns why a vote on a slot that comes now does not count; null if it does. */
    @Nullable
    String whyNot(int slot) {
        return cluster.map().shard(slot).filter(shard::equals).isPresent()
                ? null
                : "its cluster does not name it for slot " + slot + " by now: " + cluster.heard();
    }

    private String explain(int term) {
        Optional<Terms.Term> present = shard.terms().current().filter(known -> known.number() != term);
        return present.isPresent()
                ? "its cluster names another primary by now: " + shard
                : "its cluster has not confirmed for "
                        + shard.terms().age().map(Duration::toMillis).orElse(0L)
                        + " ms that it is the primary, so its votes do not count: " + cluster.heard();
    }

    /** Requires that a node which says that this is its id is the one that the cluster names in a term. */
    void requireNode(int term, String id) {
        Terms.Term present = shard.terms()
                .current()
                .filter(known -> known.number() == term)
                .orElseThrow(() -> new JedisConnectionException(explain(term)));
        if (!present.place().equals(id)) {
            throw new JedisConnectionException("at its address node " + id + " answers, and not node " + present.place()
                    + ", which its cluster names there");
        }
    }

    @Override
    public String describePlace() {
        return " (" + shard + ")";
    }

    @Override
    public Optional<NodeFacts.Appointment> appointment(int term) {
        Terms.Term present = shard.terms()
                .counting()
                .filter(known -> known.number() == term)
                .orElseThrow(() -> new JedisConnectionException(explain(term)));
        return Optional.of(new NodeFacts.Appointment(
                term,
                present.epoch(),
                shard.firstUse().unsettledNanos(),
                NodeFacts.Namer.CLUSTER,
                shard.firstUse().lacksWitnesses()));
    }

    @Override
    public void confirm() {
        cluster.confirm();
    }

    @Override
    public void close() {
        // the cluster is asked for other shards too
    }
}
