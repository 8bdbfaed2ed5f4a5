// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;

/**
 * A client process: callers that take locks until its standard input ends.
 *
 * <p>It reads commands there: {@code status N} asks for its heap, {@code gc} has it collect garbage for half a second.
 */
final class ClientMain {

    private static final long COLLECTING_NANOS = 500_000_000;

    /** Callers of several names take more than one number. */
    private static final int NUMBERS_OF_A_CALLER = 2;

    private ClientMain() {}

    /** @param arguments number, callers, habit, port of the resource, guard, nodes, names */
    public static void main(String[] arguments) throws IOException {
        int number = Integer.parseInt(arguments[0]);
        int callers = Integer.parseInt(arguments[1]);
        Habit habit = Habit.valueOf(arguments[2]);
        int names = Integer.parseInt(arguments[6]);
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
        LockConnectionFactory locks = Holdfast.connect(Map.of(
                "nodes",
                arguments[5],
                "guard",
                arguments[4],
                "ttlMillis",
                Long.toString(Errand.TTL.toMillis()),
                "maxLeaseTtlMillis",
                Long.toString(Errand.TTL.toMillis()),
                "nodeTimeoutMillis",
                "300"));
        for (int caller = 0; caller < callers; caller++) {
            ResourceClient resource = new ResourceClient(Integer.parseInt(arguments[3]));
            int id = (number * callers + caller) * NUMBERS_OF_A_CALLER;
            Threads.start("caller-" + id, new Caller(id, locks, habit, names, report -> say(out, report), resource));
        }
        obey(number, out);
        Runtime.getRuntime().halt(0);
    }

    private static void say(PrintStream out, Report report) {
        out.println(Report.write(report)); // one call a line: lines of threads do not mix
    }

    private static void obey(int number, PrintStream out) throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        String command;
        while ((command = commands.readLine()) != null) {
            if (command.equals("gc")) {
                collectGarbage();
            } else if (command.startsWith("status ")) {
                int question = Integer.parseInt(command.substring("status ".length()));
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                say(out, new Report.Status(number, question, runtime.totalMemory() - runtime.freeMemory()));
            }
        }
    }

    /** Full collections stop all threads, one after the other. */
    private static void collectGarbage() {
        long end = System.nanoTime() + COLLECTING_NANOS;
        List<Object> kept = new ArrayList<>();
        while (System.nanoTime() - end < 0) {
            for (int part = 0; part < 20_000; part++) {
                kept.add(new Object[] {part});
            }
            if (kept.size() > 600_000) {
                kept.clear();
            }
            System.gc();
        }
    }
}
