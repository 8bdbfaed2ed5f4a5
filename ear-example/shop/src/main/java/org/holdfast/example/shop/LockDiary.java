// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.holdfast.Lease;
import org.holdfast.cdi.LeaseAcquired;
import org.holdfast.cdi.LeaseLost;
import org.holdfast.cdi.LeaseReleased;
import org.holdfast.cdi.LockTimedOut;

/**
 * The last leases of this server, and the last calls that it skipped: what the events of the CDI extension report.
 * Moments
 * are those of {@link System#nanoTime()}, which on Linux and macOS is one clock for all processes of a machine.
 */
@ApplicationScoped
public class LockDiary {

    private static final int MOST_LEASES = 300;
    private static final int MOST_SKIPS = 20;
    private static final String STILL_HELD = "-";

    private final Map<Held, Span> leases = newestOnly(MOST_LEASES);
    private final Map<Long, Skip> skips = newestOnly(MOST_SKIPS);
    private long skipped;

    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    private TransactionSynchronizationRegistry transactions;

    private record Held(String lock, long token) {}

    private record Span(long from, long to, boolean ended) {}

    private record Skip(String lock, long at) {}

    void acquired(@Observes LeaseAcquired event) {
        synchronized (leases) {
            leases.put(new Held(event.names().get(0), event.token()), new Span(System.nanoTime(), 0, false));
        }
    }

    /** The event comes after the release, when another server may have the lock: {@link #done} comes before that. */
    void released(@Observes LeaseReleased event) {
        ended(new Held(event.names().get(0), event.token()), System.nanoTime());
    }

    /** The loss may be noticed late, by a process that stood still: the lease ended before, whatever was reported. */
    void lost(@Observes LeaseLost event) {
        synchronized (leases) {
            leases.computeIfPresent(
                    new Held(event.loss().name(), event.loss().token()),
                    (same, span) -> new Span(
                            span.from(), span.from() + event.loss().heldFor().toNanos(), true));
        }
    }

    /** Reports that all work under the lease is done, while it is still held. */
    void done(Lease lease) {
        ended(new Held(lease.name(), lease.token()), System.nanoTime());
    }

    /** Has the end of the calling thread's transaction report that: its lock is released after it. */
    void doneWithTransaction(Lease lease) {
        Held held = new Held(lease.name(), lease.token());
        transactions.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                ended(held, System.nanoTime());
            }
        });
    }

    private void ended(Held lease, long at) {
        synchronized (leases) {
            leases.computeIfPresent(lease, (same, span) -> span.ended() ? span : new Span(span.from(), at, true));
        }
    }

    void skipped(@Observes LockTimedOut event) {
        if (event.skipped()) {
            synchronized (skips) {
                skips.put(++skipped, new Skip(event.names().get(0), System.nanoTime()));
            }
        }
    }

    /**
     * Returns a line for each, the oldest first: {@code lease LOCK TOKEN BEGAN ENDED} and {@code skipped LOCK NUMBER
     * AT}. The lock's name is encoded as in a URL.
     */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        synchronized (leases) {
            leases.forEach((lease, span) -> lines.add("lease " + encode(lease.lock()) + " " + lease.token() + " "
                    + span.from() + " " + (span.ended() ? span.to() : STILL_HELD)));
        }
        synchronized (skips) {
            skips.forEach(
                    (number, skip) -> lines.add("skipped " + encode(skip.lock()) + " " + number + " " + skip.at()));
        }
        return lines;
    }

    private static String encode(String lock) {
        return URLEncoder.encode(lock, StandardCharsets.UTF_8);
    }

    private static <K, V> Map<K, V> newestOnly(int most) {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > most;
            }
        };
    }
}
