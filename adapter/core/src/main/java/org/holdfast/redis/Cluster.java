// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.time.Duration;
import java.util.List;
import org.holdfast.protocol.NodeSet;
import org.holdfast.protocol.Time;
import redis.clients.jedis.exceptions.JedisException;

/** The nodes of one lock service: who they are, what is known of them, and channels to them. */
public final class Cluster {

    private static final System.Logger LOG = System.getLogger(Cluster.class.getName());

    private final List<NodeAddress> addresses;
    private final List<NodeHealth> health;
    private final ScriptCodec codec;
    private final Time time;
    private final long nodeTimeoutNanos;
    private final boolean guarded;

    /**
     * @param keyPrefix what every key on the nodes begins with
     * @param memory how long a lock lasts that a node may have forgotten; zero to trust the nodes' memory
     */
    public Cluster(List<NodeAddress> addresses, String keyPrefix, Duration nodeTimeout, Duration memory, Time time) {
        this.addresses = List.copyOf(addresses);
        this.health = addresses.stream().map(a -> new NodeHealth(a, time)).toList();
        this.codec = new ScriptCodec(keyPrefix, memory.toNanos() / 1_000);
        this.guarded = !memory.isZero();
        this.time = time;
        this.nodeTimeoutNanos = nodeTimeout.toNanos();
    }

    /** Returns a new channel. It connects when it is first used. */
    public Channel open() {
        return new Channel(this);
    }

    int size() {
        return addresses.size();
    }

    NodeAddress address(int node) {
        return addresses.get(node);
    }

    NodeHealth health(int node) {
        return health.get(node);
    }

    ScriptCodec codec() {
        return codec;
    }

    Time time() {
        return time;
    }

    long nodeTimeoutNanos() {
        return nodeTimeoutNanos;
    }

    /** Connects to a node, and looks whether it may vote. */
    NodeConnection connect(int node) {
        NodeConnection connection = NodeConnection.open(
                address(node), (int) Duration.ofNanos(nodeTimeoutNanos).toMillis());
        if (guarded) {
            try {
                new GuardedConnect(connection, address(node), codec.markKey()).admit();
            } catch (RuntimeException e) {
                connection.abandon();
                throw e;
            }
        }
        return connection;
    }

    /** Returns those of the targets that are not suspected. */
    NodeSet trusted(NodeSet targets) {
        NodeSet trusted = targets;
        for (int node = 0; node < size(); node++) {
            if (health.get(node).isSuspected()) {
                trusted = trusted.without(NodeSet.of(node));
            }
        }
        return trusted;
    }

    /** Returns the nodes to connect to: the trusted ones, and if they are no quorum, suspected ones that may be probed. */
    NodeSet worthConnecting() {
        NodeSet chosen = trusted(NodeSet.first(size()));
        if (chosen.size() >= size() / 2 + 1) {
            return chosen;
        }
        for (int node = 0; node < size(); node++) {
            if (!chosen.contains(node) && health.get(node).claimProbe()) {
                chosen = chosen.with(node);
            }
        }
        return chosen;
    }

    /** Returns whether a suspected node is to be asked whether it answers again. */
    public boolean isProbeDue() {
        return health.stream().anyMatch(NodeHealth::isProbeDue);
    }

    /** Asks one suspected node, if it is time to, whether it answers again. Blocks for a node timeout at the most. */
    public void probe() {
        for (int node = 0; node < size(); node++) {
            if (health.get(node).claimProbe()) {
                try (NodeConnection connection = connect(node)) {
                    connection.ping();
                    health.get(node).up();
                } catch (JedisException e) {
                    LOG.log(System.Logger.Level.DEBUG, "node " + address(node) + " is still silent: " + describe(e));
                }
                return;
            }
        }
    }

    /** Returns what went wrong in words: the innermost message says it best. */
    static String describe(Throwable failure) {
        Throwable innermost = failure;
        while (innermost.getCause() != null && innermost.getCause() != innermost) {
            innermost = innermost.getCause();
        }
        String message = innermost.getMessage();
        return message == null || message.isBlank() ? innermost.getClass().getSimpleName() : message;
    }
}
