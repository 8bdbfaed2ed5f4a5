// SPDX-License-Identifier: Apache-2.0
package org.holdfast.shedlock;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;

/**
 * Takes the locks of ShedLock's jobs as leases on a majority of Redis nodes.
 *
 * <p>A lock has the name that the job gives it, so {@code @SchedulerLock(name = "clean-up")} and {@code
 * LockRequest.of("clean-up")} exclude each other. No holder takes it once more: a job that runs keeps the same job out
 * in its own process, and on its own thread.
 *
 * <p>The lease is renewed while the process lives. It ends when the job ends, and at {@code lockAtMostFor} at the
 * latest. If the process dies, the nodes free the lock when its TTL has passed: a {@code lockAtMostFor} of less than
 * 30 s is the TTL itself, also where the TTL of the factory is less; else it is the TTL of the factory, 30 s by
 * default. That is sooner than a long {@code lockAtMostFor}, so {@code KeepAliveLockProvider} has no use here. If the
 * process dies just before {@code lockAtMostFor}, the nodes keep the lock for up to one TTL more.
 *
 * <p>The nodes keep the lock for the first 30 s of {@code lockAtLeastFor}, whether or not the process lives. The
 * process keeps it for the rest, which ends if the process dies or closes the factory.
 *
 * <p>A factory whose {@code maxLeaseTtlMillis} is below 30 s keeps to these with each of the two terms that is not
 * above it. A {@code lockAtMostFor} above it leaves the TTL of the factory, and a {@code lockAtLeastFor} above it is
 * kept by the process for all of its time.
 *
 * <p>Safe for use by any number of threads. Has one daemon thread, while it has locks, that ends what is over. The
 * factory belongs to its creator, which closes it after the jobs have ended.
 */
public final class HoldfastLockProvider implements ExtensibleLockProvider {

    private static final long IDLE_SECONDS = 10;

    private final LockConnectionFactory factory;
    private final ScheduledThreadPoolExecutor ends;

    /**
     * Makes a provider. Asks no node.
     *
     * @param factory where the leases come from; it is not closed by this provider
     * @throws NullPointerException if the factory is null
     */
    public HoldfastLockProvider(LockConnectionFactory factory) {
        this.factory = Objects.requireNonNull(factory, "factory");
        ends = new ScheduledThreadPoolExecutor(1, HoldfastLockProvider::newThread);
        ends.setRemoveOnCancelPolicy(true); // else a lock for an hour is kept in memory for an hour
        ends.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        ends.allowCoreThreadTimeOut(true); // so a provider needs no close
    }

    private static Thread newThread(Runnable work) {
        Thread thread = new Thread(work, "holdfast-shedlock");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Takes the lock of a job if it is free now. Blocks for a round trip to the nodes. If several processes ask at the
     * very same moment and none of them gets a majority, each asks again after some milliseconds, for half a second;
     * where nodes answer slowly for longer, 4 s at the most.
     *
     * @param configuration the name of the lock, and for how long it is held at most and at least. A {@code
     *     lockAtLeastFor} that is not above 30 s and {@code maxLeaseTtlMillis} is kept by the nodes, whatever {@code
     *     lockAtMostFor} is
     * @return the lock, which any thread may unlock; empty if another holder has it
     * @throws org.holdfast.QuorumUnavailableException if too few nodes could be asked: nothing is known of the lock
     *     then, and the job must not run
     * @throws org.holdfast.InvalidLockRequestException if the name is longer than 1,024 bytes or not well-formed
     *     Unicode
     * @throws LockException if the thread is interrupted, whose interrupt status is set again; or if the container has
     *     no connection to give
     * @throws IllegalStateException if the factory is closed
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        JobRequest request = JobRequest.of(configuration, factory);
        try (LockConnection connection = factory.getConnection()) {
            long asked = System.nanoTime();
            return connection.tryAcquire(request.lease()).map(lease -> JobLock.begin(request, lease, asked, ends));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockException(
                    "HF0601: interrupted while taking the lock of job '" + configuration.getName() + "'", e);
        }
    }
}
