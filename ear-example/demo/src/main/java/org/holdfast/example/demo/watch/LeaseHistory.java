// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.watch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.holdfast.example.demo.state.Clock;
import org.holdfast.example.demo.state.DemoState.Lease;

/**
 * The last leases of one lock, of all servers. Servers report at different moments, so what is shown ends at the oldest
 * of their last reports: a lease that one server has released, and has not reported yet, must not seem to overlap the
 * next one of another server.
 */
final class LeaseHistory {

    static final int MOST = 300;
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** A server that has not reported for so long is not waited for. */
    private static final long SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    private final Clock clock;
    private final TreeMap<Long, Span> spans = new TreeMap<>();
    private final Map<Integer, Long> reported = new HashMap<>();

    private long freeSince = Long.MIN_VALUE;

    private record Span(int server, long token, long from, OptionalLong to) {}

    LeaseHistory(Clock clock) {
        this.clock = clock;
    }

    /** @param at until when the server's report is complete */
    synchronized void add(int server, long at, List<ShopReport.Lease> leases) {
        reported.put(server, at);
        for (ShopReport.Lease lease : leases) {
            spans.put(lease.token(), new Span(server, lease.token(), lease.from(), lease.to()));
        }
        spans.values().removeIf(span -> span.to().isPresent() && at - span.from() > KEPT_NANOS);
        while (spans.size() > 2 * MOST) {
            spans.pollFirstEntry();
        }
    }

    /** At that moment the nodes reported no holder. */
    synchronized void free(long at) {
        freeSince = at;
    }

    /** The server does not run: it reports nothing more. */
    synchronized void forget(int server) {
        reported.remove(server);
    }

    /** Returns them, newest last. */
    synchronized List<Lease> leases(long now) {
        reported.values().removeIf(at -> now - at > SILENT_NANOS);
        long cut = reported.values().stream().mapToLong(Long::longValue).min().orElse(now);
        List<Span> shown = spans.values().stream()
                .filter(span -> span.from() <= cut && (span.to().isEmpty() || now - span.from() <= KEPT_NANOS))
                .toList();
        List<Span> newest = shown.subList(Math.max(0, shown.size() - MOST), shown.size());
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < newest.size(); i++) {
            leases.add(describe(newest.get(i), i + 1 < newest.size() ? newest.get(i + 1) : null, cut));
        }
        return leases;
    }

    private Lease describe(Span span, Span next, long cut) {
        return new Lease(span.server(), span.token(), clock.millis(span.from()), end(span, next, cut));
    }

    /** A server that is silent cannot report the end of its lease: it had ended when the next one began. */
    private Double end(Span span, Span next, long cut) {
        if (span.to().isPresent() && span.to().getAsLong() <= cut) {
            return clock.millis(span.to().getAsLong());
        }
        if (reported.containsKey(span.server())) {
            return null;
        }
        if (next != null) {
            return clock.millis(next.from());
        }
        return freeSince > span.from() ? clock.millis(freeSince) : null;
    }
}
