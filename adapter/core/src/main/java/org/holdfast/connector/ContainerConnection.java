// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import org.holdfast.DistributedLatch;
import org.holdfast.LeaseLock;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.protocol.latch.LatchCaller;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.PendingLease;

/**
 * A handle as the container knows it, with what the factory and its connections do beyond the API. An interface,
 * because some containers hand out proxies of handles.
 */
public interface ContainerConnection extends LockConnection {

    /**
     * Attempts through the nodes of the managed connection.
     *
     * @return whether the result is known; else the caller has to wait, and needs this connection no more
     */
    boolean attempt(PendingLease pending) throws InterruptedException;

    /**
     * As {@link #latch(String, long, int)}.
     *
     * @param caller the connection that the application has, which may outlive this one
     */
    DistributedLatch latch(Latch latch, LatchCaller caller);

    /** Returns what the connection's leases are bound to. */
    LockSession session();

    /** Adopts the leases of another connection: they end with this one now. To be called before it takes any itself. */
    void adopt(LockSession other);

    /** Returns the connection to the container, as {@link #close()} does, and keeps its leases. */
    void giveBack();

    /** As {@link LeaseLock#isLocked()}. */
    boolean isLocked(LockRequest request);
}
