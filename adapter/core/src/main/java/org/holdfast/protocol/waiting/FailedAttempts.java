// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.function.ObjLongConsumer;
import org.holdfast.protocol.quorum.QuorumResult;
import org.jspecify.annotations.Nullable;

/** What the attempts of one caller found that got nothing. For one thread at a time. */
final class FailedAttempts {

    private int count;
    private int countSinceNews;
    private @Nullable QuorumResult last;
    private long lastBegun;

    /** @param begun when the attempt began */
    void add(QuorumResult found, long begun) {
        last = found;
        lastBegun = begun;
        count++;
        countSinceNews++;
    }

    /** Contenders may take each other's votes now, which no release ends. */
    void news() {
        countSinceNews = 0;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Returns what the last one found; null if there was none. */
    @Nullable
    QuorumResult last() {
        return last;
    }

    /** Has what the last one found noted, and when it began; nothing if there was none. */
    void noteLast(ObjLongConsumer<QuorumResult> note) {
        if (last != null) {
            note.accept(last, lastBegun);
        }
    }

    /** Returns whether all of them began before this moment. */
    boolean areBefore(long moment) {
        return last == null || moment - lastBegun > 0;
    }

    /**
     * Returns how long to wait before the next one, after at least one.
     *
     * @param hears whether releases are announced to the caller
     */
    long pauseNanos(RetryDelay retryDelay, boolean hears) {
        return last instanceof QuorumResult.Contended other && hears
                ? retryDelay.nanosWhileHeard(Math.max(1, countSinceNews), other.remainingMillis())
                : retryDelay.nanosAfter(count);
    }
}
