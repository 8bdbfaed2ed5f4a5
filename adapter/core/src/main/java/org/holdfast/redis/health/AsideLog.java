// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.holdfast.protocol.env.LogRateLimiter;
import org.holdfast.protocol.env.Time;
import org.jspecify.annotations.Nullable;

/**
 * Lets one of all lock services that share a node log that it is not asked, and the same one that it is asked again.
 *
 * <p>Safe for use by any number of threads.
 */
final class AsideLog {

    private final LogRateLimiter limiter;

    /** What each reporter has logged, until it has logged that the node is asked again. */
    private final Map<Object, AsideCause> logged = new ConcurrentHashMap<>();

    AsideLog(Time time) {
        this.limiter = new LogRateLimiter(time);
    }

    /**
     * Claims the line that the node is not asked. What the limiter rejects now is logged later if it still
     * holds, unless another reporter has logged it.
     *
     * @param reporter what one lock service knows of the node; the same object each time
     * @return what to append to the line; null if it is not to be logged
     */
    @Nullable
    String claimLine(Object reporter, AsideCause cause) {
        if (logged.containsValue(cause)) {
            return null;
        }
        String more = limiter.leave();
        if (more != null) {
            logged.put(reporter, cause);
        }
        return more;
    }

    /** Claims the line that the node is asked again; true if this reporter has logged that it was not. */
    boolean claimReturn(Object reporter) {
        return logged.remove(reporter) != null;
    }
}
