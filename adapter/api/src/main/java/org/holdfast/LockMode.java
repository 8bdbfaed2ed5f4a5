// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/** How a lock is held. All modes but {@link #PERMIT} keep each other out of the same name. */
public enum LockMode {

    /** By one holder. */
    EXCLUSIVE,

    /**
     * By any number of readers at once, while no holder has it in another mode. Each reader has a lease of its own. A
     * reader's token is larger than those of all holders that had the lock alone before it, and smaller than those of
     * all that have it alone after it; readers are in no order among themselves.
     */
    READ,

    /**
     * By one holder, in turn with the readers: waiters are served in the order in which they came, so neither readers
     * nor writers starve. A holder may take the lock to read as well, and if it then releases the lease to write it
     * remains a reader. A reader that wants to write is refused at once: two of them would wait for each other for
     * ever.
     */
    WRITE,

    /** By as many holders as there are permits; see {@link LockRequest#semaphore}. */
    PERMIT
}
