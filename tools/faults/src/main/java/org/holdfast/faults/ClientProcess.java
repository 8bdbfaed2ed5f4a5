// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.testkit.ProcessSignal;

/** A client in a JVM of its own. It ends with this JVM, whose pipe it reads. */
final class ClientProcess {

    /** Of a caller: one of several names takes two. */
    private static final int NUMBERS_OF_A_CALLER = 2;

    private static final long ANSWER_MILLIS = 20_000;

    private final int number;
    private final int numbers;
    private final Process process;
    private final Observations observations;
    private final Thread reader;

    /** From when to when it was stopped. */
    private final List<long[]> stops = new ArrayList<>();

    private int questions;

    ClientProcess(int number, Observations observations, Deployment.Plan plan, int resource, String nodes, Path log) {
        this.number = number;
        this.numbers = NUMBERS_OF_A_CALLER * plan.load().callers();
        this.observations = observations;
        try {
            Files.createDirectories(log.toAbsolutePath().getParent());
            this.process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx96m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            ClientMain.class.getName(),
                            Integer.toString(number),
                            Integer.toString(plan.load().callers()),
                            plan.habit().name(),
                            Integer.toString(resource),
                            plan.guard(),
                            nodes,
                            Integer.toString(plan.load().names()))
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.reader = Threads.start("reports-" + number, this::read);
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.US_ASCII)) {
            String line;
            while ((line = lines.readLine()) != null) {
                observations.add(number, Report.read(line));
            }
        } catch (IOException e) {
            // it was killed
        } finally {
            observations.gone(number, caller -> caller / numbers == number);
        }
    }

    int number() {
        return number;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void stop() {
        ProcessSignal.STOP.send(process);
        stops.add(new long[] {System.nanoTime(), Long.MAX_VALUE});
    }

    void resume() {
        ProcessSignal.CONT.send(process);
        stops.stream().filter(stop -> stop[1] == Long.MAX_VALUE).forEach(stop -> stop[1] = System.nanoTime());
    }

    /** Returns whether it was stopped at some moment of that time. */
    boolean stoodStill(long from, long to) {
        return stops.stream().anyMatch(stop -> stop[0] <= to && stop[1] >= from);
    }

    boolean isOf(int caller) {
        return caller / numbers == number;
    }

    void collectGarbage() {
        send("gc");
    }

    /**
     * Asks for its heap, after a collection. All that it had reported before is known then.
     *
     * @return bytes in use; -1 if it does not answer
     */
    long heapBytes() throws InterruptedException {
        questions++;
        send("status " + questions);
        Report.Status status = observations.awaitStatus(number, questions, ANSWER_MILLIS);
        return status == null ? -1 : status.heapBytes();
    }

    private void send(String command) {
        try {
            process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().flush();
        } catch (IOException e) {
            // it was killed
        }
    }

    /** Kills it, and waits until all that it had reported is known. */
    void kill() throws InterruptedException {
        process.toHandle().destroyForcibly(); // that of the process itself would close the pipe before all was read
        process.waitFor();
        reader.join();
    }
}
