// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.holdfast.CheckReport;
import org.holdfast.DistributedLatch;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockHolder;
import org.holdfast.LockRequest;
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
 * A lock service of its own, without a resource adapter: what a container's pool would keep, it keeps itself, up to a
 * bound. It takes part in the transactions of the component that asks, if there are any, and its threads are those of
 * the component that opens it.
 */
final class StandaloneConnectionFactory implements LockConnectionFactory {

    private static final int MOST_IDLE = 16;

    /** Each has a socket to every node. Connections beyond that share one set, for many threads at once. */
    static final int MOST_OPEN = 64;

    private final Settings settings;
    private final LockService service;
    private final LockSession.Defaults defaults;
    private final AtomicInteger open = new AtomicInteger();
    private final NodeChannel shared;
    private final LinkedBlockingDeque<NodeChannel> idle = new LinkedBlockingDeque<>(MOST_IDLE);
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
        this.shared = service.openConnections(); // connects when it is first used
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

    private NodeChannel takeConnections() {
        NodeChannel connections = idle.pollFirst();
        if (connections != null) {
            return connections;
        }
        boolean another = open.getAndUpdate(n -> n < MOST_OPEN ? n + 1 : n) < MOST_OPEN;
        return another ? service.openConnections() : shared;
    }

    private void end(NodeChannel connections) {
        if (connections != shared) {
            open.decrementAndGet();
            connections.close();
        }
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
        if (closed.get()) {
            throw Closed.factory();
        }
        return service.check();
    }

    @Override
    public List<LockHolder> holders(LockRequest request) {
        try (StandaloneConnection connection = open()) {
            return connection.session.holders(connection.connections(), request);
        }
    }

    @Override
    public List<LockHolder> forceRelease(LockRequest request) {
        try (StandaloneConnection connection = open()) {
            return connection.session.forceRelease(connection.connections(), request);
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            if (ofAComponent) {
                service.closeUnderHolders();
            } else {
                service.close();
            }
            closeIdle();
        }
    }

    private void giveBack(NodeChannel connections) {
        if (connections == shared || !idle.offerFirst(connections)) {
            end(connections);
        }
        closeIdleIfClosed();
    }

    private void closeIdleIfClosed() {
        if (closed.get()) {
            closeIdle();
        }
    }

    private void closeIdle() {
        NodeChannel connections;
        while ((connections = idle.pollFirst()) != null) {
            end(connections);
        }
    }

    private final class StandaloneConnection extends AbstractLockConnection {

        /** Null before it is needed, and when a caller waits or has waited: a waiting caller keeps no sockets. */
        private final AtomicReference<NodeChannel> current = new AtomicReference<>();

        private final LockSession session = service.newSession();
        private final AtomicBoolean handleClosed = new AtomicBoolean();
        private final LatchCaller latchCaller = new LatchCaller(this::isOpen, this::shareConnections);

        private NodeChannel connections() {
            while (true) {
                NodeChannel known = current.get();
                if (known != null) {
                    return known;
                }
                NodeChannel taken = takeConnections();
                if (current.compareAndSet(null, taken)) {
                    giveConnectionsBackIfClosed();
                    return taken;
                }
                giveBack(taken);
            }
        }

        /** Lets others have the connections. Another thread may use them just now, so they are kept and not closed. */
        private void shareConnections() {
            NodeChannel known = current.getAndSet(null);
            if (known == null) {
                return;
            }
            if (known != shared && idle.offerFirst(known)) {
                closeIdleIfClosed();
            } else if (!current.compareAndSet(null, known)) {
                end(known); // that thread has taken a new one
            } else {
                giveConnectionsBackIfClosed();
            }
        }

        /** Another thread may have closed this before it could see the connections. */
        private void giveConnectionsBackIfClosed() {
            if (handleClosed.get()) {
                giveConnectionsBack();
            }
        }

        private void giveConnectionsBack() {
            NodeChannel known = current.getAndSet(null);
            if (known != null) {
                giveBack(known);
            }
        }

        @Override
        protected LockSession session() {
            return session;
        }

        @Override
        protected boolean attempt(PendingLease pending) throws InterruptedException {
            requireOpen();
            boolean isKnown = pending.attempt(connections());
            if (!isKnown) {
                shareConnections();
            }
            return isKnown;
        }

        @Override
        protected boolean isLocked(LockRequest request) {
            requireOpen();
            return session.isLocked(connections(), request);
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
                latchCaller.wakeAll();
                try {
                    session.close();
                } finally {
                    giveConnectionsBack();
                }
            }
        }
    }
}
