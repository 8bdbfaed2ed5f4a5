// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

/**
 * A place among those who wait for a lock in the order in which they came.
 *
 * @param lock the lock's name
 * @param id says whose it is
 * @param number the smaller the earlier
 * @param reads whether its owner wants to read, with others who do
 * @param known whether a quorum has accepted it: then it keeps its place at nodes that have not heard of it, too
 * @param ttlMillis how long a node keeps it without a sign of life
 */
public record Ticket(String lock, Owner id, long number, boolean reads, boolean known, long ttlMillis) {

    /** Returns the ticket, accepted by a quorum. */
    Ticket accepted() {
        return new Ticket(lock, id, number, reads, true, ttlMillis);
    }
}
