// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.List;

/**
 * The locks that nodes know at one time: returned by {@link LockOperations#locks}.
 *
 * @param locks those that are held or waited for, sorted by name
 * @param complete whether these are all: false if there are more than were asked for, if there are very many keys of
 *     locks that have ended, or if the walk over the keys of a node, or the look at the locks, was ended after 10 s
 * @param skipped how many keys and locks were left out since no lock can have such names, or keys of such types:
 *     another client has written them. No more names are counted than there are keys of locks to look at
 */
public record LockListing(List<LockState> locks, boolean complete, int skipped) {

    /**
     * Keeps a copy of the list.
     *
     * @param locks those that are held or waited for
     * @param complete whether these are all
     * @param skipped how many were left out, 0 or more
     * @throws IllegalArgumentException if the number is negative
     */
    public LockListing {
        locks = List.copyOf(locks);
        if (skipped < 0) {
            throw new IllegalArgumentException("the number of skipped keys must be 0 or more, was " + skipped);
        }
    }
}
