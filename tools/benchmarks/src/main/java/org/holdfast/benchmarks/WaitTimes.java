// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;

/**
 * How long callers of several processes wait for one lock that all of them want, and how soon the next one has it.
 *
 * <p>Each process is a JVM of its own. Their clocks are the same one, so the parent can put all leases in order, and
 * sees when two of them overlap.
 */
public final class WaitTimes {

    static final int SECONDS = Integer.getInteger("seconds", 10);

    /**
     * For what is connected, let go first after its start, and compiled: for 20 s the compilers of two processes have
     * more than one of two processors, in turns of milliseconds, for which a thread that was woken waits.
     */
    private static final long WARM_NANOS = 40_000_000_000L;

    /**
     * Kind, nodes, processes, threads of each, for how many microseconds a lock is held, and is not wanted after its
     * release, and how many busy loops.
     */
    private static final String SCENARIOS = "floor,1,2,2,0,0,0;renewed,1,2,2,0,0,0;fixed,1,2,2,0,0,0;async,1,2,2,0,0,0;"
            + "floor,1,2,1,2000,1000,0;renewed,1,2,1,2000,1000,0;fixed,1,2,1,2000,1000,0;fair,1,2,1,2000,1000,0;"
            + "spring,1,2,1,2000,1000,0;"
            + "renewed,1,2,16,5000,0,0;renewed,1,2,16,5000,0,6;renewed,3,2,16,5000,0,6";

    private WaitTimes() {}

    /**
     * What is measured.
     *
     * @param kind a {@link Library}, in lower case
     * @param pauseMicros for so long a thread does not want the lock after its release: with one thread a process, and
     *     long enough, each hand-off goes to a process that waits. Without a pause a library that lets its own process
     *     go first counts only those hand-offs to the other one that were fast
     */
    record Scenario(String kind, int nodes, int processes, int threads, int holdMicros, int pauseMicros, int load) {}

    public static void main(String[] arguments) throws Exception {
        System.out.println(
                "| lock | nodes | processes x threads | held µs | not wanted µs | busy loops | acquisitions/s | share of the weaker |"
                        + " wait p50 ms | p99 | longest | timed out | a process without it for ms | next in process p50 µs |"
                        + " next in other p50 µs | p99 | any p50 | changes | kept | overlaps |");
        System.out.println("|" + " --- |".repeat(20));
        for (String spec : System.getProperty("scenarios", SCENARIOS).split(";")) {
            String[] f = spec.split(",");
            Scenario scenario = new Scenario(
                    f[0],
                    Integer.parseInt(f[1]),
                    Integer.parseInt(f[2]),
                    Integer.parseInt(f[3]),
                    Integer.parseInt(f[4]),
                    Integer.parseInt(f[5]),
                    Integer.parseInt(f[6]));
            System.out.println(measure(scenario).row(scenario));
        }
    }

    static Outcome measure(Scenario scenario) throws Exception {
        try (RedisServers redis = RedisServers.start(scenario.nodes(), Path.of("target", "redis"))) {
            String uris = redis.all().stream().map(RedisServer::uri).collect(Collectors.joining(","));
            List<Process> children = new ArrayList<>();
            List<Path> files = new ArrayList<>();
            List<Process> busy = new ArrayList<>();
            for (int i = 0; i < scenario.load(); i++) {
                busy.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
            }
            try {
                for (int i = 0; i < scenario.processes(); i++) {
                    Path file = Files.createTempFile("turns", ".txt");
                    files.add(file);
                    children.add(new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin", "java")
                                            .toString(),
                                    "-Dseconds=" + SECONDS,
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    WaitingProcess.class.getName(),
                                    scenario.kind(),
                                    Integer.toString(scenario.threads()),
                                    Integer.toString(scenario.holdMicros()),
                                    Integer.toString(scenario.pauseMicros()),
                                    uris,
                                    file.toString(),
                                    Long.toString(System.nanoTime() + WARM_NANOS))
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
                }
                int timedOut = 0;
                for (Process child : children) {
                    try (BufferedReader out =
                            new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
                        timedOut += Integer.parseInt(out.readLine());
                    }
                    child.waitFor();
                }
                return outcome(files, timedOut);
            } finally {
                busy.forEach(Process::destroyForcibly);
                children.forEach(Process::destroyForcibly);
            }
        }
    }

