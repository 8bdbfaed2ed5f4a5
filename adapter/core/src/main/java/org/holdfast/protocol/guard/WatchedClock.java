// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.concurrent.TimeUnit;

/**
 * The clock of one node: bounds of its distance from ours, and the jump that was seen last.
 *
 * <p>Guarded by the {@link ClockMonitor} that it belongs to.
 */
final class WatchedClock {

    static final long GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Jumps that were seen within so long of each other may have one cause. */
    private static final long TESTIMONY_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** After so long a gap the drift may hide a jump of 300 ms where it is 1 %. */
    private static final long LONGEST_BLIND_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** After so long a gap the drift may hide a jump. */
    private static final long LONGEST_GAP_NANOS = TimeUnit.SECONDS.toNanos(3);

    /**
     * So long a process must have watched a clock itself before it believes what other processes have watched. A jump
     * that came before its first answer is seen within 3.5 s by the processes that have watched the clock, and is in
     * the mark.
     */
    private static final long OWN_WATCH_MICROS = TimeUnit.SECONDS.toMicros(5);

    /**
     * A clock that was set back may be set right in the next moment. Until then locks that are granted or renewed end
     * too early for processes that have not seen it. So nothing counts until all that look at the node have.
     */
    private static final long SETTLING_NANOS = TimeUnit.MILLISECONDS.toNanos(3_500);

    int term;

    private final double drift;

    boolean known;
    boolean wasDoubted;
    long low;
    long high;
    long at;
    long lastSentAt;

    /** After this it has given its latest answer, which may have been read much later. */
    private long answeredFrom;

    boolean jumped;
    boolean doubted;

    /** Whether the standstill of ours that its jump shows was reported, and when. */
    boolean told;

    private long toldAt;
    boolean stepped;

    /** Was set back since it jumped, or has come back after it was set back: it was that clock, not ours. */
    boolean returned;

    /** What was asked before that is not compared: it may have been answered before a step was seen. */
    long comparedFrom;

    /** What was asked before that counts for nothing. */
    long countsFrom;

    /** Whether its last step was a set-back, and when and by how much, at the least and at the most. */
    private boolean setBack;

    private long setBackAt;
    private long setBackLow;
    private long setBackHigh;

    /** By how much the clock has stepped last: ahead, or back if negative. */
    long stepNanos;

    long jumpSeenAt;
    long measuredBefore;
    long jumpLow;
    long jumpHigh;
    long steadyMicros;

    /** Since when this process has seen no step, whatever gaps of half a minute lie in between. */
    private long unmovedMicros;

    /** From when and until when it had seen none before that. */
    private long formerMicros;

    private long formerUntilMicros;

    /** Since when this process and others before it have watched the clock. */
    long steadyForAllMicros;

    long lastMicros;
    long microsBefore;
    long microsAtJump;
    long wholeFromMicros;

    /**
     * @param drift bound on the difference of clock rates, as a part of the time that passes
     * @param term in which the process is the voter that has this clock, see {@link org.holdfast.protocol.term.Terms}
     * @param wasDoubted whether that of the process before had jumped, and the doubt is not settled
     */
    WatchedClock(double drift, int term, boolean wasDoubted) {
        this.drift = drift;
        this.term = term;
        this.wasDoubted = wasDoubted;
    }

    boolean isLike(WatchedClock other) {
        return jumped
                && other.jumped
                && Math.abs(jumpSeenAt - other.jumpSeenAt) < TESTIMONY_NANOS
                && jumpLow - other.jumpHigh <= 0
                && other.jumpLow - jumpHigh <= 0;
    }

    /** The standstill of ours that its jump shows is reported. */
    void tell(long at) {
        toldAt = told ? toldAt : at;
        told = true;
    }

    /** The standstill is reported that this one and others of these clocks have shown. */
    void tellAlike(WatchedClock[] clocks) {
        long last = jumpSeenAt;
        for (WatchedClock other : clocks) {
            last = isLike(other) && other.jumpSeenAt - last > 0 ? other.jumpSeenAt : last;
        }
        for (WatchedClock other : clocks) {
            if (isLike(other)) {
                other.tell(last);
            }
        }
    }

    /** A clock whose node answers late shows a standstill that was reported since it was measured last. */
    void tellIfToldBy(WatchedClock other) {
        if (other.told && isLike(other) && other.toldAt - measuredBefore >= 0) {
            tell(other.toldAt);
        }
    }

    /** Returns whether what was asked at that moment may be compared. */
    boolean isComparable(long sentAt) {
        return !stepped || sentAt - comparedFrom >= 0;
    }

    /** Returns whether what was granted to a request of that moment counts. */
    boolean counts(long sentAt) {
        return !doubted && (!stepped || sentAt - countsFrom >= 0);
    }

    /** The quarantine of the node has begun, or is not needed. */
    void settle(long now) {
        doubted = false;
        comparedFrom = now;
        countOnlyFrom(now);
    }

    /** A later moment that was set before stays. */
    private void countOnlyFrom(long moment) {
        countsFrom = !stepped || moment - countsFrom > 0 ? moment : countsFrom;
    }

    /** Describes how far the clock has stepped. */
    String describe() {
        long millis = TimeUnit.NANOSECONDS.toMillis(Math.abs(stepNanos));
        return stepNanos < 0 ? "its clock was set back by " + millis + " ms" : "its clock jumped by " + millis + " ms";
    }

