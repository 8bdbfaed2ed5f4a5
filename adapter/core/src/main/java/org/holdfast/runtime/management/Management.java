// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.management;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.ObjectName;
import org.holdfast.LockException;
import org.holdfast.LockHolder;
import org.holdfast.LockRequest;
import org.holdfast.protocol.LockEngine;
import org.holdfast.protocol.env.Heaviest;
import org.holdfast.protocol.lease.Counters;
import org.holdfast.protocol.node.LogText;
import org.holdfast.protocol.quorum.UnfinishedReleases;
import org.holdfast.redis.LockNodes;
import org.jspecify.annotations.Nullable;

/** Shows a lock service to JMX. Where that is not allowed there is one line in the log, and nothing else changes. */
public final class Management implements LockServiceMXBean, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Management.class.getName());
    private static final int MOST_NAMES = 1_000;
    private static final int MOST_WAITED_FOR = 20;

    /** So much of a reason is in the audit, after the name of the user. */
    private static final int LONGEST_REASON = 200;

    private final String keyPrefix;
    private final LockEngine engine;
    private final Counters counters;
    private final UnfinishedReleases unfinished;
    private final LockNodes nodes;
    private final Operations operations;
    private @Nullable ObjectName name;

    public Management(
            String keyPrefix,
            LockEngine engine,
            UnfinishedReleases unfinished,
            LockNodes nodes,
            Operations operations) {
        this.keyPrefix = keyPrefix;
        this.engine = engine;
        this.counters = engine.counters();
        this.unfinished = unfinished;
        this.nodes = nodes;
        this.operations = operations;
        try {
            name = register();
        } catch (JMException | SecurityException e) {
            LOG.log(System.Logger.Level.WARNING, "HF0102: JMX does not show the lock service: " + e);
        }
    }

    /**
     * Takes the smallest number that is free, so an adapter that is started again has its name again. Another adapter
     * of this JVM may have the same prefix.
     */
    private ObjectName register() throws JMException {
        String prefix = keyPrefix.contains(":") ? ObjectName.quote(keyPrefix) : keyPrefix;
        for (int id = 1; ; id++) {
            ObjectName next = new ObjectName("org.holdfast:type=LockService,prefix=" + prefix + ",id=" + id);
            try {
                return ManagementFactory.getPlatformMBeanServer()
                        .registerMBean(new DescribedBean(this), next)
                        .getObjectName();
            } catch (InstanceAlreadyExistsException e) {
                // the next one may be free
            }
        }
    }

    @Override
    public String getKeyPrefix() {
        return keyPrefix;
    }

    @Override
    public Map<String, String> getNodes() {
        return nodes.describeNodes();
    }

    @Override
    public Map<String, String> getNodeStates() {
        Map<String, String> states = new LinkedHashMap<>();
        nodes.known().forEach(node -> states.put(node.address(), node.state().name()));
        return states;
    }

    @Override
    public int getHeld() {
        return engine.held();
    }

    @Override
    public List<String> getHeldNames() {
        return engine.heldNames(MOST_NAMES).stream().map(LogText::line).toList();
    }

    @Override
    public int getWaiters() {
        return engine.waiters();
    }

    @Override
    public long getAcquired() {
        return counters.acquired();
    }

    @Override
    public long getReentered() {
        return counters.reentered();
    }

    @Override
    public long getHandedOff() {
        return counters.handedOff();
    }

    @Override
    public long getTimedOut() {
        return counters.timedOut();
    }

    @Override
    public long getUnavailable() {
        return counters.unavailable();
    }

    @Override
    public long getReleased() {
        return counters.released();
    }

    @Override
    public long getRenewed() {
        return counters.renewed();
    }

    @Override
    public long getRenewalsFailed() {
        return counters.renewalsFailed();
    }

    @Override
    public long getLost() {
        return counters.lost();
    }

    @Override
    public int getUnconfirmedReleases() {
        return unfinished.size();
    }

    @Override
    public long getAcquireMicrosMedian() {
        return counters.acquiring().nanosOf(0.5) / 1_000;
    }

    @Override
    public long getAcquireMicros99() {
        return counters.acquiring().nanosOf(0.99) / 1_000;
    }

    @Override
    public long getAcquireMicrosMax() {
        return counters.acquiring().longestNanos() / 1_000;
    }

    @Override
    public Map<String, Long> getMostWaits() {
        return byName(counters.mostWaits(MOST_WAITED_FOR), 1);
    }

    @Override
    public Map<String, Long> getLongestWaitMillis() {
        return byName(counters.longestWaitNanos(MOST_WAITED_FOR), TimeUnit.MILLISECONDS.toNanos(1));
    }

    private static Map<String, Long> byName(List<Heaviest.Sum> sums, long unit) {
        Map<String, Long> byName = new LinkedHashMap<>();
        sums.forEach(each -> byName.merge(LogText.line(each.name()), each.sum() / unit, Long::sum));
        return byName;
    }

    @Override
    public List<String> listLocks(int limit) {
        return plain(() -> LockLines.of(operations.locks(limit)));
    }

    @Override
    public List<String> describeLock(String lock) {
        return describeLock(lock, 0);
    }

    @Override
    public List<String> describeLock(String lock, int permits) {
        return plain(() -> LockLines.of(operations.state(request(lock, permits))));
    }

    private static LockRequest request(String lock, int permits) {
        return permits == 0 ? LockRequest.of(lock) : LockRequest.semaphore(lock, permits);
    }

    @Override
    public List<String> forceRelease(String lock, @Nullable String reason) {
        return forceRelease(lock, 0, 0, reason);
    }

    @Override
    public List<String> forceRelease(String lock, int permits, long token, @Nullable String reason) {
        return plain(() -> {
            if (reason == null || reason.isBlank() || reason.length() > LONGEST_REASON) {
                throw new IllegalArgumentException("a forced release needs a reason, for the audit: of "
                        + LONGEST_REASON + " characters at the most, and not blank");
            }
            String audited = JmxCaller.describe() + ": " + reason;
            LockRequest request = request(lock, permits);
            List<LockHolder> removed = token == 0
                    ? operations.forceRelease(request, audited)
                    : operations.forceRelease(request, token, audited);
            return removed.stream().map(LockLines::of).toList();
        });
    }

    /** A console need not have our classes: it receives exceptions of the JDK, with the same message. */
    private static List<String> plain(Supplier<List<String>> operation) {
        try {
            return new ArrayList<>(operation.get());
        } catch (LockException e) {
            throw new IllegalStateException(
                    LogText.line(String.valueOf(e.getMessage()))); // without its cause, of our classes
        }
    }

    @Override
    public void close() {
        if (name != null) {
            try {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            } catch (JMException | SecurityException e) {
                LOG.log(System.Logger.Level.WARNING, "HF0103: JMX still shows a lock service that was stopped: " + e);
            }
        }
    }
}
