// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.holdfast.CheckReport;
import org.holdfast.DistributedLatch;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockHolder;
import org.holdfast.LockListing;
import org.holdfast.LockRequest;
import org.holdfast.LockState;
import org.holdfast.protocol.env.Closed;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.latch.LatchCaller;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.session.AbstractLockConnection;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.PendingLease;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.redis.NodeChannel;
import org.holdfast.runtime.scheduling.StandaloneScheduling;
import org.holdfast.transaction.ComponentTransactions;

/**
 * A lock service of its own, without a resource adapter. Where a container would have a pool, all callers share one
 * connection to each node, on which requests of many are under way at once. It takes part in the transactions of the
 * component that asks, if there are any, and its threads are those of the component that opens it.
 */
final class StandaloneConnectionFactory implements LockConnectionFactory {

    private final Settings settings;
    private final LockService service;
    private final LockSession.Defaults defaults;

    /** One socket to each node, for all callers. A set for each was no faster: see ManyThreads in the benchmarks. */
    private final NodeChannel connections;

    private final AtomicBoolean closed = new AtomicBoolean();

    /** Whether a component of a server has it: a server closes it while requests may be under way. */
    private final boolean ofAComponent;

    StandaloneConnectionFactory(Settings settings) {
        this(settings, new SystemTime());
    }

    StandaloneConnectionFactory(Settings settings, Time time) {
        Transactions transactions = ComponentTransactions.find();
        this.settings = settings;
        this.ofAComponent = transactions != Transactions.NONE;
        this.service = new LockService(settings, transactions, StandaloneScheduling.ofTheComponent(time), time);
        service.checkAtStart();
        this.defaults = LockService.defaults(settings);
        this.connections = service.openConnections(); // connects when it is first used
    }

    @Override
    public LockConnection getConnection() {
        return open();
    }

    private StandaloneConnection open() {
        if (closed.get()) {
            throw Closed.factory();
        }
        return new StandaloneConnection();
    }

    @Override
    public int nodeCount() {
        return settings.nodes().size();
    }

    @Override
    public void validate(LockRequest request) {
        defaults.complete(request);
    }

    @Override
    public CheckReport check() {
        return service.operations().check();
    }

    @Override
    public CheckReport status() {
        if (closed.get()) {
            throw Closed.factory();
        }
        return service.status();
    }

    @Override
    public List<LockHolder> holders(LockRequest request) {
        return service.operations().holders(request);
    }

    @Override
    public LockListing locks(int limit) {
        return service.operations().locks(limit);
    }

    @Override
    public LockState state(LockRequest request) {
        return service.operations().state(request);
    }

    @Override
    public List<LockHolder> forceRelease(LockRequest request, String reason) {
        return service.operations().forceRelease(request, reason);
    }

    @Override
    public List<LockHolder> forceRelease(LockRequest request, long token, String reason) {
        return service.operations().forceRelease(request, token, reason);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            try {
                if (ofAComponent) {
                    service.closeUnderHolders();
                } else {
                    service.close();
                }
            } finally {
                connections.close();
            }
        }
    }

    private final class StandaloneConnection extends AbstractLockConnection {

        private final LockSession session = service.newSession();
        private final AtomicBoolean handleClosed = new AtomicBoolean();
        private final LatchCaller latchCaller = new LatchCaller(this::isOpen, () -> {});

        @Override
        protected LockSession session() {
            return session;
        }

        @Override
        protected boolean attempt(PendingLease pending) throws InterruptedException {
            requireOpen();
            return pending.attempt(connections);
        }

        @Override
        protected boolean isLocked(LockRequest request) {
            requireOpen();
            return session.isLocked(connections, request);
        }

        @Override
        public CompletableFuture<Lease> acquireAsync(LockRequest request) {
            requireOpen();
            return session.acquireAsync(request);
        }

        @Override
        public DistributedLatch latch(String name, long generation, int count) {
            requireOpen();
            return service.latch(new Latch(name, generation, count), settings, latchCaller);
        }

        private boolean isOpen() {
            return !handleClosed.get() && !closed.get();
        }

        private void requireOpen() {
            if (!isOpen()) {
                throw Closed.connection();
            }
        }

        @Override
        public void close() {
            if (handleClosed.compareAndSet(false, true)) {
                try {
                    latchCaller.wakeAll();
                } finally {
                    session.close();
                }
            }
        }
    }
}
