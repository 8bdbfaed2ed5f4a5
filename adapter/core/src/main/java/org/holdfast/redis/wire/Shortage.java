// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.LogRateLimiter;
import org.holdfast.protocol.env.Time;
import org.jspecify.annotations.Nullable;

/**
 * What this process lacks to open connections: files, memory or threads.
 *
 * <p>After a failure no connection is attempted for a moment, whichever node it is to. Connections that are open are
 * used as before. Safe for use by any number of threads.
 */
final class Shortage {

    private static final System.Logger LOG = System.getLogger(Shortage.class.getName());
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private record Failed(LocalFailureException failure, long at) {}

    private final Time time;
    private final LogRateLimiter log;
    private volatile @Nullable Failed last;

    Shortage(Time time) {
        this.time = time;
        this.log = new LogRateLimiter(time);
    }

    /** @throws LocalFailureException if this process could not open a connection a moment ago */
    void requireNone() throws LocalFailureException {
        Failed seen = last;
        if (seen != null && time.nanoTime() - seen.at() < PAUSE_NANOS) {
            throw seen.failure();
        }
    }

    /** Takes note that a connection could not be opened, through no fault of its node. */
    void note(LocalFailureException failure) {
        Failed seen = last;
        if (seen != null && seen.failure() == failure) {
            return; // it was not attempted: the pause must end
        }
        last = new Failed(failure, time.nanoTime());
        try {
            log(failure);
        } catch (OutOfMemoryError e) {
            // what is short may be what a log line needs: the failure has its cause
        }
    }

    private void log(LocalFailureException failure) {
        String more = log.leave();
        if (more != null) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0309: " + failure.getMessage()
                            + "; no node is to blame, open connections are used as before, and it is tried again"
                            + more);
        }
    }
}
