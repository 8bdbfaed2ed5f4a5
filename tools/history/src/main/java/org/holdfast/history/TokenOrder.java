// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import java.util.Comparator;
import java.util.List;

/**
 * Decides a lock whose holders have it alone, or share it as readers.
 *
 * <p>Tokens say in which order grants took effect: those of writers all grow, those of readers lie between the writer
 * before and the writer after them. So one order has to be tried only. In it each grant takes effect as early as it
 * can: when it was asked for, or when the last one that keeps it out has ended. If that is later than the caller had
 * its answer, no other choice helps: to let anything before take effect later leaves less time.
 */
final class TokenOrder {

    /** A writer goes on as a reader, with its token: it comes first. */
    private static final Comparator<Hold> BY_TOKEN =
            Comparator.comparingLong(Hold::token).thenComparing(Hold::isShared).thenComparingLong(Hold::granted);

    private final String lock;
    private final Violations violations;

    /** Of all so far. */
    private final Latest all = new Latest();

    /** Of the writers so far. */
    private final Latest writers = new Latest();

    private Hold lastWriter;

    /** The holds that reach furthest: by the moment at which they were asked for, and by their end. */
    private static final class Latest {
        private Hold asked;
        private Hold ended;

        void add(Hold hold) {
            if (asked == null || hold.asked() > asked.asked()) {
                asked = hold;
            }
            if (ended == null || hold.end() > ended.end()) {
                ended = hold;
            }
        }
    }

    private TokenOrder(String lock, Violations violations) {
        this.lock = lock;
        this.violations = violations;
    }

    /** @param holds are sorted */
    static void decide(String lock, List<Hold> holds, Violations violations) {
        holds.sort(BY_TOKEN);
        TokenOrder order = new TokenOrder(lock, violations);
        holds.forEach(order::next);
    }

    private void next(Hold hold) {
        decideToken(hold);
        decideTime(hold, hold.isShared() ? writers : all);
        all.add(hold);
        if (!hold.isShared()) {
            writers.add(hold);
            lastWriter = hold;
        }
    }

    private void decideToken(Hold hold) {
        boolean taken = lastWriter != null && lastWriter.token() == hold.token();
        boolean goesOnReading = taken && hold.isShared() && lastWriter.caller() == hold.caller();
        if (taken && !goesOnReading) {
            violations.add(Rule.OWN_TOKEN, lock, hold + " has the token of " + lastWriter);
        }
    }

    /** @param before those with smaller tokens that keep it out */
    private void decideTime(Hold hold, Latest before) {
        if (before.asked != null && before.asked.asked() > hold.granted()) {
            violations.add(Rule.TOKEN_ORDER, lock, before.asked + " asked after the grant of " + hold);
        } else if (before.ended != null && before.ended.end() > hold.granted()) {
            Rule rule = before.ended.overlaps(hold) ? Rule.EXCLUSION : Rule.TOKEN_ORDER;
            violations.add(rule, lock, before.ended + " had not ended at the grant of " + hold);
        }
    }
}
