// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;

/** The ways that the nodes of a Redis Cluster take to each other, as far as these can be cut. */
public final class BusLinks implements AutoCloseable {

    private final Map<RedisServer, BusLink> links = new ConcurrentHashMap<>();

    BusLinks() {}

    /**
     * Begins a way to a node.
     *
     * @param bus the port on which the node listens to others
     * @return the port that they are to take
     */
    int lead(RedisServer server, int bus) {
        BusLink link = new BusLink(bus);
        links.put(server, link);
        return link.port();
    }

    /** Returns the port that others are to take; empty if the way to the node cannot be cut. */
    OptionalInt port(RedisServer server) {
        BusLink link = links.get(server);
        return link == null ? OptionalInt.empty() : OptionalInt.of(link.port());
    }

    /** Cuts the ways between two nodes, in both directions. */
    public void cut(RedisServer one, RedisServer other) {
        link(one).cut(ClusterNode.id(other));
        link(other).cut(ClusterNode.id(one));
    }

    /**
     * Cuts the way from one node to another: the other one hears nothing of it any more, on whichever connection. What
     * the other one says comes through.
     */
    public void cutOneWay(RedisServer from, RedisServer to) {
        link(to).cutPackets(ClusterNode.id(from));
        link(from).cutAnswers(ClusterNode.id(to));
    }

    /** Cuts the ways between two nodes when the one has asked the other for its vote, and has received it. */
    public void cutAfterVote(RedisServer candidate, RedisServer voter) {
        link(voter).cutAfter(ClusterNode.id(candidate), BusLink.VOTE_REQUEST);
        link(candidate).cutAfter(ClusterNode.id(voter), BusLink.VOTE);
    }

    /** Lets the nodes reach each other again. */
    public void mend() {
        links.values().forEach(BusLink::mend);
    }

    private BusLink link(RedisServer server) {
        return Objects.requireNonNull(links.get(server), "the cluster was not started with links");
    }

    @Override
    public void close() {
        links.values().forEach(BusLink::close);
    }
}
