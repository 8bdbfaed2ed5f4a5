// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.holdfast.LockOperations;
import org.holdfast.LockState;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "holders",
        description = "Shows the holders of a lock, in all processes, with their hosts, threads and tokens.",
        mixinStandardHelpOptions = true)
final class HoldersCommand implements Callable<Integer> {

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
            Locks.print(List.of(state), spec.commandLine().getOut());
        }
        return 0;
    }
}
