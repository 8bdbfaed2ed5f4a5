// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.List;

/**
 * The locks that nodes know at one time: returned by {@link LockOperations#locks}.
 *
 * @param locks those that are held or waited for, sorted by name
 * @param complete whether these are all: false if there are more than were asked for, or if a node has so many keys
 *     that the walk over them was ended after 10 s
 */
public record LockListing(List<LockState> locks, boolean complete) {

    /**
     * Keeps a copy of the list.
     *
     * @param locks those that are held or waited for
     * @param complete whether these are all
     */
    public LockListing {
        locks = List.copyOf(locks);
    }
}
