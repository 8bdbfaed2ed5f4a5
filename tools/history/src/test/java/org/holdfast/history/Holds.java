// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

/** Histories of one lock, hold by hold. */
final class Holds {

    static final String LOCK = "a";

    final History history = new History();
    private int callers;

    /** Adds a hold by another caller than all before. */
    Holds alone(long token, long asked, long granted, long end) {
        return add(Kind.EXCLUSIVE, 1, token, asked, granted, end);
    }

    Holds reader(long token, long asked, long granted, long end) {
        return add(Kind.SHARED, 1, token, asked, granted, end);
    }

    Holds permit(int permits, long asked, long granted, long end) {
        return add(Kind.PERMIT, permits, 1, asked, granted, end);
    }

    private Holds add(Kind kind, int permits, long token, long asked, long granted, long end) {
        callers++;
        history.add(new Hold(callers, LOCK, kind, permits, token, asked, granted, end, end));
        return this;
    }

    Holds write(long token, long at, boolean accepted) {
        history.add(new Write(LOCK, token, at, accepted));
        return this;
    }

    Verdict decide() {
        return HistoryCheck.decide(history);
    }
}
