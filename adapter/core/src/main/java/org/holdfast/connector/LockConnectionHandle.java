// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import org.holdfast.DistributedLatch;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Closed;
import org.holdfast.protocol.latch.LatchCaller;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.session.AbstractLockConnection;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.PendingLease;
import org.jspecify.annotations.Nullable;

/**
 * What the container knows of a user of a managed connection, until it is closed. Applications have it inside a {@link
 * LazyConnection}.
 *
 * <p>Public because a container that closes forgotten connections calls {@link #close()} by reflection, and not final
 * because TomEE hands out an instance of a subclass that it makes.
 */
public class LockConnectionHandle extends AbstractLockConnection implements ContainerConnection {

    private final AtomicReference<LockManagedConnection> managed;
    private final LatchCaller latchCaller = new LatchCaller(this::isOpen, () -> {});
    private volatile LockSession session;

    /** Whether the session continues without this handle. */
    private volatile boolean givenBack;

    LockConnectionHandle(LockManagedConnection managed, LockSession session) {
        this.managed = new AtomicReference<>(managed);
        this.session = session;
    }

    @Override
    public boolean attempt(PendingLease pending) throws InterruptedException {
        LockManagedConnection open = open();
        try {
            return pending.attempt(open.nodes());
        } catch (RuntimeException e) {
            failed(open, e);
            throw e;
        }
    }

    private void failed(LockManagedConnection used, RuntimeException failure) {
        if (managed.get() == used) { // else it was returned meanwhile, and may be another caller's
            used.failed(failure);
        }
    }

    @Override
    public LockSession session() {
        return session;
    }

    @Override
    public void adopt(LockSession other) {
        session = other;
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(LockRequest request) {
        open();
        return session.acquireAsync(request);
    }

    @Override
    public DistributedLatch latch(String name, long generation, int count) {
        return latch(new Latch(name, generation, count), latchCaller);
    }

    @Override
    public DistributedLatch latch(Latch latch, LatchCaller caller) {
        return open().latch(latch, caller);
    }

    @Override
    public boolean isLocked(LockRequest request) {
        return call(session::isLocked, request);
    }

    private <T> T call(BiFunction<Nodes, LockRequest, T> call, LockRequest request) {
        LockManagedConnection open = open();
        try {
            return call.apply(open.nodes(), request);
        } catch (RuntimeException e) {
            failed(open, e);
            throw e;
        }
    }

    private boolean isOpen() {
        LockManagedConnection open = managed.get();
        return open != null && open.isOpen();
    }

    private LockManagedConnection open() {
        LockManagedConnection open = managed.get();
        if (open == null) {
            throw Closed.connection();
        }
        if (!open.isOpen()) {
            IllegalStateException gone = new IllegalStateException(LockManagedConnection.GONE);
            open.failed(gone);
            throw gone;
        }
        return open;
    }

    /** Returns the connection that it had, if any. */
    private @Nullable LockManagedConnection leave() {
        LockManagedConnection left = managed.getAndSet(null);
        try {
            latchCaller.wakeAll();
        } catch (OutOfMemoryError e) {
            // each sees by itself, before long, that the handle is closed
        }
        return left;
    }

    @Override
    public void close() {
        LockManagedConnection open = leave();
        if (open != null) {
            try {
                session.close();
            } finally { // a pool must not be exhausted because nodes could not be reached
                open.handleClosed(this);
            }
        } else if (!givenBack) { // the container took it away: its user has closed it, and a loss interrupts no more
            session.close();
        }
    }

    @Override
    public void giveBack() {
        givenBack = true;
        LockManagedConnection open = leave();
        if (open != null) {
            open.handleClosed(this);
        }
    }

    /**
     * The container takes the handle away from its user. The user may still work under its locks, so these are lost,
     * and not released.
     *
     * @param ofTransactions whether also locks are lost that an open transaction keeps
     * @return how many locks were lost
     */
    int takeAway(String reason, boolean ofTransactions) {
        if (leave() == null) {
            return 0;
        }
        return session.loseAndLeave(reason, ofTransactions);
    }

    /**
     * The container moves the handle to another managed connection; the old one forgets it.
     *
     * @return false if the handle is closed or the other connection is not of the same service
     */
    boolean moveTo(LockManagedConnection other) {
        LockManagedConnection old = managed.get();
        if (old == null || !other.belongsTo(old.service()) || !managed.compareAndSet(old, other)) {
            return false;
        }
        old.detach(this);
        other.attach(this);
        return true;
    }
}
