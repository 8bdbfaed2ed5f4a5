// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.concurrent.CompletableFuture;
import org.holdfast.DistributedLatch;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.session.AbstractLockConnection;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.PendingLease;

/** A connection that reaches the nodes as the test says. */
public final class NodesConnection extends AbstractLockConnection {

    private final LockSession session;
    private final Nodes nodes;

    /** How often the caller had to wait, without these nodes. */
    int waits;

    public NodesConnection(LockSession session, Nodes nodes) {
        this.session = session;
        this.nodes = nodes;
    }

    @Override
    protected LockSession session() {
        return session;
    }

    @Override
    protected boolean attempt(PendingLease pending) throws InterruptedException {
        boolean isKnown = pending.attempt(nodes);
        waits += isKnown ? 0 : 1;
        return isKnown;
    }

    @Override
    protected boolean isLocked(LockRequest request) {
        return session.isLocked(nodes, request);
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(LockRequest request) {
        return session.acquireAsync(request);
    }

    @Override
    public DistributedLatch latch(String name, long generation, int count) {
        throw new UnsupportedOperationException("latches have tests of their own");
    }

    @Override
    public void close() {
        session.close();
    }
}
