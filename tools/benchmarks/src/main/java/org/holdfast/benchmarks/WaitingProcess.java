// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToIntFunction;
import org.holdfast.LockTimeoutException;

/** One of the processes of {@link WaitTimes}, whose threads all want the same lock. */
final class WaitingProcess {

    private WaitingProcess() {}

    /** One acquisition: when it was asked for, granted and given back. */
    record Turn(int process, long token, long asked, long granted, long released) {

        static Turn parse(int process, String line) {
            long[] f = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
            return new Turn(process, f[0], f[1], f[2], f[3]);
        }

        String text() {
            return token + " " + asked + " " + granted + " " + released;
        }
    }

    /** One process: warms up, then records. All begin at the same moment. */
    public static void main(String[] arguments) throws Exception {
        String kind = arguments[0];
        int threads = Integer.parseInt(arguments[1]);
        long holdNanos = TimeUnit.MICROSECONDS.toNanos(Integer.parseInt(arguments[2]));
        long pauseNanos = TimeUnit.MICROSECONDS.toNanos(Integer.parseInt(arguments[3]));
        long warm = Long.parseLong(arguments[6]);
        long end = warm + TimeUnit.SECONDS.toNanos(WaitTimes.SECONDS);
        List<List<Turn>> turns = new ArrayList<>();
        int[] timedOut = new int[threads];
        try (LockClient client = Library.of(kind).connect(List.of(arguments[4].split(",")))) {
            Turns shape = new Turns(holdNanos, pauseNanos, warm, end);
            contend(threads, turns, mine -> shape.take(() -> client.take("wanted"), mine), timedOut);
        }
        Files.write(
                Path.of(arguments[5]),
                turns.stream().flatMap(List::stream).map(Turn::text).toList());
        System.out.println(Arrays.stream(timedOut).sum());
        System.exit(0); // threads of other libraries may go on
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

    /** What a thread does until the end. Only turns that begin after the warm-up count. */
    private record Turns(long holdNanos, long pauseNanos, long warm, long end) {

        /** Adds the turns that the thread has had; returns how often it has waited in vain. */
        int take(Callable<LockClient.Taken> taking, List<Turn> turns) {
            int timedOut = 0;
            for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
                try {
                    LockClient.Taken taken = taking.call();
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
                    if (pauseNanos > 0) {
                        LockSupport.parkNanos(pauseNanos);
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
}
