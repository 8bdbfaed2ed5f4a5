// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;

/**
 * How long callers of several processes wait for one lock that all of them want, and how soon the next one has it.
 *
 * <p>Each process is a JVM of its own. Their clocks are the same one, so the parent can put all leases in order, and
 * sees when two of them overlap.
 */
public final class WaitTimes {

    private static final int SECONDS = Integer.getInteger("seconds", 10);
    private static final int WAIT_SECONDS = Integer.getInteger("waitTimeout", 5);

    /** Kind, nodes, processes, threads of each, for how many microseconds a lock is held, and how many busy loops. */
    private static final String SCENARIOS =
            "floor,1,2,2,0,0;renewed,1,2,2,0,0;fixed,1,2,2,0,0;async,1,2,2,0,0;renewed,1,2,16,5000,0;"
                    + "renewed,1,2,16,5000,6;renewed,3,2,16,5000,6";

    private WaitTimes() {}

    /** One acquisition: when it was asked for, granted and given back. */
    private record Turn(int process, long token, long asked, long granted, long released) {

        static Turn parse(int process, String line) {
            long[] f = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
            return new Turn(process, f[0], f[1], f[2], f[3]);
        }

        String text() {
            return token + " " + asked + " " + granted + " " + released;
        }
    }

    /** A lock that a thread has. */
    private record Taken(long token, Runnable release) {}

