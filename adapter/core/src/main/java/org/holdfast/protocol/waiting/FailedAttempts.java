// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.function.ObjLongConsumer;
import org.holdfast.protocol.quorum.QuorumResult;
import org.jspecify.annotations.Nullable;

/** What the attempts of one caller found that got nothing. For one thread at a time. */
final class FailedAttempts {

    private final boolean asksOnce;
    private int count;
    private int countSinceNews;
    private @Nullable QuorumResult last;
    private long lastBegun;
    private long lastTook;
    private boolean hadVotes;

    /** @param asksOnce whether the caller asks again only because others took its votes */
    FailedAttempts(boolean asksOnce) {
        this.asksOnce = asksOnce;
    }

    /**
     * @param begun when the attempt began
     * @param ended when it ended
     */
    void add(QuorumResult found, long begun, long ended) {
        last = found;
        lastBegun = begun;
        lastTook = ended - begun;
        hadVotes |= found instanceof QuorumResult.Contended other && other.hasVotes();
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

    /**
     * Returns whether the last one found that others have the lock, and one of all had votes itself: one that comes a
     * little later than those of others may have none.
     */
    boolean hadVotes() {
        return hadVotes && last instanceof QuorumResult.Contended;
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

    /** Returns for how long callers that took each other's votes ask again, as far as the last attempt shows. */
    long splitNanos() {
        return RetryDelay.splitNanos(lastTook);
    }

    /**
     * Returns how long to wait before the next one, after at least one.
     *
     * @param hears whether releases are announced to the caller
     */
    long pauseNanos(RetryDelay retryDelay, boolean hears) {
        if (asksOnce) {
            return retryDelay.nanosAfterSplit(count, lastTook);
        }
        return last instanceof QuorumResult.Contended other && hears
                ? retryDelay.nanosWhileHeard(Math.max(1, countSinceNews), other.remainingMillis(), other.hasVotes())
                : retryDelay.nanosAfter(count);
    }
}
