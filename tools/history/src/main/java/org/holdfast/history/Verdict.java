// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a check has decided.
 *
 * @param holds how many holds were decided on
 * @param writes how many writes were decided on
 * @param counts how often each rule was broken; nothing for a rule that was kept
 * @param examples the first violations of each lock and rule
 */
public record Verdict(long holds, long writes, Map<Rule, Long> counts, List<Violation> examples) {

    /** Keeps copies. */
    public Verdict {
        counts = Map.copyOf(counts);
        examples = List.copyOf(examples);
    }

    /** {@return whether every rule was kept} */
    public boolean isClean() {
        return counts.isEmpty();
    }

    /** {@return how often a rule was broken} */
    public long count(Rule rule) {
        return counts.getOrDefault(rule, 0L);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(holds + " holds, " + writes + " writes: ")
                .append(isClean() ? "every rule kept" : "broken " + new EnumMap<>(counts));
        examples.forEach(example -> text.append("\n  ").append(example));
        return text.toString();
    }
}
