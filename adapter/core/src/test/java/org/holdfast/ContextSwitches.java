// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Counts how often some threads of this process gave up their processor by themselves, where the system shows that. */
public final class ContextSwitches {

    private static final Path SELF = Path.of("/proc/thread-self");

    private final Set<Path> threads = ConcurrentHashMap.newKeySet();

    /** Returns whether this system shows them. */
    public static boolean areShown() {
        return Files.exists(SELF);
    }

    /** Returns a task that has the thread that runs it counted. */
    public Runnable countedIn(Runnable task) {
        return () -> {
            note();
            task.run();
        };
    }

    private void note() {
        try {
            threads.add(Path.of("/proc").resolve(Files.readSymbolicLink(SELF)));
        } catch (IOException e) {
            // it is not shown here
        }
    }

    /** Returns the sum of all that were counted in so far. */
    public long sum() {
        return threads.stream().mapToLong(ContextSwitches::of).sum();
    }

    private static long of(Path task) {
        try {
            return Files.readAllLines(task.resolve("status")).stream()
                    .filter(line -> line.startsWith("voluntary_ctxt_switches:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .sum();
        } catch (IOException e) { // it has ended
            return 0;
        }
    }
}