    /**
     * Takes a measure. Nothing but differences of distances is compared: our clock may begin anywhere.
     *
     * @param newLow how far the node's clock is ahead of ours at the least, in nanoseconds
     * @param newHigh how far at the most
     * @param nodeMicros the node's time
     */
    void measured(long newLow, long newHigh, long sentAt, long receivedAt, long nodeMicros) {
        long widened = (long) (Math.abs(receivedAt - at) * drift);
        long knownLow = low - widened;
        long knownHigh = high + widened;
        if (!known) {
            known = true;
            answeredFrom = sentAt;
            steadyMicros = nodeMicros;
            unmovedMicros = nodeMicros;
            formerMicros = nodeMicros;
            formerUntilMicros = nodeMicros;
            set(newLow, newHigh, sentAt, receivedAt);
        } else if (newLow - knownHigh > GRAIN_NANOS) {
            jumpLow = newLow - knownHigh;
            jumpHigh = newHigh - knownLow;
            jumped(receivedAt, nodeMicros);
            stepped(jumpLow / 2 + jumpHigh / 2, receivedAt, nodeMicros);
            set(newLow, newHigh, sentAt, receivedAt);
        } else if (knownLow - newHigh > GRAIN_NANOS) { // set back
            returned = true;
            setBack = true;
            setBackAt = receivedAt;
            setBackLow = knownLow - newHigh;
            setBackHigh = knownHigh - newLow;
            stepped((newLow - knownLow) / 2 + (newHigh - knownHigh) / 2, receivedAt, nodeMicros);
            countOnlyFrom(receivedAt + SETTLING_NANOS);
            set(newLow, newHigh, sentAt, receivedAt);
        } else if (receivedAt - at >= 0) {
            long gap = receivedAt - answeredFrom;
            if (gap > LONGEST_GAP_NANOS) {
                steadyMicros = nodeMicros;
            }
            if (gap > LONGEST_BLIND_NANOS) {
                beginsAnew(nodeMicros, nodeMicros < lastMicros);
            }
            long lower = newLow - knownLow > 0 ? newLow : knownLow;
            long upper = newHigh - knownHigh < 0 ? newHigh : knownHigh;
            // what is a little apart counts as the nearest edge: were it taken as it is, small steps would add up
            // unseen
            set(lower - knownHigh > 0 ? knownHigh : lower, upper - knownLow < 0 ? knownLow : upper, sentAt, receivedAt);
        }
        lastMicros = nodeMicros;
    }

    private void jumped(long receivedAt, long nodeMicros) {
        jumped = true;
        doubted = true;
        returned = undoesSetBack(receivedAt);
        setBack = false;
        told = false;
        measuredBefore = at;
        jumpSeenAt = receivedAt;
        microsBefore = lastMicros;
        microsAtJump = nodeMicros;
    }

    /** A clock that was behind for a moment, and is where it was before: ours has not stood still. */
    private boolean undoesSetBack(long receivedAt) {
        return setBack
                && receivedAt - setBackAt < TESTIMONY_NANOS
                && jumpLow - setBackHigh <= 0
                && setBackLow - jumpHigh <= 0;
    }

    private void stepped(long nanos, long receivedAt, long nodeMicros) {
        countOnlyFrom(receivedAt);
        stepped = true;
        stepNanos = nanos;
        comparedFrom = receivedAt;
        steadyMicros = nodeMicros;
        beginsAnew(nodeMicros, nanos < 0);
    }

    /**
     * What a clock showed before it was set back is no watch over what it shows now: those moments come again. After a
     * gap that is longer than the set-back it shows a later moment all the same.
     */
    private void beginsAnew(long nodeMicros, boolean setBack) {
        formerMicros = setBack ? nodeMicros : unmovedMicros;
        formerUntilMicros = setBack ? nodeMicros : lastMicros;
        unmovedMicros = nodeMicros;
    }

    /** Returns how long after a moment of the node's clock this process has not watched it, or saw it step. */
    long unwatchedMicros(long fromMicros) {
        long watchedUntil = formerMicros <= fromMicros ? Math.max(fromMicros, formerUntilMicros) : fromMicros;
        return Math.max(0, unmovedMicros - watchedUntil);
    }

    /** Returns what the clock shows at that moment at the least, if it has not moved. Small steps are not seen. */
    long earliestNanos(long now) {
        return now + low - (long) (Math.abs(now - at) * drift) - GRAIN_NANOS;
    }

    private void set(long newLow, long newHigh, long sentAt, long receivedAt) {
        answeredFrom = sentAt - answeredFrom > 0 ? sentAt : answeredFrom;
        low = newLow;
        high = newHigh;
        lastSentAt = sentAt;
        at = receivedAt;
    }

    /**
     * Returns from when on it is believed that a lease has ended, by the node's clock. This process must have watched
     * that clock without a gap for as long as any lease lasts; or for a while, if others have watched it before.
     */
    long believedFromMicros(long longestLeaseMicros) {
        long sinceForAll = steadyForAllMicros == 0 ? steadyMicros : steadyForAllMicros;
        long withOthers = Math.max(steadyMicros + OWN_WATCH_MICROS, sinceForAll + longestLeaseMicros);
        return Math.min(steadyMicros + longestLeaseMicros, withOthers);
    }
}
