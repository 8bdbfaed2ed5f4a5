// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.watch;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.holdfast.example.demo.state.Clock;
import org.holdfast.example.demo.state.DemoState.Job;
import org.holdfast.example.demo.state.DemoState.JobRun;

/** The last runs of the shop's job: which server did it, and which ones skipped it at the same time. */
final class JobHistory {

    static final String LOCK = "stocktaking";

    private static final long PERIOD_MILLIS = 10_000;
    private static final int MOST = 12;
    private static final long SAME_TIME_NANOS = TimeUnit.MILLISECONDS.toNanos(PERIOD_MILLIS / 2);

    private final Clock clock;
    private final Map<Long, Run> runs = newestOnly();
    private final Map<SkipKey, Long> skips = newestOnly();

    private record Run(int server, long token, long at) {}

    /** A server that was started again counts from the beginning, in another process. */
    private record SkipKey(int server, long pid, long number) {}

    JobHistory(Clock clock) {
        this.clock = clock;
    }

    private static <K, V> Map<K, V> newestOnly() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > 2 * MOST;
            }
        };
    }

    synchronized void add(int server, long pid, ShopReport report) {
        for (ShopReport.Lease lease : report.leases()) {
            if (lease.lock().equals(LOCK)) {
                runs.put(lease.token(), new Run(server, lease.token(), lease.from()));
            }
        }
        for (ShopReport.Skip skip : report.skips()) {
            if (skip.lock().equals(LOCK)) {
                skips.put(new SkipKey(server, pid, skip.number()), skip.at());
            }
        }
    }

    synchronized Job job() {
        List<JobRun> newest = runs.values().stream()
                .sorted((one, other) -> Long.compare(one.token(), other.token()))
                .skip(Math.max(0, runs.size() - MOST))
                .map(run -> new JobRun(run.server(), clock.millis(run.at()), run.token(), skippedBy(run)))
                .toList();
        return new Job(PERIOD_MILLIS, newest);
    }

    private List<Integer> skippedBy(Run run) {
        return skips.entrySet().stream()
                .filter(skip -> Math.abs(skip.getValue() - run.at()) < SAME_TIME_NANOS)
                .map(skip -> skip.getKey().server())
                .distinct()
                .sorted()
                .toList();
    }
}
