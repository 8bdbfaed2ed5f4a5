// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import org.holdfast.LockListing;
import org.holdfast.LockOperations;
import org.holdfast.LockState;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "locks",
        description =
                "Lists the locks that are held or waited for, in all processes. Walks over all keys of the nodes.",
        mixinStandardHelpOptions = true)
final class LocksCommand implements Callable<Integer> {

    @Mixin
    private Target target;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--limit",
            paramLabel = "LOCKS",
            defaultValue = "100",
            description = "How many locks at the most, 1 to 10000. Default: ${DEFAULT-VALUE}.")
    private int limit;

    @Option(names = "--hot", description = "The locks that most callers and processes wait for come first.")
    private boolean hot;

    @Override
    public Integer call() {
        LockListing listing;
        int nodeCount;
        try (LockOperations operations = target.open()) {
            listing = target.ask(operations, it -> it.locks(limit));
            nodeCount = operations.nodeCount();
        }
        Locks.print(
                hot ? hottestFirst(listing.locks()) : listing.locks(),
                nodeCount,
                spec.commandLine().getOut());
        if (!listing.complete()) {
            spec.commandLine().getOut().println("There are more locks than these.");
        }
        if (listing.skipped() > 0) {
            spec.commandLine()
                    .getOut()
                    .println("Keys that were left out: " + listing.skipped()
                            + ". No lock can have their names: another client has written them.");
        }
        return 0;
    }

    private static List<LockState> hottestFirst(List<LockState> locks) {
        return locks.stream()
                .sorted(Comparator.comparingInt((LockState lock) -> Math.max(lock.inLine(), lock.listening()))
                        .reversed()
                        .thenComparing(LockState::name))
                .toList();
    }
}