    /** @param kind renewed, fixed, fair, async, or floor */
    private record Scenario(String kind, int nodes, int processes, int threads, int holdMicros, int load) {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 6) {
            contend(arguments);
            return;
        }
        System.out.println(
                "| lock | nodes | processes x threads | held µs | busy loops | acquisitions/s | share of the weaker |"
                        + " wait p50 ms | p99 | longest | timed out | a process without it for ms | next in process p50 µs |"
                        + " next in other p50 µs | p99 | any p50 | changes | kept | overlaps |");
        System.out.println("|" + " --- |".repeat(19));
        for (String spec : System.getProperty("scenarios", SCENARIOS).split(";")) {
            String[] f = spec.split(",");
            run(new Scenario(
                    f[0],
                    Integer.parseInt(f[1]),
                    Integer.parseInt(f[2]),
                    Integer.parseInt(f[3]),
                    Integer.parseInt(f[4]),
                    Integer.parseInt(f[5])));
        }
    }

    private static void run(Scenario scenario) throws Exception {
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
                                    "-DwaitTimeout=" + WAIT_SECONDS,
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    WaitTimes.class.getName(),
                                    scenario.kind(),
                                    Integer.toString(scenario.threads()),
                                    Integer.toString(scenario.holdMicros()),
                                    uris,
                                    file.toString(),
                                    Long.toString(System.nanoTime() + 4_000_000_000L))
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
                report(scenario, files, timedOut);
            } finally {
                busy.forEach(Process::destroyForcibly);
                children.forEach(Process::destroyForcibly);
            }
        }
    }

    private static void report(Scenario scenario, List<Path> files, int timedOut) throws Exception {
        List<Turn> all = new ArrayList<>();
        long[] counts = new long[files.size()];
        for (int i = 0; i < files.size(); i++) {
            for (String line : Files.readAllLines(files.get(i))) {
                all.add(Turn.parse(i, line));
                counts[i]++;
            }
            Files.delete(files.get(i));
        }
        all.sort(Comparator.comparingLong(Turn::token));
        long[] waits = sorted(all.stream().mapToLong(turn -> turn.granted() - turn.asked()));
        List<Long> same = new ArrayList<>();
        List<Long> other = new ArrayList<>();
        long overlaps = 0;
        long kept = 0;
        long[] lastOf = new long[files.size()];
        Arrays.fill(lastOf, all.get(0).granted());
        long drought = 0;
        for (int i = 0; i < all.size(); i++) {
            Turn turn = all.get(i);
            drought = Math.max(drought, turn.granted() - lastOf[turn.process()]);
            lastOf[turn.process()] = turn.granted();
            if (i > 0) {
                Turn before = all.get(i - 1);
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
        System.out.printf(
                "| %s | %d | %d x %d | %d | %d | %d | %d %% | %.1f | %.1f | %.1f | %d | %.1f | %d | %d | %d | %d | %d | %d | %d |%n",
                scenario.kind(),
                scenario.nodes(),
                scenario.processes(),
                scenario.threads(),
                scenario.holdMicros(),
                scenario.load(),
                all.size() / SECONDS,
                100 * Arrays.stream(counts).min().orElseThrow() / all.size(),
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

    private static long[] sorted(LongStream values) {
        return values.sorted().toArray();
    }

    private static long at(long[] sorted, double part) {
        return sorted.length == 0 ? 0 : sorted[(int) Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
    }

    /** One process: warms up, then records. All begin at the same moment. */
    private static void contend(String[] arguments) throws Exception {
        String kind = arguments[0];
        int threads = Integer.parseInt(arguments[1]);
        long holdNanos = TimeUnit.MICROSECONDS.toNanos(Integer.parseInt(arguments[2]));
        long warm = Long.parseLong(arguments[5]);
        long end = warm + TimeUnit.SECONDS.toNanos(SECONDS);
        LockRequest request = LockRequest.of("wanted").waitTimeout(Duration.ofSeconds(WAIT_SECONDS));
        LockRequest asked = kind.startsWith("fixed")
                ? request.fixedTtl(Duration.ofSeconds(30))
                : request.fair(kind.startsWith("fair"));
        List<List<Turn>> turns = new ArrayList<>();
        int[] timedOut = new int[threads];
        if (kind.equals("floor")) {
            try (PubSubFloor floor = new PubSubFloor(arguments[3])) {
                contend(threads, turns, mine -> take(() -> taken(floor), holdNanos, warm, end, mine), timedOut);
            }
        } else {
            try (LockConnectionFactory locks = Holdfast.connect(Map.of("nodes", arguments[3], "guard", "OFF"));
                    LockConnection connection = locks.getConnection()) {
                contend(
                        threads,
                        turns,
                        mine -> take(() -> taken(connection, asked, kind), holdNanos, warm, end, mine),
                        timedOut);
            }
        }
        Files.write(
                Path.of(arguments[4]),
                turns.stream().flatMap(List::stream).map(Turn::text).toList());
        System.out.println(Arrays.stream(timedOut).sum());
    }

    private static void contend(int threads, List<List<Turn>> turns, ToIntFunction<List<Turn>> work, int[] timedOut)
            throws Exception {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            List<Turn> mine = new ArrayList<>();
            turns.add(mine);
            int number = i;
            all.add(new Thread(() -> timedOut[number] = work.applyAsInt(mine)));
        }
        all.forEach(Thread::start);
        for (Thread thread : all) {
            thread.join();
        }
    }

    private static Taken taken(PubSubFloor floor) throws InterruptedException {
        String owner = floor.newOwner();
        return new Taken(floor.take(owner), () -> floor.release(owner));
    }

    private static Taken taken(LockConnection connection, LockRequest request, String kind) throws Exception {
        Lease lease = kind.equals("async") ? connection.acquireAsync(request).get() : connection.acquire(request);
        return new Taken(lease.token(), lease::release);
    }

    private static int take(Callable<Taken> taking, long holdNanos, long warm, long end, List<Turn> turns) {
        int timedOut = 0;
        for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
            try {
                Taken taken = taking.call();
                long granted = System.nanoTime();
                if (holdNanos > 0) {
                    LockSupport.parkNanos(
                            holdNanos / 2 + ThreadLocalRandom.current().nextLong(holdNanos));
                }
                long released = System.nanoTime();
                taken.release().run();
                if (now > warm) {
                    turns.add(new Turn(0, taken.token(), now, granted, released));
                }
            } catch (LockTimeoutException | ExecutionException e) {
                timedOut += now > warm ? 1 : 0;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        return timedOut;
    }
}