    private static Outcome outcome(List<Path> files, int timedOut) throws Exception {
        List<WaitingProcess.Turn> all = new ArrayList<>();
        long[] counts = new long[files.size()];
        for (int i = 0; i < files.size(); i++) {
            for (String line : Files.readAllLines(files.get(i))) {
                all.add(WaitingProcess.Turn.parse(i, line));
                counts[i]++;
            }
            Files.delete(files.get(i));
        }
        all.sort(Comparator.comparingLong(WaitingProcess.Turn::token));
        long[] waits = sorted(all.stream().mapToLong(turn -> turn.granted() - turn.asked()));
        List<Long> same = new ArrayList<>();
        List<Long> other = new ArrayList<>();
        long overlaps = 0;
        long kept = 0;
        long[] lastOf = new long[files.size()];
        Arrays.fill(lastOf, all.get(0).granted());
        long drought = 0;
        for (int i = 0; i < all.size(); i++) {
            WaitingProcess.Turn turn = all.get(i);
            drought = Math.max(drought, turn.granted() - lastOf[turn.process()]);
            lastOf[turn.process()] = turn.granted();
            if (i > 0) {
                WaitingProcess.Turn before = all.get(i - 1);
                long gap = turn.granted() - before.released();
                overlaps += gap < 0 ? 1 : 0;
                kept += before.process() == turn.process() && turn.token() != before.token() + 1 ? 1 : 0;
                (before.process() == turn.process() ? same : other).add(gap);
            }
        }
        long end = all.get(all.size() - 1).granted();
        for (long last : lastOf) {
            drought = Math.max(drought, end - last);
        }
        long[] sames = sorted(same.stream().mapToLong(Long::longValue));
        long[] others = sorted(other.stream().mapToLong(Long::longValue));
        long[] any = sorted(LongStream.concat(Arrays.stream(sames), Arrays.stream(others)));
        return new Outcome(
                all.size() / SECONDS,
                100 * Arrays.stream(counts).min().orElseThrow() / all.size(),
                waits,
                timedOut,
                drought,
                sames,
                others,
                any,
                kept,
                overlaps);
    }

    /**
     * What was seen; times in nanoseconds, sorted.
     *
     * @param weaker the share of the weaker process, in percent
     * @param drought the longest time for which a process was without the lock
     * @param sames how soon the next owner had the lock, in the same process
     * @param others likewise, in another one
     * @param kept how often a process took the lock again, and no other one had it meanwhile
     */
    record Outcome(
            long perSecond,
            long weaker,
            long[] waits,
            int timedOut,
            long drought,
            long[] sames,
            long[] others,
            long[] any,
            long kept,
            long overlaps) {

        String row(Scenario scenario) {
            return String.format(
                    "| %s | %d | %d x %d | %d | %d | %d | %d | %d %% | %.1f | %.1f | %.1f | %d | %.1f | %d | %d | %d | %d | %d | %d | %d |",
                    scenario.kind(),
                    scenario.nodes(),
                    scenario.processes(),
                    scenario.threads(),
                    scenario.holdMicros(),
                    scenario.pauseMicros(),
                    scenario.load(),
                    perSecond,
                    weaker,
                    at(waits, 0.5) / 1e6,
                    at(waits, 0.99) / 1e6,
                    at(waits, 1) / 1e6,
                    timedOut,
                    drought / 1e6,
                    at(sames, 0.5) / 1000,
                    at(others, 0.5) / 1000,
                    at(others, 0.99) / 1000,
                    at(any, 0.5) / 1000,
                    others.length,
                    kept,
                    overlaps);
        }
    }

    private static long[] sorted(LongStream values) {
        return values.sorted().toArray();
    }

    static long at(long[] sorted, double part) {
        return sorted.length == 0 ? 0 : sorted[(int) Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
    }
}
