// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.holdfast.DistributedLatch;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Closed;
import org.holdfast.protocol.latch.LatchCaller;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.session.AbstractLockConnection;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.PendingLease;

/** A connection of a process in memory, which needs no sockets. */
final class TestConnection extends AbstractLockConnection {

    private final TestProcess process;
    private final LockSession session;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final LatchCaller latchCaller = new LatchCaller(this::isOpen, () -> {});

    TestConnection(TestProcess process) {
        this.process = process;
        this.session = process.newSession();
    }

    private boolean isOpen() {
        return !closed.get() && !process.isClosed();
    }

    private void requireOpen() {
        if (!isOpen()) {
            throw Closed.connection();
        }
    }

    @Override
    protected LockSession session() {
        return session;
    }

    @Override
    protected boolean attempt(PendingLease pending) throws InterruptedException {
        requireOpen();
        return pending.attempt(process.nodes());
    }

    @Override
    protected boolean isLocked(LockRequest request) {
        requireOpen();
        return session.isLocked(process.nodes(), request);
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(LockRequest request) {
        requireOpen();
        return session.acquireAsync(request);
    }

    @Override
    public DistributedLatch latch(String name, long generation, int count) {
        requireOpen();
        return process.engine().latches().open(new Latch(name, generation, count), process.waitTimeout(), latchCaller);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            latchCaller.wakeAll();
            session.close();
        }
    }
}
