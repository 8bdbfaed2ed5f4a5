// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * What the nodes of a cluster publish, and which clients are subscribed there. Since Redis 7.0 scripts publish in a
 * shard: only the node that has the slot of a channel takes subscriptions to it, and it ends them when the slot goes.
 * Before that each node passes on to all others what is published.
 */
final class ClusterChannels {

    private final SimulatedCluster cluster;

    /** In the order in which they came. */
    private final List<Subscription> subscriptions = new ArrayList<>();

    /** What a client does with what comes. */
    interface Receiver {

        void published(String channel, String message);

        /** The node does not report what is published on a channel any more. */
        void ended(String channel);
    }

    private record Subscription(ClusterMember at, int incarnation, String channel, Receiver receiver) {

        /** A process that has ended has none any more. */
        boolean lives() {
            return at.process.isUp() && at.process.incarnation() == incarnation;
        }
    }

    ClusterChannels(SimulatedCluster cluster) {
        this.cluster = cluster;
        cluster.members()
                .forEach(
                        member -> member.process.redis().tell((channel, message) -> publish(member, channel, message)));
    }

    private boolean isInShard() {
        return cluster.dropsClaims();
    }

    /** Returns false if another node has the slot of the channel. */
    boolean subscribe(ClusterMember at, String channel, Receiver receiver) {
        boolean taken = !isInShard() || at.known.has(cluster.parts.of(channel));
        if (taken) {
            subscriptions.add(new Subscription(at, at.process.incarnation(), channel, receiver));
        }
        return taken;
    }

    void unsubscribe(String channel, Receiver receiver) {
        subscriptions.removeIf(
                one -> one.receiver() == receiver && one.channel().equals(channel));
    }

    /** A connection is gone. */
    void disconnect(Receiver receiver) {
        subscriptions.removeIf(one -> one.receiver() == receiver);
    }

    /** A node has lost the slots of a part. */
    void lost(ClusterMember by, int part) {
        if (isInShard()) {
            List<Subscription> gone = subscriptions.stream()
                    .filter(one -> one.at() == by && cluster.parts.of(one.channel()) == part)
                    .toList();
            subscriptions.removeAll(gone);
            gone.stream().filter(Subscription::lives).forEach(one -> one.receiver()
                    .ended(one.channel()));
        }
    }

    /** Returns how many clients are subscribed at the node itself. */
    private long publish(ClusterMember at, String channel, String message) {
        if (!isInShard()) {
            cluster.members().stream()
                    .filter(other -> other != at)
                    .forEach(other -> cluster.send(at.index, other.index, () -> deliver(other, channel, message)));
        }
        return deliver(at, channel, message);
    }

    private long deliver(ClusterMember at, String channel, String message) {
        subscriptions.removeIf(one -> !one.lives());
        List<Subscription> there = subscriptions.stream()
                .filter(one -> one.at() == at && one.channel().equals(channel))
                .toList();
        there.forEach(one -> one.receiver().published(channel, message));
        return there.size();
    }
}
