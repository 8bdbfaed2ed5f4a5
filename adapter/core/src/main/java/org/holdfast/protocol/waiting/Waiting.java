// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.queue.Places;
import org.holdfast.protocol.queue.WaitQueues;
import org.jspecify.annotations.Nullable;

/** Lets threads wait in line for a lock until they have it, their time is over, or they are interrupted. */
public final class Waiting {

    private final Time time;
    private final Nodes forWaiting;
    private final AttemptLimiter attemptLimiter;
    private final StopFlag stopFlag;

    /** @param forWaiting the nodes through which all waiters attempt */
    public Waiting(Time time, Nodes forWaiting, AttemptLimiter attemptLimiter, StopFlag stopFlag) {
        this.time = time;
        this.forWaiting = forWaiting;
        this.attemptLimiter = attemptLimiter;
        this.stopFlag = stopFlag;
    }

    /**
     * Attempts on the calling thread until the result is known.
     *
     * @param nodes as the calling thread reaches them
     * @param interruptible whether an interrupt ends the wait; else the thread keeps its place, and its interrupt for
     *     later
     * @param whenWaiting run before the thread waits, on that thread; those nodes are not used any more then
     */
    AcquireResult acquire(Nodes nodes, Attempts attempts, boolean interruptible, Runnable whenWaiting)
            throws InterruptedException {
        return new Caller(nodes, attempts, interruptible, whenWaiting).acquire();
    }

    /** One thread that asks for a lock. */
    private final class Caller {

        private final Attempts attempts;
        private final Places.Place place;
        private final boolean interruptible;
        private final Runnable whenWaiting;
        private Nodes nodes;
        private boolean interrupted;

        Caller(Nodes nodes, Attempts attempts, boolean interruptible, Runnable whenWaiting) {
            this.nodes = nodes;
            this.attempts = attempts;
            this.place = attempts.place();
            this.interruptible = interruptible;
            this.whenWaiting = whenWaiting;
        }

        AcquireResult acquire() throws InterruptedException {
            if (!attempts.mayWait()) {
                AcquireResult once = attempts.next(nodes);
                return once != null ? once : attempts.givenUp();
            }
            long wakesBefore = place.wakes();
            boolean first = place.isFree();
            AcquireResult atOnce = first ? attempts.next(nodes) : null;
            return atOnce != null ? atOnce : listenAndWait(wakesBefore);
        }

        /**
         * Continues through connections that all waiters share, so that a thousand waiters keep no connections of their
         * own.
         */
        private AcquireResult listenAndWait(long wakesBefore) throws InterruptedException {
            nodes = forWaiting;
            whenWaiting.run();
            place.subscribe();
            try {
                AcquireResult done;
                do {
                    done = standInLine(wakesBefore);
                } while (done == null); // others came first, by the nodes: once more to the end of the line
                return done;
            } finally {
                place.unsubscribe();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        private @Nullable AcquireResult standInLine(long wakesBefore) throws InterruptedException {
            Time.Signal signal = time.newSignal();
            WaitQueues.Turn turn = attempts.enter(signal::raise);
            AcquireResult done = null;
            try {
                if (place.wakes() != wakesBefore) { // perhaps for this lock, before we stood in line
                    signal.raise();
                }
                done = waitForTurn(turn, signal);
                return done;
            } finally {
                attempts.leave(done);
            }
        }

        /** Returns what came of it, or null to begin again at the end of the line. */
        private @Nullable AcquireResult waitForTurn(WaitQueues.Turn turn, Time.Signal signal)
                throws InterruptedException {
            boolean attempt = place.isInTurn(); // so that the nodes know of us
            while (true) {
                if (turn.handed() != null) {
                    return attempts.takeOver(turn.handed(), nodes);
                }
                stopFlag.requireOpen(); // a stop of the service wakes every waiter
                if (attempt && enterGate(attempts.left())) {
                    AcquireResult done = attemptInside();
                    if (done != null || place.isOvertaken()) {
                        return done;
                    }
                }
                long left = attempts.left();
                if (left <= 0) {
                    return giveUp();
                }
                if (isRaised(signal, turn.isFirst() ? Math.min(left, attempts.pause()) : left)) {
                    attempts.news();
                }
                attempt = turn.isFirst() && attempts.left() > 0 && attempts.pause() <= 0;
            }
        }

        /**
         * A caller whose time ends, and in whose line no attempt has begun since it came, does not know whether the
         * lock is free or the nodes are out of reach: it asks once. Its result serves all callers that came before, so
         * of many only as many ask as the gate lets in at once.
         */
        private AcquireResult giveUp() throws InterruptedException {
            AcquireResult done = null;
            if (attempts.knowsNothing() && enterGate(Long.MAX_VALUE / 4)) {
                done = attempts.knowsNothing() ? attemptInside() : leaveGate();
            }
            return done != null ? done : attempts.givenUp();
        }

        private @Nullable AcquireResult leaveGate() {
            attemptLimiter.leave();
            return null;
        }

        private @Nullable AcquireResult attemptInside() {
            try {
                return attempts.next(nodes);
            } finally {
                attemptLimiter.leave();
            }
        }

        private boolean enterGate(long nanos) throws InterruptedException {
            try {
                return attemptLimiter.enter(nanos);
            } catch (InterruptedException e) {
                keepForLater(e);
                return false;
            }
        }

        private boolean isRaised(Time.Signal signal, long nanos) throws InterruptedException {
            try {
                return signal.await(nanos);
            } catch (InterruptedException e) {
                keepForLater(e);
                return false;
            }
        }

        private void keepForLater(InterruptedException e) throws InterruptedException {
            if (interruptible) {
                throw e;
            }
            interrupted = true;
        }
    }
}
