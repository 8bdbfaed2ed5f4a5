// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.util.concurrent.Callable;
import org.holdfast.CheckReport;
import org.holdfast.LockOperations;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "nodes",
        description =
                "Shows each node: whether it votes, is in quarantine and for how long, or cannot be used and why.",
        mixinStandardHelpOptions = true)
final class NodesCommand implements Callable<Integer> {

    @Mixin
    private Target target;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        long begun = System.nanoTime();
        CheckReport report;
        try (LockOperations operations = target.open()) {
            do {
                report = operations.check();
            } while (!report.isReady() && target.goesOn(begun));
        }
        Table table = new Table("NODE", "STATE", "CAUSE");
        report.nodes().forEach(node -> table.row(node.address(), state(node), node.cause()));
        table.print(spec.commandLine().getOut());
        if (!report.clockFault().isEmpty()) {
            spec.commandLine().getOut().println(report.clockFault());
        }
        return report.isReady()
                ? 0
                : Main.unavailable(
                        report.nodes().stream().map(CheckReport.Node::cause).toList());
    }

    static String state(CheckReport.Node node) {
        return node.state() == CheckReport.State.QUARANTINED
                        && !node.quarantine().isZero()
                ? node.state() + " for " + (node.quarantine().toSeconds() + 1) + " s"
                : node.state().toString();
    }
}
