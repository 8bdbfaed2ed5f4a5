// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.util.concurrent.Callable;
import org.holdfast.LockOperations;
import org.holdfast.LockState;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "waiters",
        description = "Shows how many callers wait in line for a lock, and how many processes wait for its release.",
        mixinStandardHelpOptions = true)
final class WaitersCommand implements Callable<Integer> {

    @Mixin
    private Target target;

    @Mixin
    private Named lock;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        try (LockOperations operations = target.open()) {
            LockState state = target.ask(operations, it -> it.state(lock.request()));
            Table table = new Table("LOCK", "CALLERS IN LINE", "PROCESSES LISTENING", "HOLDERS");
            table.row(
                    state.name(),
                    state.inLine(),
                    state.listening(),
                    state.holders().size());
            table.print(spec.commandLine().getOut());
        }
        return 0;
    }
}
