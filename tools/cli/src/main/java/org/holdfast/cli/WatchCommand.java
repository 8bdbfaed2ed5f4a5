// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.holdfast.LockOperations;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "watch",
        description = "Shows nodes and locks, and then a line for each change, until it is interrupted.",
        mixinStandardHelpOptions = true)
final class WatchCommand implements Callable<Integer> {

    @Mixin
    private Target target;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            defaultValue = "PT1S",
            description =
                    "How often to look, PT0.2S or more. Each look walks over all keys. Default: ${DEFAULT-VALUE}.")
    private Duration every = Duration.ofSeconds(1);

    @Option(names = "--for", paramLabel = "DURATION", description = "When to end, such as PT1M. Default: never.")
    private @Nullable Duration patience;

    @Option(
            names = "--limit",
            paramLabel = "LOCKS",
            defaultValue = "100",
            description = "How many locks at the most, 1 to 10000. Default: ${DEFAULT-VALUE}.")
    private int limit;

    @Override
    public Integer call() throws InterruptedException {
        if (every.compareTo(Duration.ofMillis(200)) < 0) {
            throw new IllegalArgumentException("--every must be PT0.2S or more, was " + every);
        }
        PrintWriter out = spec.commandLine().getOut();
        long begun = System.nanoTime();
        Sight before = Sight.NONE;
        try (LockOperations operations = target.open()) {
            while (true) {
                Sight now = Sight.of(operations, limit, before);
                Instant at = Instant.now().truncatedTo(ChronoUnit.MILLIS);
                now.changesSince(before).forEach(change -> out.println(at + " " + change));
                before = now;
                if (out.checkError() || isOver(begun)) {
                    return 0;
                }
                TimeUnit.NANOSECONDS.sleep(TimeUnit.NANOSECONDS.convert(every));
            }
        }
    }

    private boolean isOver(long begun) {
        return patience != null && System.nanoTime() - begun > TimeUnit.NANOSECONDS.convert(patience);
    }
}
