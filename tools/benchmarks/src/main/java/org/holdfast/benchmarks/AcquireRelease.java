// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.holdfast.testkit.RedisServers;

/**
 * One thread takes a lock and releases it, on 1, 3 and 5 nodes, and on 3 of which one hangs or is gone.
 *
 * <p>The contestants take turns within one run, a few hundred pairs at a time, so that whatever else the machine does
 * meets all of them. Times are those of the client; so is the processor time, of all its threads.
 */
public final class AcquireRelease {

    private static final int WARM_UP = 10;
    private static final int TURNS = Integer.getInteger("turns", 40);
    private static final int PAIRS = 500;

    private AcquireRelease() {}

    public static void main(String[] arguments) throws Exception {
        System.out.println("| nodes | client | p50 µs | p99 µs | CPU µs a pair | p50 / first |");
        System.out.println("| --- | --- | --- | --- | --- | --- |");
        for (int count : new int[] {1, 3, 5}) {
            try (RedisServers redis = RedisServers.start(count, Path.of("target", "redis"))) {
                measure(Integer.toString(count), Contestants.on(redis.all()));
            }
        }
        withOneNodeMissing();
    }

    /** Ours alone, beside itself: healthy, one of three frozen, one of three killed. */
    private static void withOneNodeMissing() throws Exception {
        Path directory = Path.of("target", "redis");
        try (RedisServers healthy = RedisServers.start(3, directory);
                RedisServers hung = RedisServers.start(3, directory);
                RedisServers refused = RedisServers.start(3, directory)) {
            List<Contestant> all = List.of(
                    Contestants.holdfast("Holdfast, all healthy", healthy.all()),
                    Contestants.holdfast("Holdfast, one hangs", hung.all()),
                    Contestants.holdfast("Holdfast, one is gone", refused.all()));
            for (Contestant contestant : all) {
                contestant.pair();
            }
            hung.get(0).freeze();
            refused.get(0).kill();
            measure("3", all);
            hung.get(0).thaw();
        }
    }

    private static void measure(String nodes, List<Contestant> contestants) throws Exception {
        Map<Contestant, List<long[]>> times = new LinkedHashMap<>();
        Map<Contestant, Long> processor = new LinkedHashMap<>();
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        for (int turn = -WARM_UP; turn < TURNS; turn++) {
            for (Contestant contestant : contestants) {
                long before = system.getProcessCpuTime();
                long[] nanos = turn(contestant);
                if (turn >= 0) {
                    times.computeIfAbsent(contestant, c -> new ArrayList<>()).add(nanos);
                    processor.merge(contestant, system.getProcessCpuTime() - before, Long::sum);
                }
            }
        }
        double first = 0;
        for (Contestant contestant : contestants) {
            long[] all = times.get(contestant).stream()
                    .flatMapToLong(java.util.Arrays::stream)
                    .toArray();
            double p50 = Contestants.percentile(all, 0.5);
            first = first == 0 ? p50 : first;
            System.out.printf(
                    "| %s | %s | %.1f | %.1f | %.1f | %.2f |%n",
                    nodes,
                    contestant.name(),
                    p50,
                    Contestants.percentile(all, 0.99),
                    processor.get(contestant) / 1_000.0 / all.length,
                    p50 / first);
            contestant.close();
        }
    }

    private static long[] turn(Contestant contestant) throws Exception {
        long[] nanos = new long[PAIRS];
        for (int i = 0; i < PAIRS; i++) {
            long begun = System.nanoTime();
            contestant.pair();
            nanos[i] = System.nanoTime() - begun;
        }
        return nanos;
    }
}
