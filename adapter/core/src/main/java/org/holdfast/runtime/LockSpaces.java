// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.redis.health.NodeLogLimiters;
import org.holdfast.runtime.scheduling.Scheduling;
import org.holdfast.runtime.scheduling.SharedScheduling;

/**
 * The lock services of one adapter: one for each key prefix that its connection factories have, all on the same nodes
 * and threads.
 *
 * <p>Names below different prefixes are different locks, and everything that is kept on the nodes is below the prefix.
 * So a prefix means the same wherever it is set, for a factory or for a whole adapter, and nothing but this class knows
 * that there are several. Each costs sockets of its own for what no caller's connection does, from when it is first
 * used.
 */
public final class LockSpaces implements AutoCloseable {

    private final Time time = new SystemTime();
    private final NodeLogLimiters logLimiters = new NodeLogLimiters(time);
    private final Transactions transactions;
    private final Scheduling threads;
    private final SharedScheduling scheduling;
    private final Map<String, LockService> byPrefix = new LinkedHashMap<>();
    private final long stopTimeoutNanos;
    private boolean closed;

    /** Starts the service of the adapter's own prefix; {@link #close()} stops all of them, and the threads. */
    public LockSpaces(Settings settings, Transactions transactions, Scheduling threads) {
        this.transactions = transactions;
        this.threads = threads;
        this.scheduling = new SharedScheduling(threads);
        this.stopTimeoutNanos = settings.stopTimeout().toNanos();
        service(settings).ifPresent(LockService::checkAtStart);
    }

    /**
     * Returns the service of a prefix, started if need be; none if the adapter has been stopped.
     *
     * @param settings the adapter's, with the prefix of a connection factory
     */
    public synchronized Optional<LockService> service(Settings settings) {
        if (closed) {
            return Optional.empty();
        }
        return Optional.of(byPrefix.computeIfAbsent(
                settings.keyPrefix(),
                prefix -> new LockService(settings, transactions, scheduling.share(), time, logLimiters)));
    }

    /**
     * Stops all services: refuses what is new at once, and lets holders and open transactions end for the setting
     * {@code stopTimeoutMillis}. What is held then is lost, its holders are notified, and nodes keep the locks until
     * their TTL ends. Waits 2 s for answers besides, at the most, however many services there are. Called again it does
     * nothing.
     */
    @Override
    public void close() {
        List<LockService> services = takeServicesOrEndThreads();
        try {
            leaveHolders(services);
        } finally { // also where the container fails us, as Payara 6 does with StackOverflowError: then nothing is
            // released
            try {
                forEach(services, LockService::stop); // what hangs in several of them ends at the same time
            } finally {
                threads.close();
            }
        }
        long deadline = ServiceEnd.deadline(time);
        try {
            forEach(services, service -> service.release(deadline)); // before any of them waits for a node that hangs
        } finally {
            forEach(services, service -> service.finish(deadline));
        }
    }

    /** Calls for each service, also if that fails for another one. */
    private static void forEach(List<LockService> services, Consumer<LockService> call) {
        forEach(services.iterator(), call);
    }

    private static void forEach(Iterator<LockService> services, Consumer<LockService> call) {
        if (services.hasNext()) {
            try {
                call.accept(services.next());
            } finally {
                forEach(services, call);
            }
        }
    }

    private void leaveHolders(List<LockService> services) {
        long patience = time.nanoTime() + stopTimeoutNanos;
        services.forEach(LockService::refuse);
        services.forEach(service -> service.awaitHolders(patience));
        String reason = "the resource adapter was stopped, and its holder did not end within stopTimeoutMillis = "
                + TimeUnit.NANOSECONDS.toMillis(stopTimeoutNanos);
        List<LockService> losing = services.stream()
                .filter(service -> service.leaveHolders(reason))
                .toList();
        losing.forEach(LockService::awaitListeners);
    }

    /** A container stops an adapter once: without memory at least nothing is renewed any more. */
    private List<LockService> takeServicesOrEndThreads() {
        try {
            return takeServices();
        } catch (OutOfMemoryError e) {
            threads.close();
            throw e;
        }
    }

    /** Callers that ask for a service meanwhile must not wait until the stop has ended. */
    private synchronized List<LockService> takeServices() {
        closed = true;
        List<LockService> services = List.copyOf(byPrefix.values());
        byPrefix.clear();
        return services;
    }
}
