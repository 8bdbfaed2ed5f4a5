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

    @Option(
            names = "--hot",
            description = "The locks that most callers and processes wait for come first, of all that are found: "
                    + LockOperations.MAX_LISTED + " at the most.")
    private boolean hot;

    @Override
    public Integer call() {
        LockListing listing;
        int nodeCount;
        try (LockOperations operations = target.open()) {
            listing = target.ask(operations, it -> hot ? hottest(it) : it.locks(limit));
            nodeCount = operations.nodeCount();
        }
        Locks.print(listing.locks(), nodeCount, spec.commandLine().getOut());
        if (!listing.complete()) {
            spec.commandLine().getOut().println("There are more locks than these.");
        }
        if (listing.skipped() > 0) {
            spec.commandLine()
                    .getOut()
                    .println("Keys that were left out: " + listing.skipped()
                            + ". No lock can have such names or types: another client has written them.");
        }
        return 0;
    }

    /** Which are the hottest is known when all have been counted: the list is cut after that. */
    private LockListing hottest(LockOperations operations) {
        boolean isPossible = limit > 0 && limit < LockOperations.MAX_LISTED;
        LockListing all = operations.locks(isPossible ? LockOperations.MAX_LISTED : limit); // which refuses others
        List<LockState> hottest = all.locks().stream()
                .sorted(Comparator.comparingInt((LockState lock) -> Math.max(lock.inLine(), lock.listening()))
                        .reversed()
                        .thenComparing(LockState::name))
                .limit(limit)
                .toList();
        return new LockListing(
                hottest, all.complete() && hottest.size() == all.locks().size(), all.skipped());
    }
}
