// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import org.holdfast.protocol.env.Time;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Opens connections to the nodes of one lock service, each within one node timeout.
 *
 * <p>Remembers for a moment that this process lacks what a connection takes. Safe for use by any number of threads.
 */
public final class NodeConnector {

    private final List<NodeAddress> addresses;
    private final HostResolver names;
    private final ConnectionSecurity access;
    private final Tls tls;
    private final long nodeTimeoutNanos;
    private final Executor threads;
    private final Shortage shortage;

    /**
     * @param access how to enter the nodes
     * @param threads gives a thread for as long as it takes
     */
    public NodeConnector(
            List<NodeAddress> addresses, ConnectionSecurity access, Duration nodeTimeout, Executor threads, Time time) {
        this(addresses, new HostResolver(InetAddress::getAllByName, threads, time), access, nodeTimeout, threads, time);
    }

    NodeConnector(
            List<NodeAddress> addresses,
            HostResolver names,
            ConnectionSecurity access,
            Duration nodeTimeout,
            Executor threads,
            Time time) {
        JedisVersion.require();
        this.addresses = List.copyOf(addresses);
        this.names = names;
        this.access = access;
        this.tls = new Tls(access);
        this.nodeTimeoutNanos = nodeTimeout.toNanos();
        this.threads = threads;
        this.shortage = new Shortage(time);
    }

    /** Returns how many nodes there are. */
    public int size() {
        return addresses.size();
    }

    /** Returns the addresses of the nodes, by node. */
    public List<NodeAddress> addresses() {
        return addresses;
    }

    /** Returns how long a node may take to answer. */
    public long nodeTimeoutNanos() {
        return nodeTimeoutNanos;
    }

    /** Returns when a connection has to be there that is begun now, on the scale of {@link System#nanoTime()}. */
    public long deadline() {
        return System.nanoTime() + nodeTimeoutNanos;
    }

    /**
     * Opens a connection, on which everything has the same deadline until {@link NodeConnection#boundEachAnswer()}.
     *
     * @param deadline from {@link #deadline()}
     * @throws JedisException if there is none
     */
    public NodeConnection open(int node, long deadline) {
        try {
            shortage.requireNone();
        } catch (LocalFailureException e) {
            throw new JedisConnectionException(e);
        }
        return NodeConnection.open(
                addresses.get(node),
                names,
                access,
                tls,
                (int) Duration.ofNanos(nodeTimeoutNanos).toMillis(),
                deadline);
    }

    /**
     * Opens a connection, within one node timeout from now, on which each answer has a timeout of its own.
     *
     * @throws JedisException if there is none
     */
    public NodeConnection open(int node) {
        NodeConnection connection = open(node, deadline());
        connection.boundEachAnswer();
        return connection;
    }

    /** Takes note that this process cannot open a connection, and returns what to throw. */
    public JedisConnectionException localFailure(Throwable failure) {
        LocalFailureException local = LocalFailureException.of(Failures.innermost(failure));
        shortage.note(local);
        return new JedisConnectionException(local);
    }

    /** Gives an attempt to connect to another thread; returns false where there is none for it. */
    public boolean runElsewhere(Runnable attempt) {
        try {
            threads.execute(attempt);
            return true;
        } catch (RuntimeException | OutOfMemoryError e) {
            return false;
        }
    }
}
