// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

/**
 * A place among the waiters for a lock, in the order in which they came.
 *
 * @param lock the lock's name
 * @param id identifies its owner
 * @param number the smaller the earlier
 * @param reads whether its owner wants to read, together with other readers
 * @param known whether a quorum has accepted it: then it keeps its place at nodes that have not received it, too
 * @param ttlMillis how long a node keeps it without a refresh
 */
public record Ticket(String lock, Owner id, long number, boolean reads, boolean known, long ttlMillis) {

    /** Returns the ticket, accepted by a quorum. */
    public Ticket accepted() {
        return new Ticket(lock, id, number, reads, true, ttlMillis);
    }

    /** Returns the same for the owner of another ticket, which it replaces. */
    public Ticket ofOwner(Owner other) {
        return new Ticket(lock, other, number, reads, known, ttlMillis);
    }
}
