// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.util.List;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.LeaseTerms;
import org.holdfast.protocol.node.LockShape;

/**
 * What one caller asks for, and the line in which it waits for it.
 *
 * @param request with a wait timeout and a TTL
 * @param names all names that are asked for, in the order that every caller uses
 * @param line all callers that ask for the same names in the same way wait in the same one
 */
public record Demand(LockRequest request, List<String> names, QueueKey line) {

    public static Demand of(LockRequest request) {
        List<String> names = request.names().size() == 1
                ? request.names()
                : request.names().stream().sorted().toList();
        List<String> others = names.size() == 1 ? List.of() : names.subList(1, names.size());
        return new Demand(request, names, new QueueKey(names.get(0), others, kind(request), request.permits()));
    }

    private static QueueKey.Kind kind(LockRequest request) {
        LockShape shape = LockShape.of(request);
        if (shape.hasPermits()) {
            return QueueKey.Kind.PERMIT;
        }
        return shape.isInTurn(request.fair()) ? QueueKey.Kind.FAIR : QueueKey.Kind.BARGING;
    }

    /** Returns whether the nodes know the waiters. */
    boolean isInTurn() {
        return line.kind() == QueueKey.Kind.FAIR;
    }

    /** Returns whether waiters in this process may have the lock one after the other. */
    public boolean mayBeHandedOff() {
        return request.mode() == LockMode.EXCLUSIVE
                && names.size() == 1
                && request.atLeast().isEmpty();
    }

    /** Returns whether a lock that this process holds under one of the names keeps the caller out. */
    boolean isKeptOutBy(HeldLock heldLock) {
        return LockShape.of(request).isKeptOutBy(heldLock.claim().target());
    }

    /** Returns whether a lock that its holder has released fits, so that the caller may have it next. */
    boolean isMetBy(HeldLock released) {
        return mayBeHandedOff()
                && isInTurn() == released.cohort().isInTurn()
                && released.isAlone()
                && released.claim().target().names().equals(names)
                && released.claim().ttlMillis() == ttlMillis();
    }

    public long ttlMillis() {
        return request.ttl().orElseThrow().toMillis();
    }

    /** Returns for how long the lock is to be held. */
    public LeaseTerms terms() {
        return LeaseTerms.of(request);
    }
}
