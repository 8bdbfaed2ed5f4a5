// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

/** A thread that asks for a lock, and stands in line until it has it, its time is over, or it is interrupted. */
final class Waiting {

    private final LeaseManager manager;
    private final WaitingRoom waitingRoom;
    private final Attempts attempts;
    private final Runnable whenWaiting;
    private Nodes nodes;

    /**
     * @param nodes as the calling thread reaches them
     * @param whenWaiting told before the thread waits, on that thread; those nodes are not used any more then
     */
    Waiting(LeaseManager manager, Nodes nodes, Attempts attempts, Runnable whenWaiting) {
        this.manager = manager;
        this.waitingRoom = manager.waitingRoom();
        this.nodes = nodes;
        this.attempts = attempts;
        this.whenWaiting = whenWaiting;
    }

    Acquisition acquire() throws InterruptedException {
        if (!attempts.mayWait()) {
            Acquisition once = attempts.next(nodes);
            return once != null ? once : attempts.givenUp();
        }
        long wakesBefore = waitingRoom.wakes();
        boolean first = !waitingRoom.isWaitedFor(attempts.line()) && attempts.courtesy() <= 0;
        Acquisition atOnce = first ? attempts.next(nodes) : null;
        return atOnce != null ? atOnce : listenAndWait(wakesBefore);
    }

    /** Goes on through connections that all who wait share, so that a thousand who wait keep no connections of their own. */
    private Acquisition listenAndWait(long wakesBefore) throws InterruptedException {
        nodes = manager.forWaiting();
        whenWaiting.run();
        attempts.names().forEach(manager.announcements()::listen);
        try {
            Acquisition done;
            do {
                done = standInLine(wakesBefore);
            } while (done == null); // others came first, by the nodes: once more to the end of the line
            return done;
        } finally {
            attempts.names().forEach(manager.announcements()::ignore);
        }
    }

    private Acquisition standInLine(long wakesBefore) throws InterruptedException {
        Time.Signal signal = manager.time().newSignal();
        WaitingRoom.Turn turn = waitingRoom.enter(attempts.line(), attempts.names(), attempts.waiter(signal::raise));
        Acquisition done = null;
        try {
            if (waitingRoom.wakes() != wakesBefore) { // perhaps for this lock, before we stood in line
                signal.raise();
            }
            done = waitForTurn(turn, signal);
            return done;
        } finally {
            attempts.leave(turn, done);
        }
    }

    /** Returns what came of it, or null to begin again at the end of the line. */
    private Acquisition waitForTurn(WaitingRoom.Turn turn, Time.Signal signal) throws InterruptedException {
        boolean attempt = attempts.isInTurn(); // so that the nodes know of us
        while (true) {
            if (turn.handed() != null) {
                return manager.takeOver(turn.handed(), nodes);
            }
            if (attempt && manager.gate().enter(attempts.left())) {
                Acquisition done = attemptInside();
                if (done != null || attempts.isOvertaken()) {
                    return done;
                }
            }
            long left = attempts.left();
            if (left <= 0) {
                return attempts.givenUp();
            }
            if (signal.await(turn.isFirst() ? Math.min(left, attempts.pause()) : left)) {
                attempts.news();
            }
            attempt = turn.isFirst() && attempts.left() > 0 && attempts.courtesy() <= 0;
        }
    }

    private Acquisition attemptInside() {
        try {
            return attempts.next(nodes);
        } finally {
            manager.gate().leave();
        }
    }
}
