// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.holdfast.LockHolder;
import org.holdfast.LockOperations;
import org.holdfast.LockState;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "release",
        description = {
            "Takes a lock away from its holders, in whichever process, and writes that to the error output.",
            "A holder goes on as if it had the lock until its next renewal, for up to a third of its TTL: then two work."
        },
        mixinStandardHelpOptions = true)
final class ReleaseCommand implements Callable<Integer> {

    @Mixin
    private Target target;

    @Mixin
    private Named lock;

    @Spec
    private CommandSpec spec;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why, for the audit.")
    private String reason = "";

    @Override
    public Integer call() {
        if (reason.isBlank()) {
            throw new IllegalArgumentException("--reason must not be blank");
        }
        String audited = "the user " + System.getProperty("user.name") + " of the command line: " + reason;
        try (LockOperations operations = target.open()) {
            List<LockHolder> gone = target.ask(operations, it -> it.forceRelease(lock.request(), audited));
            if (gone.isEmpty()) {
                spec.commandLine().getOut().println("No holder had it.");
                return Main.NOTHING_RELEASED;
            }
            Locks.print(
                    List.of(new LockState(lock.request(), gone, 0, 0)),
                    spec.commandLine().getOut());
            return 0;
        }
    }
}
