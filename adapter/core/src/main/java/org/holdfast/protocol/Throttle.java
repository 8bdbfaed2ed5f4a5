// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.concurrent.TimeUnit;

/**
 * Lets one message through in a second and counts the others, so that trouble which comes by the thousand does not fill the log.
 *
 * <p>Safe for use by any number of threads.
 */
public final class Throttle {

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Time time;
    private boolean said;
    private long saidAt;
    private long unsaid;

    public Throttle(Time time) {
        this.time = time;
    }

    /**
     * Asks for leave to say something.
     *
     * @return what to put behind the message: nothing, or how much was not said since the last one; null to be silent
     */
    public synchronized String leave() {
        long now = time.nanoTime();
        if (said && now - saidAt < PAUSE_NANOS) {
            unsaid++;
            return null;
        }
        String rest = unsaid == 0 ? "" : " (and " + unsaid + " like it that were not logged)";
        said = true;
        saidAt = now;
        unsaid = 0;
        return rest;
    }
}
