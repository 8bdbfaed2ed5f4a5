// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Decides what the resource did: it is asked one write after the other, so there is one order, which is replayed. */
final class WriteOrder {

    private WriteOrder() {}

    static void decide(String lock, List<Hold> holds, List<Write> writes, Violations violations) {
        Map<Long, Long> askedByToken = new HashMap<>();
        holds.forEach(hold -> askedByToken.merge(hold.token(), hold.asked(), Math::min));
        long last = 0;
        for (Write write : writes) {
            if (askedByToken.getOrDefault(write.token(), Long.MAX_VALUE) > write.at()) {
                violations.add(Rule.KNOWN_TOKEN, lock, write + " has a token that no caller had asked for by then");
            }
            if (write.accepted() != write.token() >= last) {
                violations.add(Rule.WRITE_ORDER, lock, write + " came after token " + last);
            }
            last = Math.max(last, write.accepted() ? write.token() : last);
        }
    }
}
