// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.io.PrintWriter;
import java.util.List;
import org.holdfast.LockState;
import picocli.CommandLine.Command;

@Command(
        name = "holders",
        description = "Shows the holders of a lock, in all processes, with their hosts, threads and tokens.",
        mixinStandardHelpOptions = true)
final class HoldersCommand extends StateCommand {

    @Override
    void show(LockState state, int nodeCount, PrintWriter out) {
        Locks.print(List.of(state), nodeCount, out);
    }
}
