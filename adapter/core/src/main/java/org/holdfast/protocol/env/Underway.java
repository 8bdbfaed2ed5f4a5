// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts what threads have begun on the nodes and must end there before connections are closed: attempts, and releases.
 * Safe for use by any number of threads.
 */
public final class Underway {

    private final AtomicInteger count = new AtomicInteger();

    /**
     * Begins one, which has to {@link #end}. What must not begin after a stop checks the flag afterwards, so that the
     * stopping thread sees it here or is seen.
     */
    public void begin() {
        count.incrementAndGet();
    }

    public void end() {
        count.decrementAndGet();
    }

    /** Returns whether there is none. */
    public boolean isNone() {
        return count.get() == 0;
    }
}
