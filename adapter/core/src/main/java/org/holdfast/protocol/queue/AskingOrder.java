// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.util.Objects;
import org.holdfast.protocol.env.Time;
import org.jspecify.annotations.Nullable;

/**
 * When one waiter asks the nodes for its place in a line whose order they know: after those before it. For one thread
 * at a time.
 *
 * <p>It looks from time to time whether those before it ask at all. Where two looks in a row find no change, they have
 * no thread, or hang, and it goes ahead of them. A clock would not do: after a pause of the whole process each waiter
 * would find that those before it took too long, and ask at once.
 */
public final class AskingOrder {

    private static final int LOOKS = 2;

    private final Time time;
    private final long answerNanos;

    /** Null while the caller stands in no line whose order the nodes know, or has asked. */
    private WaitQueues.@Nullable Turn waiting;

    private boolean again;
    private long seen;
    private int unchanged;
    private long nextLook;

    /** @param answerNanos for how long a node may take to answer */
    public AskingOrder(Time time, long answerNanos) {
        this.time = time;
        this.answerNanos = answerNanos;
    }

    /** The caller has joined a line. */
    public void joined(WaitQueues.Turn turn) {
        again = false;
        wait(turn);
    }

    private void wait(WaitQueues.Turn turn) {
        waiting = turn;
        seen = turn.changes();
        unchanged = 0;
        nextLook = time.nanoTime() + answerNanos;
    }

    /** Returns whether the caller has still to ask. */
    public boolean isWaiting() {
        return waiting != null;
    }

    /**
     * Returns whether it may ask now.
     *
     * @param pause until its next attempt is due, for one that has asked in vain
     */
    public boolean mayAsk(long pause) {
        WaitQueues.Turn turn = Objects.requireNonNull(waiting, "has asked");
        boolean isItsTurn = turn.mayAsk();
        if (!isItsTurn && time.nanoTime() - nextLook >= 0) {
            look(turn);
        }
        return (isItsTurn || unchanged >= LOOKS) && (!again || pause <= 0);
    }

    private void look(WaitQueues.Turn turn) {
        long now = turn.changes();
        unchanged = now == seen ? unchanged + 1 : 0;
        seen = now;
        nextLook = time.nanoTime() + answerNanos;
    }

    /**
     * Returns for how long it does nothing, unless it is woken.
     *
     * @param pause as in {@link #mayAsk}
     */
    public long pause(long pause) {
        long untilLook = nextLook - time.nanoTime();
        boolean isPaused = again && pause > 0 && (untilLook <= 0 || pause < untilLook);
        return isPaused ? pause : Math.max(0, untilLook);
    }

    /** It asks now. */
    public void asks() {
        WaitQueues.Turn turn = Objects.requireNonNull(waiting, "has asked");
        if (!turn.mayAsk()) {
            turn.pass();
        }
        waiting = null;
    }

    /** No quorum has answered: it asks again, when those before it have their places. */
    public void hasAskedInVain(WaitQueues.Turn turn) {
        turn.hasAskedInVain();
        again = true;
        wait(turn);
    }
}
