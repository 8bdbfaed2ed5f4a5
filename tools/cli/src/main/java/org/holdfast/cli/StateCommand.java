// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.holdfast.LockOperations;
import org.holdfast.LockRequest;
import org.holdfast.LockState;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Looks at one lock. */
abstract class StateCommand implements Callable<Integer> {

    @Mixin
    private Target target;

    @Mixin
    private Named lock;

    @Spec
    private CommandSpec spec;

    /** @param nodeCount how many nodes were asked */
    abstract void show(LockState state, int nodeCount, PrintWriter out);

    @Override
    public final Integer call() {
        LockRequest request = lock.request();
        PrintWriter out = spec.commandLine().getOut();
        try (LockOperations operations = target.open()) {
            LockState state = target.ask(operations, it -> it.state(request));
            show(state, operations.nodeCount(), out);
            if (state.holders().isEmpty()) {
                out.println("No holder has " + lock.described() + "." + lock.hint());
            }
        }
        return 0;
    }
}
