// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.holdfast.redis.address.ClusterAddress;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.cluster.NodeView;
import org.holdfast.redis.wire.NodeConnection;
import org.holdfast.redis.wire.NodeConnector;
import org.holdfast.redis.wire.NodeErrors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** A node of a cluster, asked which node has which slots. */
record ClusterWitness(ClusterAddress address, HostPort place) implements Witness<NodeView> {

    @Override
    public NodeConnection open(NodeConnector connector, boolean withPassword) {
        return connector.open(address.node(place), 0, connector.deadline());
    }

    @Override
    public List<CommandArguments> questions() {
        return List.of(new CommandArguments(Command.CLUSTER).add("NODES"));
    }

    @Override
    public NodeView understand(List<@Nullable Object> replies) {
        Object reply = replies.get(0);
        if (reply instanceof JedisDataException error) {
            throw new JedisDataException(NodeErrors.explainLook("CLUSTER NODES", String.valueOf(error.getMessage())));
        }
        if (!(reply instanceof byte[] bytes)) {
            throw new JedisConnectionException("it answers what no Redis answers");
        }
        try {
            return NodeView.parse(new String(bytes, StandardCharsets.UTF_8), place);
        } catch (IllegalArgumentException e) {
            throw new JedisConnectionException("it answers what no Redis answers to CLUSTER NODES: " + e.getMessage());
        }
    }

    @Override
    public String describe(NodeView view) {
        return "knows " + view.primaries().size() + " primaries that have slots";
    }

    @Override
    public String lacksPassword() {
        return "it asks for a password, and neither its address nor the settings have one";
    }
}
