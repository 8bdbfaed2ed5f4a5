// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts violations and keeps the first of them: a history that is all wrong must not fill the memory with texts. */
final class Violations {

    private static final int EXAMPLES = 20;

    private final Map<Rule, Long> counts = new EnumMap<>(Rule.class);
    private final List<Violation> examples = new ArrayList<>();

    void add(Rule rule, String lock, String text) {
        counts.merge(rule, 1L, Long::sum);
        if (examples.size() < EXAMPLES) {
            examples.add(new Violation(rule, lock, text));
        }
    }

    Verdict verdict(long holds, long writes) {
        return new Verdict(holds, writes, counts, examples);
    }
}
