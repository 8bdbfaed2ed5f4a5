// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import java.util.ArrayList;
import java.util.List;

/**
 * Decides a history completely: it reports nothing exactly if there is an order of all grants and ends that explains
 * what every caller saw.
 *
 * <p>Locks are independent, so each is decided for itself. {@link TokenOrder} decides those with tokens,
 * {@link PermitCount} semaphores, {@link WriteOrder} what the resource received.
 */
public final class HistoryCheck {

    private HistoryCheck() {}

    /** {@return what is wrong with a history, if anything} Takes O(n log n) time and O(n) memory. */
    public static Verdict decide(History history) {
        Violations violations = new Violations();
        long holds = 0;
        long writes = 0;
        for (String lock : history.locks()) {
            holds += decide(lock, history.holds(lock), violations);
        }
        for (String lock : history.written()) {
            List<Write> written = history.writes(lock);
            writes += written.size();
            WriteOrder.decide(lock, history.holds(lock), written, violations);
        }
        return violations.verdict(holds, writes);
    }

    private static int decide(String lock, List<Hold> holds, Violations violations) {
        List<Hold> permits = new ArrayList<>();
        List<Hold> others = new ArrayList<>();
        for (Hold hold : holds) {
            (hold.kind() == Kind.PERMIT ? permits : others).add(hold);
        }
        PermitCount.decide(lock, permits, violations);
        TokenOrder.decide(lock, others, violations);
        return holds.size();
    }
}
