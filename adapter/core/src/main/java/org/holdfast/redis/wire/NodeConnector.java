// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.holdfast.protocol.env.Time;
import org.holdfast.redis.address.FixedAddress;
import org.holdfast.redis.address.NodeAddress;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Opens connections for one lock service, each within one node timeout.
 *
 * <p>Remembers for a moment that this process lacks what a connection takes. Safe for use by any number of threads.
 */
public final class NodeConnector {

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
    public NodeConnector(ConnectionSecurity access, Duration nodeTimeout, Executor threads, Time time) {
        this(new HostResolver(InetAddress::getAllByName, threads, time), access, nodeTimeout, threads, time);
    }

    NodeConnector(HostResolver names, ConnectionSecurity access, Duration nodeTimeout, Executor threads, Time time) {
        JedisVersion.require();
        this.names = names;
        this.access = access;
        this.tls = new Tls(access);
        this.nodeTimeoutNanos = nodeTimeout.toNanos();
        this.threads = threads;
        this.shortage = new Shortage(time);
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
     * @param term see {@link NodeConnection#term()}
     * @param deadline from {@link #deadline()}
     * @throws JedisException if there is none
     */
    public NodeConnection open(FixedAddress address, int term, long deadline) {
        return open(address, term, access, deadline);
    }

    /** Does the same, and sends no password but that of the address. */
    public NodeConnection openWithoutPasswordFile(NodeAddress address, long deadline) {
        return open(address, 0, access.withoutPasswordFile(), deadline);
    }

    private NodeConnection open(FixedAddress address, int term, ConnectionSecurity security, long deadline) {
        try {
            shortage.requireNone();
        } catch (LocalFailureException e) {
            throw new JedisConnectionException(e);
        }
        int timeoutMillis = (int) Duration.ofNanos(nodeTimeoutNanos).toMillis();
        return NodeConnection.open(address, term, names, security, tls, timeoutMillis, deadline);
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
