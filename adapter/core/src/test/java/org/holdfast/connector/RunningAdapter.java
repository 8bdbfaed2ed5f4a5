// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.XATerminator;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkContext;
import jakarta.resource.spi.work.WorkManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.Timer;
import java.util.stream.Collectors;
import org.holdfast.LockConnection;
import org.holdfast.testkit.RedisServer;

/**
 * An adapter with the least that a container gives: a timer and threads, no executor, a transaction when a test begins
 * one.
 */
final class RunningAdapter implements AutoCloseable, BootstrapContext {

    final HoldfastResourceAdapter adapter = new HoldfastResourceAdapter();
    final LockManagedConnectionFactory factory = new LockManagedConnectionFactory();

    /** The transaction of whatever thread asks. */
    final StubTransaction transaction = new StubTransaction();

    /** What the container fails with when it is asked for its transactions; null to give them. */
    RuntimeException fault;

    /** Starts it; the guard would have fresh nodes wait. */
    RunningAdapter(String nodes) throws ResourceException {
        this(nodes, null);
    }

    /** @param scheduler JNDI name of the executor; null for the server's, which has none here */
    RunningAdapter(String nodes, String scheduler) throws ResourceException {
        adapter.setScheduler(scheduler);
        adapter.setNodes(nodes);
        adapter.setGuard("OFF");
        adapter.setStopTimeoutMillis("0"); // tests leave leases behind, and stop
        adapter.setNodeTimeoutMillis("2000"); // a machine that stands still for a second is not a node that hangs
        adapter.start(this);
        factory.setResourceAdapter(adapter);
    }

    /** Returns another factory of the same adapter. */
    LockManagedConnectionFactory newFactory() throws ResourceException {
        LockManagedConnectionFactory other = new LockManagedConnectionFactory();
        other.setResourceAdapter(adapter);
        return other;
    }

    ManagedConnection managed() throws ResourceException {
        return factory.createManagedConnection(null, null);
    }

    static LockConnection handle(ManagedConnection managed) throws ResourceException {
        return (LockConnection) managed.getConnection(null, null);
    }

    static LockConnection handle(LockManagedConnectionFactory factory) throws ResourceException {
        return handle(factory.createManagedConnection(null, null));
    }

    /** Returns how many sockets adapters have to the node. */
    static long sockets(RedisServer node) throws IOException {
        return node.command("CLIENT LIST")
                .lines()
                .filter(line -> line.contains("name=holdfast"))
                .count();
    }

    /** Returns the threads of the timers of all adapters in this process. */
    static Set<Thread> timers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast-timer-"))
                .collect(Collectors.toSet());
    }

    /** Returns which of the candidates the container must throw away. */
    Set<Object> invalid(Object... candidates) {
        Set<?> invalid = factory.getInvalidConnections(Set.of(candidates));
        return Set.copyOf(invalid);
    }

    @Override
    public void close() {
        adapter.stop();
    }

    /** As WildFly does it, which names the thread after the configuration. */
    @Override
    public Timer createTimer() {
        throw new AssertionError("a thread of a name that is not ours");
    }

    @Override
    public TransactionSynchronizationRegistry getTransactionSynchronizationRegistry() {
        if (fault != null) {
            throw fault;
        }
        return transaction;
    }

    @Override
    public WorkManager getWorkManager() {
        return stub(WorkManager.class, "scheduleWork", args -> {
            Thread thread = new Thread((Work) args[0]);
            thread.setDaemon(true);
            thread.start();
            return null;
        });
    }

    private interface Answer {
        Object to(Object[] args);
    }

    private static <T> T stub(Class<T> type, String known, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> method.getName().equals(known) ? answer.to(args) : null));
    }

    @Override
    public XATerminator getXATerminator() {
        return null;
    }

    @Override
    public boolean isContextSupported(Class<? extends WorkContext> kind) {
        return false;
    }
}
