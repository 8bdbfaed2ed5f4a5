// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.io.PrintWriter;
import org.holdfast.LockState;
import picocli.CommandLine.Command;

@Command(
        name = "waiters",
        description = "Shows how many callers wait in line for a lock, and how many processes wait for its release.",
        mixinStandardHelpOptions = true)
final class WaitersCommand extends StateCommand {

    @Override
    void show(LockState state, int nodeCount, PrintWriter out) {
        Table table = new Table("LOCK", "PERMITS", "CALLERS IN LINE", "PROCESSES LISTENING", "HOLDERS");
        table.row(
                Table.cell(state.name()),
                Locks.permits(state),
                state.inLine(),
                state.listening(),
                state.holders().size());
        table.print(out);
        if (state.listening() > 0) {
            out.println("Processes that listen wait for a lock, a semaphore or a latch of that name: nodes do not know"
                    + " which.");
        }
    }
}
