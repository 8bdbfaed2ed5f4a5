// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;

/**
 * One thread takes a lock and releases it, on 1, 3 and 5 nodes.
 *
 * <p>The contestants take turns within one run, a few hundred pairs at a time, so that whatever else the machine does
 * meets all of them. Times are those of the client; so is the processor time, of all its threads. {@link
 * OnQuorum} has nodes that hang or are gone.
 */
public final class AcquireRelease {

    /** Until the compiler has done with all of them: it has a processor of two for itself before. */
    private static final int WARM_UP = Integer.getInteger("warm", 60);

    private static final int TURNS = Integer.getInteger("turns", 40);
    private static final int PAIRS = 500;

    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    private AcquireRelease() {}

    public static void main(String[] arguments) throws Exception {
        System.out.println("| nodes | client | p50 µs | p99 µs | p99.9 µs | processor of the client, µs a pair"
                + " | of a node, µs a pair | allocated by the caller, kB a pair | p50 / floor |");
        System.out.println("|" + " --- |".repeat(9));
        for (int count : new int[] {1, 3, 5}) {
            try (RedisServers redis = RedisServers.start(count, Path.of("target", "redis"))) {
                List<Pairs> all = measure(redis.all(), Contestants.on(redis.all()));
                all.forEach(each -> print(count, each, all.get(0)));
            }
        }
    }

    private static void print(int nodes, Pairs pairs, Pairs floor) {
        System.out.printf(
                "| %d | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.2f |%n",
                nodes,
                pairs.name(),
                pairs.p50(),
                pairs.p99(),
                pairs.p999(),
                pairs.client(),
                pairs.node(),
                pairs.allocated(),
                pairs.p50() / floor.p50());
    }

    /**
     * What a pair took.
     *
     * @param p50 in microseconds, as all but the last
     * @param client processor time of the client
     * @param node processor time of a node
     * @param allocated by the thread that takes the lock, in kB
     */
    record Pairs(String name, double p50, double p99, double p999, double client, double node, double allocated) {}

    /** What the turns of one contestant came to. */
    private static final class Sum {
        private final List<long[]> nanos = new ArrayList<>();
        private long clientNanos;
        private long allocated;
        private double serverMicros;

        Pairs of(String name, int nodes) {
            long[] all = nanos.stream().flatMapToLong(Arrays::stream).toArray();
            return new Pairs(
                    name,
                    Contestants.percentile(all, 0.5),
                    Contestants.percentile(all, 0.99),
                    Contestants.percentile(all, 0.999),
                    clientNanos / 1_000.0 / all.length,
                    serverMicros / nodes / all.length,
                    allocated / 1_000.0 / all.length);
        }
    }

    /** Returns what each contestant took; the floor is the first one. */
    static List<Pairs> measure(List<RedisServer> nodes, List<Contestant> contestants) throws Exception {
        Map<Contestant, Sum> sums = new LinkedHashMap<>();
        for (int turn = -WARM_UP; turn < TURNS; turn++) {
            for (Contestant contestant : contestants) {
                Sum sum = turn < 0 ? new Sum() : sums.computeIfAbsent(contestant, c -> new Sum());
                long clientBefore = PROCESS.getProcessCpuTime();
                double serverBefore = NodeFigures.processorMicros(nodes);
                long allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
                sum.nanos.add(turn(contestant));
                sum.allocated += THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
                sum.serverMicros += NodeFigures.processorMicros(nodes) - serverBefore;
                sum.clientNanos += PROCESS.getProcessCpuTime() - clientBefore;
            }
        }
        List<Pairs> all = new ArrayList<>();
        for (Contestant contestant : contestants) {
            all.add(sums.get(contestant).of(contestant.name(), nodes.size()));
            contestant.close();
        }
        return all;
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
