// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.locks.Lock;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.health.NodeHealth;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeConnection;
import org.jspecify.annotations.Nullable;

/**
 * Opens the connections that a channel lacks when it has something to send. The channel's lock guards everything here.
 */
final class MissingConnections implements Openings.Owner {

    private final AskedNodes nodes;
    private final VoterConnector connector;
    private final Pipelines pipelines;
    private final Openings openings;

    /** Whether no connection is used any more. */
    private volatile boolean stopped;

    MissingConnections(AskedNodes nodes, VoterConnector connector, Pipelines pipelines, Lock lock) {
        this.nodes = nodes;
        this.connector = connector;
        this.pipelines = pipelines;
        this.openings = new Openings(nodes, connector, this, lock);
    }

    void stop() {
        stopped = true;
    }

    boolean isStopped() {
        return stopped;
    }

    /** Returns null if the node may be asked. */
    @Nullable
    String whyNotAsked(int node) {
        NodeHealth health = nodes.health(node);
        return stopped ? "this channel is closed" : health.isAsked() ? null : health.reason();
    }

    /** Opens those that a lock could make use of, and waits for them. */
    void prepare() {
        for (int node = 0; node < nodes.size(); node++) {
            pipelines.dropIfStale(node);
        }
        NodeSet wanted = stopped ? NodeSet.NONE : nodes.connectable();
        NodeSet needed = NodeSet.NONE;
        for (int node = 0; node < nodes.size(); node++) {
            if (wanted.contains(node)) {
                pipelines.dropIfSetAside(node);
                needed = !pipelines.isConnected(node) ? needed.with(node) : needed;
            }
        }
        openAll(needed, true);
    }

    /**
     * Opens what targets lack; returns what stands against their connections by node, or null if none was lacking.
     *
     * @param awaited those for which the caller waits until they are open, or cannot be opened
     */
    String @Nullable [] open(NodeSet targets, Command.Awaited awaited) {
        for (int node = 0; node < nodes.size(); node++) {
            if (targets.contains(node)) { // may read, and so drop others too: so nothing is opened before
                pipelines.dropIfStale(node);
            }
        }
        NodeSet needed = NodeSet.NONE;
        for (int node = 0; node < nodes.size(); node++) {
            if (targets.contains(node) && !pipelines.isConnected(node) && whyNotAsked(node) == null) {
                needed = needed.with(node);
            }
        }
        return openAll(needed, waits(awaited));
    }

    private boolean waits(Command.Awaited awaited) {
        return switch (awaited) {
            case ALL -> true;
            case QUORUM -> !pipelines.isQuorumConnected();
            case NONE -> false;
        };
    }

    /** Opens what is needed, and with it whatever else is missing: it will be needed soon, and may hang as well. */
    private String @Nullable [] openAll(NodeSet needed, boolean waits) {
        if (needed.isEmpty()) {
            return null;
        }
        NodeSet missing = needed;
        for (int node = 0; node < nodes.size(); node++) {
            if (!pipelines.isConnected(node) && nodes.health(node).isAsked()) {
                missing = missing.with(node);
            }
        }
        try {
            pipelines.requireSelector();
            return waits ? openings.open(missing, needed) : openings.begin(missing, needed);
        } catch (IOException e) {
            String[] obstacles = new String[nodes.size()];
            Arrays.fill(obstacles, Failures.describe(connector.localFailure(e)));
            return obstacles;
        }
    }

    @Override
    public void opened(int node, NodeConnection connection) {
        if (stopped || pipelines.isConnected(node)) { // the latter by an attempt that began later
            connection.abandon();
        } else {
            pipelines.add(node, connection);
        }
    }

    @Override
    public boolean isQuorumConnected() {
        return pipelines.isQuorumConnected();
    }
}
