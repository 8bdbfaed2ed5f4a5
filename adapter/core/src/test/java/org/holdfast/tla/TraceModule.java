// SPDX-License-Identifier: Apache-2.0
package org.holdfast.tla;

import java.util.List;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.holdfast.simulation.Modelled;
import org.holdfast.simulation.TracedRuns;

/** The module {@code Traces}, which {@code HoldfastTrace.tla} and its siblings follow. */
final class TraceModule {

    private static final Pattern CLAIMS = Pattern.compile("claims \\|-> (\\d+)");

    private TraceModule() {}

    /**
     * Returns it for traces as {@link TracedRuns} records them.
     *
     * @param sound how many of them, the first ones, are of the code as it is
     */
    static String of(Modelled modelled, List<String> traces, int sound) {
        return "---- MODULE Traces ----\nEXTENDS Integers\n" + TracedRuns.times(modelled)
                + "Sound == " + sound + "\n"
                + "MostClaims == " + most(traces, TraceModule::claims) + "\n"
                + "MostSteps == " + most(traces, TraceModule::steps) + "\n"
                + "Traces == <<\n" + String.join(",\n", traces) + "\n>>\n====\n";
    }

    private static int most(List<String> traces, ToIntFunction<String> count) {
        return traces.stream().mapToInt(count).max().orElseThrow();
    }

    private static int claims(String trace) {
        Matcher claims = CLAIMS.matcher(trace);
        if (!claims.find()) {
            throw new IllegalArgumentException(trace);
        }
        return Integer.parseInt(claims.group(1));
    }

    private static int steps(String trace) {
        return trace.substring(trace.indexOf("steps |-> ")).split(">>, ").length;
    }
}
