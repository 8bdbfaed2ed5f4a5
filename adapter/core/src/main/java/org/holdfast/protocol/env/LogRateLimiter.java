// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets one message through in a second and counts the others, so that trouble which comes by the thousand does not fill
 * the log.
 *
 * <p>Safe for use by any number of threads.
 */
public final class LogRateLimiter {

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Time time;
    private boolean said;
    private long saidAt;
    private long unsaid;

    public LogRateLimiter(Time time) {
        this.time = time;
    }

    /**
     * Asks for permission to log a message.
     *
     * @return what to append to the message: nothing, or how many were not logged since the last one; null not to log
     *     it
     */
    public synchronized @Nullable String leave() {
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
