// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;
import org.holdfast.protocol.quorum.QuorumResult;
import org.jspecify.annotations.Nullable;

/** What the attempts of one caller found that got nothing. For one thread at a time. */
final class FailedAttempts {

    /** With so many attempts a contest is over for a caller that has no votes: others have them. */
    private static final int BRIEF_CONTEST = 6;

    private final boolean asksOnce;
    private int count;
    private int countSinceNews;
    private @Nullable QuorumResult last;
    private long lastBegun;
    private long lastTook;
    private boolean hadVotes;

    /** Whether the last one found until when another owner has the lock if it is not renewed. */
    private boolean hasExpiry;

    private long expiry;

    /** How many have failed since that passed: all waiters ask at that moment; 0 when that is over. */
    private int contest;

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
        contest = contestAfter(found, begun);
        hasExpiry = found instanceof QuorumResult.Contended;
        if (found instanceof QuorumResult.Contended other) {
            expiry = ended + Math.min(TimeUnit.MILLISECONDS.toNanos(other.remainingMillis()), Long.MAX_VALUE / 4);
        }
        count++;
        countSinceNews++;
    }

    /**
     * A lease that ends by itself is announced by no message, nor are the votes that contenders for it give back. The
     * contest goes on for as long as the caller has votes.
     */
    private int contestAfter(QuorumResult found, long begun) {
        if (!(found instanceof QuorumResult.Contended other)) {
            return 0;
        }
        if (hasExpiry && begun - expiry >= 0) {
            return 1;
        }
        boolean goesOn = contest > 0 && (contest < BRIEF_CONTEST || other.hasVotes());
        return goesOn ? contest + 1 : 0;
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
        return last instanceof QuorumResult.Contended other && hears && contest == 0
                ? retryDelay.nanosWhileHeard(Math.max(1, countSinceNews), other.remainingMillis(), other.hasVotes())
                : retryDelay.nanosAfter(contest > 0 ? contest : count);
    }
}
