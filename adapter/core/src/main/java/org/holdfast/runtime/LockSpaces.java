// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.Time;
import org.holdfast.protocol.Transactions;
import org.holdfast.redis.NodeThrottles;

/**
 * The lock services of one adapter: one for each key prefix that its connection factories have, all on the same nodes and
 * threads.
 *
 * <p>Names below different prefixes are different locks, and everything that is kept on the nodes is below the prefix. So a
 * prefix means the same wherever it is set, for a factory or for a whole adapter, and nothing but this class knows that there
 * are several. Each costs sockets of its own for what no caller's connection does, from when it is first used.
 */
public final class LockSpaces implements AutoCloseable {

    private static final long LONGEST_STOP_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Time time = new SystemTime();
    private final NodeThrottles throttles = new NodeThrottles(time);
    private final Transactions transactions;
    private final Scheduling threads;
    private final SharedScheduling scheduling;
    private final Map<String, LockService> byPrefix = new LinkedHashMap<>();
    private boolean closed;

    /** Starts the service of the adapter's own prefix; {@link #close()} stops all of them, and the threads. */
    public LockSpaces(Settings settings, Transactions transactions, Scheduling threads) {
        this.transactions = transactions;
        this.threads = threads;
        this.scheduling = new SharedScheduling(threads);
        service(settings);
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
                prefix -> new LockService(settings, transactions, scheduling.share(), time, throttles)));
    }

    /** Closes all services. Waits 2 s for answers at the most, however many there are. */
    @Override
    public synchronized void close() {
        closed = true;
        long deadline = time.nanoTime() + LONGEST_STOP_NANOS;
        byPrefix.values().forEach(LockService::stop); // what hangs in several of them ends at the same time
        threads.close();
        byPrefix.values().forEach(service -> service.release(deadline)); // before anybody waits for a node that hangs
        byPrefix.values().forEach(service -> service.finish(deadline));
        byPrefix.clear();
    }
}
