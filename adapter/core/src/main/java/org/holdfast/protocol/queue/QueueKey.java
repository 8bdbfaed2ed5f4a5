// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The waiters for the same thing in the same way. What differs in anything is another line: a caller must not wait
 * behind one that waits for something else, which may be held while its own lock is free.
 *
 * @param lock the name, of several the first
 * @param others the other names
 * @param permits of a semaphore, how many it has; else 0
 */
record QueueKey(String lock, List<String> others, Kind kind, int permits) {

    /** Returns the line of a lock of one name. */
    static QueueKey of(String lock, Kind kind) {
        return new QueueKey(lock, List.of(), kind, 0);
    }

    /** Returns whether a name alone does not say which line it is. */
    boolean isIndexed() {
        return permits > 0 || !others.isEmpty();
    }

    List<String> names() {
        List<String> names = new ArrayList<>(others);
        names.add(lock);
        return names;
    }

    /** Written out: that of a record is linked, and once more after some calls, which needs much of a stack. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof QueueKey key
                && lock.equals(key.lock)
                && kind == key.kind
                && permits == key.permits
                && others.equals(key.others);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * (31 * lock.hashCode() + kind.hashCode()) + permits) + others.hashCode();
    }

    /** The ways to wait for what has the same name. */
    enum Kind {
        /** The first caller that asks after the lock becomes free gets it. */
        BARGING,
        /** By tickets, whose order the nodes know. */
        FAIR,
        /** For a permit. */
        PERMIT
    }
}
