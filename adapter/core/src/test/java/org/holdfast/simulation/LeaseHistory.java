// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.List;
import org.holdfast.LockRequest;
import org.holdfast.history.History;
import org.holdfast.history.HistoryCheck;
import org.holdfast.history.Hold;
import org.holdfast.history.Kind;
import org.holdfast.history.Rule;
import org.holdfast.history.Verdict;

/** The leases of all clients, as their clients saw them; the check of histories decides on them. */
final class LeaseHistory {

    private final History history = new History();
    private final List<String> clients = new ArrayList<>();

    /** A client does not believe in a lease any more, or the run is over. */
    void add(Checker.Watched entry, String name, long now) {
        if (entry.isInOrder(name)) {
            LockRequest request = entry.request();
            history.add(new Hold(
                    numberOf(entry.client()),
                    name,
                    kindOf(request),
                    Math.max(1, request.permits()),
                    entry.lease().token(),
                    entry.asked(),
                    entry.since(),
                    entry.heldUntil(name, now),
                    now));
        }
    }

    private int numberOf(String client) {
        if (!clients.contains(client)) {
            clients.add(client);
        }
        return clients.indexOf(client);
    }

    private static Kind kindOf(LockRequest request) {
        return switch (request.mode()) {
            case READ -> Kind.SHARED;
            case PERMIT -> Kind.PERMIT;
            default -> Kind.EXCLUSIVE;
        };
    }

    void decide() {
        Verdict verdict = HistoryCheck.decide(history);
        if (!verdict.isClean()) {
            boolean two = verdict.count(Rule.EXCLUSION) + verdict.count(Rule.PERMITS) > 0;
            throw new Violation((two ? "1: " : "2: ") + verdict);
        }
    }
}
