// SPDX-License-Identifier: Apache-2.0
package org.holdfast.tla;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How far TLC could follow by a model what was recorded.
 *
 * @param log what it printed
 * @param complete whether it came to its end
 * @param toTheEnd how many traces it could follow to theirs
 * @param taken how often each kind of step was taken
 * @param refusals steps at which a trace could not be followed, by the name of the trace
 */
record Followed(String log, boolean complete, int toTheEnd, Map<String, Integer> taken, Map<String, String> refusals) {

    private static final Pattern TAKEN = Pattern.compile("<<\"taken\", \"([^\"]*)\", (\\d+)>>");
    private static final Pattern REFUSED =
            Pattern.compile("<<\"refused\", \"([^\"]*)\", (\\d+), \"<<\\\\\"([^\"\\\\]*)\\\\\"(.*)\">>");
    private static final Pattern FOLLOWED = Pattern.compile("<<\"followed\", (\\d+)>>");

    /**
     * Follows traces.
     *
     * @param name of the configuration, and of the directory of this run
     * @param traces the module {@code Traces}
     */
    static Followed by(String name, String module, String traces) throws Exception {
        String config = Files.readString(Tlc.MODULES.resolve(name + ".cfg"));
        Tlc.Result result = Tlc.follow(name, module, config, traces);
        Map<String, Integer> taken = new HashMap<>();
        for (Matcher each = TAKEN.matcher(result.output()); each.find(); ) {
            taken.put(each.group(1), Integer.valueOf(each.group(2)));
        }
        Map<String, String> refusals = new HashMap<>();
        for (Matcher each = REFUSED.matcher(result.output()); each.find(); ) {
            refusals.put(each.group(1), each.group(3) + " (step " + each.group(2) + each.group(4) + ")");
        }
        Matcher followed = FOLLOWED.matcher(result.output());
        int toTheEnd = followed.find() ? Integer.parseInt(followed.group(1)) : 0;
        return new Followed(result.output(), result.complete(), toTheEnd, taken, refusals);
    }

    /** No trace of the code as it is, of which there are so many, has a step that the model does not have. */
    void assertToTheEnd(int runs) {
        assertThat(complete).as(log).isTrue();
        assertThat(refusals).as("steps that the model does not have").allSatisfy((trace, step) -> assertThat(trace)
                .doesNotStartWith("seed"));
        assertThat(toTheEnd).as(log).isGreaterThanOrEqualTo(runs);
    }

    /** There are so many kinds of steps, and each was taken. */
    void assertTaken(int kinds) {
        assertThat(taken).as(log).hasSize(kinds);
        assertThat(taken).allSatisfy((kind, times) -> assertThat(times).as(kind).isPositive());
    }

    /** A run with this mistake was refused, at a step that shows it. */
    void assertRefused(Enum<?> mistake, MistakenRuns runs) {
        assertThat(refusals.entrySet())
                .as("steps of " + mistake + " that the model does not have")
                .anySatisfy(refusal -> assertThat(refusal.getKey() + ": " + refusal.getValue())
                        .matches(mistake + " seed \\d+: (" + runs.shownBy() + ") .*"));
    }
}
