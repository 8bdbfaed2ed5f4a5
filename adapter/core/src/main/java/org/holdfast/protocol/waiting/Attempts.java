// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.queue.Patience;
import org.holdfast.protocol.queue.Places;
import org.holdfast.protocol.queue.WaitQueues;
import org.holdfast.protocol.quorum.QuorumResult;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one caller to get what it asks for: how long to pause between them, and the result.
 *
 * <p>Knows nothing of threads: the caller waits as it likes. For one thread at a time.
 */
final class Attempts {

    private final Time time;
    private final StopFlag stopFlag;
    private final Patience patience;
    private final Claims.Claiming claiming;
    private final Places.Place place;
    private final RetryDelay retryDelay;
    private final Consumer<AcquireResult> whenDone;
    private int failed;
    private int failedSinceNews;
    private @Nullable QuorumResult last;
    private long lastBegun;

    /** Null until it stands in line. */
    private @Nullable Pace pace;

    /** @param whenDone receives the result */
    Attempts(
            Time time,
            StopFlag stopFlag,
            Patience patience,
            Claims.Claiming claiming,
            Places.Place place,
            RetryDelay retryDelay,
            Consumer<AcquireResult> whenDone) {
        this.time = time;
        this.stopFlag = stopFlag;
        this.patience = patience;
        this.claiming = claiming;
        this.place = place;
        this.retryDelay = retryDelay;
        this.whenDone = whenDone;
    }

    /** Returns where the caller stands in line. */
    Places.Place place() {
        return place;
    }

    /** Returns whether there is time to wait at all. */
    boolean mayWait() {
        return patience.mayWait();
    }

    /** Returns how much of the wait timeout is left. */
    long left() {
        return patience.left();
    }

    /** Returns how long to wait before the next attempt, unless a release wakes us; 0 or less if it is time. */
    long pause() {
        Pace known = pace();
        if (!known.isSet()) {
            known.set(pauseForOutcome());
        }
        return Math.max(known.nanosLeft(), place.yieldNanos());
    }

    private Pace pace() {
        return Objects.requireNonNull(pace, "not in line");
    }

    private long pauseForOutcome() {
        long local = place.keptOutNanos(); // while this process holds the lock the nodes need not be asked
        if (local > 0 || failed == 0) {
            return local;
        }
        if (last instanceof QuorumResult.Contended other && place.isSubscribed()) {
            return retryDelay.nanosWhileHeard(Math.max(1, failedSinceNews), other.remainingMillis());
        }
        return retryDelay.nanosAfter(failed);
    }

    /**
     * Something has changed, or seems to have: it is time for an attempt, unless so many attempts failed that
     * announcements are not believed at once any more.
     */
    void news() {
        pause(); // else the pace knows of no attempt to hasten
        if (pace().hasten()) {
            failedSinceNews = 0; // contenders may take each other's votes now, which no release ends
        }
    }

    /** Attempts once; returns null if another attempt may succeed. */
    @Nullable
    AcquireResult next(Nodes nodes) {
        stopFlag.requireOpen();
        long started = time.nanoTime();
        long local = place.isNew() ? 0 : place.keptOutNanos();
        QuorumResult result = local > 0 ? new QuorumResult.Contended(local / 1_000_000) : attempt(nodes);
        if (result instanceof QuorumResult.TokenTooSmall || result instanceof QuorumResult.TokenOutOfDate) {
            result = attempt(nodes); // with a token that is past the one on record, or new: this costs one round, once
        }
        if (result instanceof QuorumResult.Acquired) {
            return new AcquireResult.Held(Objects.requireNonNull(claiming.held(), "what was acquired"));
        }
        remember(result, started);
        return result instanceof QuorumResult.ClockSkewed ? new AcquireResult.ClockSkewed() : null;
    }

    private QuorumResult attempt(Nodes nodes) {
        return claiming.attempt(nodes, place.queueing(), deadline());
    }

    /** The first attempt has all the time it needs; later ones end with the wait timeout. */
    private long deadline() {
        long longest = Long.MAX_VALUE / 2;
        return time.nanoTime() + (failed == 0 ? longest : Math.min(left(), longest));
    }

    private void remember(QuorumResult result, long started) {
        boolean cutShort = result instanceof QuorumResult.Undetermined && failed > 0 && left() <= 0;
        if (!cutShort) { // an attempt that had no time to learn anything does not change what is known
            last = result;
            lastBegun = started;
            place.note(last, lastBegun);
        }
        failed++;
        failedSinceNews++;
        if (pace != null) {
            pace.attempted();
            if (result instanceof QuorumResult.Contended other) {
                pace.foundHeld(TimeUnit.MILLISECONDS.toNanos(other.remainingMillis()));
            }
        }
        place.attempted(result);
    }

    /** Takes over a lock that was handed off to the caller. */
    AcquireResult takeOver(HeldLock handed, Nodes nodes) {
        return new AcquireResult.Held(claiming.takeOver(handed, nodes));
    }

    /** Joins the end of the line. */
    WaitQueues.Turn enter(Runnable wake) {
        if (pace == null) {
            pace = new Pace(time);
        }
        WaitQueues.Turn turn = place.enter(wake);
        if (last != null) {
            place.note(last, lastBegun);
        }
        return turn;
    }

    /**
     * Leaves the line.
     *
     * @param done the result; null if the caller gave up or comes again
     */
    void leave(@Nullable AcquireResult done) {
        place.leave(done instanceof AcquireResult.Held held ? held.heldLock() : null);
    }

    /** Reports the result. */
    void done(AcquireResult result) {
        whenDone.accept(result);
    }

    /**
     * Returns whether nothing is known of the lock: neither this caller nor another in its line has asked since this
     * one came.
     */
    boolean knowsNothing() {
        return found() == null;
    }

    /**
     * A caller that waits behind others uses their result, if they asked after it came: the result of an earlier
     * attempt may be from before an outage.
     */
    private @Nullable QuorumResult found() {
        WaitQueues.Found others = place.found();
        if (others == null || !patience.hasBegunBy(others.begun())) {
            return last;
        }
        return last == null || others.begun() - lastBegun > 0 ? others.quorumResult() : last;
    }

    /**
     * Returns the result when there is no more time.
     *
     * @throws IllegalStateException if the service was stopped meanwhile: the lock may well be free
     */
    AcquireResult givenUp() {
        stopFlag.requireOpen();
        Duration waited = Duration.ofNanos(patience.waitedNanos());
        QuorumResult found = found();
        if (found instanceof QuorumResult.Unavailable unavailable) {
            return new AcquireResult.Unavailable(unavailable.failures(), waited);
        }
        if (found instanceof QuorumResult.Undetermined undetermined) {
            return new AcquireResult.Unavailable(undetermined.failures(), waited);
        }
        return new AcquireResult.TimedOut(waited);
    }
}
