// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import jakarta.transaction.TransactionSynchronizationRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockHolder;
import org.holdfast.LockRequest;
import org.holdfast.LockSettings;
import org.holdfast.LockTimeoutException;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.runtime.Settings;
import org.holdfast.transaction.JtaTransactions;

/**
 * Locks for unit tests of an application: the real protocol and the real scripts, on nodes in memory and in virtual
 * time.
 *
 * <p>There is no Redis and no socket. The clock stands still; {@link #advance} moves it, and leases are renewed and end
 * on the way. While a caller waits for a lock the clock goes as fast as a real one, so that another thread may release
 * the lock meanwhile; after {@link #skipWaits} a wait takes no real time.
 *
 * <p>The {@link #factory()} is what the application under test gets. {@link #otherProcess()} is a second application
 * server with the same nodes.
 *
 * <p>Nodes in memory never forget, so there is no quarantine: how an application fares when Redis restarts is a matter
 * of a test with a real one.
 *
 * <p>Safe for use by any number of threads. None of its methods but {@link #steal} waits for a lock.
 */
public final class TestLocks implements AutoCloseable {

    private static final String THREE_NODES = "redis://memory-1:6379,redis://memory-2:6379,redis://memory-3:6379";
    private static final Duration STEALING = Duration.ofSeconds(10);

    private final TestThreads threads = new TestThreads();
    private final VirtualTime time = new VirtualTime(threads);
    private final List<TestProcess> processes = new CopyOnWriteArrayList<>();
    private final MemoryNodes nodes;
    private final Settings settings;
    private final TestProcess application;
    private final TestProcess other;
    private final LockConnection thief;

    private TestLocks(Map<String, String> settings, Transactions transactions) {
        Map<String, String> complete = new HashMap<>(settings);
        complete.putIfAbsent(Settings.NODES, THREE_NODES);
        this.settings = Settings.of(complete);
        List<String> addresses =
                this.settings.nodes().stream().map(Object::toString).toList();
        this.nodes = new MemoryNodes(addresses, this.settings.keyPrefix(), time);
        this.application = process("application", transactions);
        this.other = process("other", Transactions.NONE);
        this.thief = other.getConnection();
        threads.newThread(this::runDue).start();
    }

    /** {@return locks on three nodes, with the defaults of all settings} */
    public static TestLocks create() {
        return create(Map.of());
    }

    /**
     * {@return locks with settings of the application's own}
     *
     * @param settings names and values as for {@link org.holdfast.Holdfast#connect(Map)}; {@code nodes} says how many
     *     nodes there are, three by default, and is not connected to
     * @throws org.holdfast.InvalidSettingsException if a setting is unknown or wrong, naming every fault
     */
    public static TestLocks create(Map<String, String> settings) {
        return new TestLocks(settings, Transactions.NONE);
    }

    /**
     * {@return locks with settings of the application's own}
     *
     * @param settings as for {@link org.holdfast.Holdfast#connect(LockSettings)}; the nodes say how many there are, and
     *     are not connected to
     * @throws org.holdfast.InvalidSettingsException if a setting is wrong, naming every fault
     */
    public static TestLocks create(LockSettings settings) {
        return create(settings.toMap());
    }

    /**
     * {@return locks that take part in the transactions of a transaction manager}
     *
     * @param settings as in {@link #create(Map)}
     * @param registry of the transaction manager; leases of the application end after its transactions, and a
     *     transaction whose lease is lost rolls back
     * @throws org.holdfast.InvalidSettingsException as in {@link #create(Map)}
     */
    public static TestLocks create(Map<String, String> settings, TransactionSynchronizationRegistry registry) {
        return new TestLocks(settings, new JtaTransactions(registry));
    }

    private TestProcess process(String name, Transactions transactions) {
        TestProcess process = new TestProcess(name, settings, nodes, time, threads, transactions);
        processes.add(process);
        return process;
    }

    /** {@return the factory for the application under test} */
    public LockConnectionFactory factory() {
        return application;
    }

    /** {@return the factory of another application server with the same nodes; it has no transactions} */
    public LockConnectionFactory otherProcess() {
        return other;
    }

    /**
     * Moves the clock ahead. Leases are renewed, expire and are lost on the way, as in a server that runs for so long.
     *
     * <p>Returns when everything that became due has been done, and listeners of lost leases have returned; a listener
     * that blocks is left after 1 s of real time.
     *
     * @param duration how far; not negative
     * @throws IllegalArgumentException if it is negative
     */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("duration must not be negative, was " + duration);
        }
        time.advanceTo(time.nanoTime() + duration.toNanos());
    }

    /**
     * From now on a caller that has to wait for a lock does not wait in real time: the clock goes ahead to the end of
     * its wait, unless something that is due on the way gives it the lock. For tests with one thread.
     */
    public void skipWaits() {
        time.skipWaits();
    }

    /**
     * Takes a lock away from all its holders, as an operator may: the nodes have it no more. The holders' leases are
     * lost when this returns, and their listeners have returned. A lease without renewal learns of it when it is
     * released, as in production. Does nothing if the lock is free.
     *
     * @param name the name of a lock
     */
    public void lose(String name) {
        lose(LockRequest.of(name));
    }

    /**
     * As {@link #lose(String)}, for locks with permits, readers or several names.
     *
     * @param request as the holder asked for it
     */
    public void lose(LockRequest request) {
        other.forceRelease(request);
        for (TestProcess process : processes) {
            request.names().forEach(process::takenAway);
        }
        time.settle();
    }

    /**
     * Takes a lock away from all its holders, and another process takes it.
     *
     * @param name the name of a lock
     * @return the lease of that process, with a larger token than the holders'; it is renewed until it is released
     * @throws LockTimeoutException if callers that wait for the lock come first, and keep it for 10 s
     */
    public Lease steal(String name) {
        lose(name);
        return hold(name);
    }

    /**
     * Another process takes a lock that is free, so that the application does not get it.
     *
     * @param name the name of a lock
     * @return the lease of that process; it is renewed until it is released
     * @throws LockTimeoutException if it is not free within 10 s
     */
    public Lease hold(String name) {
        LockRequest request = LockRequest.of(name).waitTimeout(STEALING);
        try {
            return thief.acquire(request);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while another process took the lock " + name, e);
        }
    }

    /**
     * {@return the holders of a lock now, as the nodes know them}
     *
     * @param name the name of a lock
     */
    public List<LockHolder> holders(String name) {
        return other.holders(name);
    }

    /**
     * {@return how many callers of the application wait in line for a lock} A caller is counted as soon as no later one
     * can come before it: with a fair lock when the nodes know its place.
     */
    public int waiting() {
        return application.waiters();
    }

    /**
     * A node answers nothing until {@link #resume}; it keeps what it receives. A caller that waits for its answer waits
     * in virtual time.
     *
     * @param node from 0
     * @throws IndexOutOfBoundsException if there is no such node
     */
    public void hang(int node) {
        nodes.hang(node);
    }

    /**
     * A node that hangs runs what it has received, and answers again. Does nothing if it does not hang.
     *
     * @param node from 0
     * @throws IndexOutOfBoundsException if there is no such node
     */
    public void resume(int node) {
        nodes.resume(node);
        time.settle();
    }

    private void runDue() {
        try {
            while (time.awaitDue()) {
                for (TestProcess process : processes) {
                    process.sweep();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // a daemon of the test, which has ended
        }
    }

    /** Releases everything, and ends all threads. Called again it does nothing. */
    @Override
    public void close() {
        processes.forEach(TestProcess::close);
        time.close();
        threads.close();
    }
}
