// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import org.holdfast.protocol.guard.NodeMonitor;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeConnection;

/** How the node monitor sees the nodes: over a connection of its own to each. For one thread at a time. */
public final class RedisProbe implements NodeMonitor.Sight, AutoCloseable {

    private final AskedNodes nodes;
    private final VoterConnector connector;
    private final NodeConnection[] connections;

    RedisProbe(AskedNodes nodes, VoterConnector connector) {
        this.nodes = nodes;
        this.connector = connector;
        this.connections = new NodeConnection[nodes.size()];
    }

    @Override
    public int count() {
        return nodes.size();
    }

    @Override
    public boolean isAsked(int node) {
        return nodes.health(node).isAsked();
    }

    @Override
    public long nanosUntilLook(int node) {
        return nodes.health(node).nanosUntilLook();
    }

    @Override
    public boolean claimLook(int node) {
        return nodes.health(node).claimLook();
    }

    @Override
    public void look(int node) {
        boolean known = connections[node] != null;
        try {
            admit(node);
        } catch (RuntimeException e) {
            drop(node);
            if (known
                    && Failures.isEnd(
                            e)) { // perhaps of this connection only, by CLIENT KILL or by something in between
                lookAnew(node);
            } else {
                setAside(node, e);
            }
        }
    }

    private void lookAnew(int node) {
        try {
            admit(node);
        } catch (RuntimeException e) {
            setAside(node, e);
        }
    }

    private void admit(int node) {
        try {
            nodes.admit(node, connection(node));
        } catch (OutOfMemoryError e) { // what is left to be read would be taken for the next replies
            drop(node);
            throw connector.localFailure(e);
        }
    }

    @Override
    public boolean quarantine(int node, String reason) {
        try {
            NodeConnection connection = connection(node);
            nodes.inspector(node).inspect(connection); // refuses what is no node to be used
            nodes.inspector(node).quarantine(connection, reason);
            return true;
        } catch (RuntimeException e) {
            setAside(node, e);
            return false;
        }
    }

    @Override
    public boolean isVouchedFor(int node) {
        try {
            return nodes.inspector(node).isVouchedFor(connection(node));
        } catch (RuntimeException e) { // it stays doubted
            drop(node);
            return false;
        }
    }

    private void setAside(int node, RuntimeException e) {
        nodes.setAside(node, e);
        drop(node);
    }

    private NodeConnection connection(int node) {
        if (connections[node] != null && nodes.whyOver(node, connections[node]) != null) {
            drop(node);
        }
        if (connections[node] == null) {
            connections[node] = connector.open(node);
        }
        return connections[node];
    }

    private void drop(int node) {
        if (connections[node] != null) {
            connections[node].abandon();
            connections[node] = null;
        }
    }

    @Override
    public void close() {
        for (int node = 0; node < connections.length; node++) {
            drop(node);
        }
    }
}
