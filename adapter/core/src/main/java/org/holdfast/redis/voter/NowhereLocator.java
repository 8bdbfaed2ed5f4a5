// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.util.Optional;
import org.holdfast.protocol.guard.NodeFacts;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A voter on slots of a cluster that no majority of its primaries assigns to a node. */
final class NowhereLocator implements Locator {

    private final ClusterLocator cluster;

    NowhereLocator(ClusterLocator cluster) {
        this.cluster = cluster;
    }

    @Override
    public Place place(long deadline) {
        throw new JedisConnectionException(explain());
    }

    @Override
    public @Nullable String whyOver(int term) {
        return explain();
    }

    private String explain() {
        return "its cluster does not say which node has the slot: " + cluster.heard();
    }

    @Override
    public String describePlace() {
        return "";
    }

    @Override
    public Optional<NodeFacts.Appointment> appointment(int term) {
        throw new JedisConnectionException(explain());
    }

    @Override
    public void confirm() {
        cluster.confirm();
    }

    @Override
    public void close() {
        // nothing is open
    }
}
