// SPDX-License-Identifier: Apache-2.0
package org.holdfast.tla;

import java.util.List;
import java.util.function.ToIntFunction;
import org.holdfast.simulation.TracedRuns;

/** The module {@code Traces}, which {@code HoldfastTrace.tla} or {@code ReadersTrace.tla} follows. */
final class TraceModule {

    private TraceModule() {}

    /**
     * Returns it for traces as {@link TracedRuns} records them.
     *
     * @param sound how many of them, the first ones, are of the code as it is
     */
    static String of(List<String> traces, int sound) {
        return "---- MODULE Traces ----\nEXTENDS Integers\n" + TracedRuns.times()
                + "Sound == " + sound + "\n"
                + "MostClaims == " + most(traces, TraceModule::claims) + "\n"
                + "MostSteps == " + most(traces, TraceModule::steps) + "\n"
                + "Traces == <<\n" + String.join(",\n", traces) + "\n>>\n====\n";
    }

    private static int most(List<String> traces, ToIntFunction<String> count) {
        return traces.stream().mapToInt(count).max().orElseThrow();
    }

    private static int claims(String trace) {
        String from = trace.substring(trace.indexOf("tokens |-> <<"));
        return from.substring(0, from.indexOf(">>")).split(",").length;
    }

    private static int steps(String trace) {
        return trace.substring(trace.indexOf("steps |-> ")).split(">>, ").length;
    }
}
