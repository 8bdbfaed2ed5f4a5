// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * When a socket stops waiting for its peer: one deadline for all that is read and written, or a timeout for each
 * answer.
 *
 * <p>The timeout of an answer runs from when its first missing part is waited for. For one thread at a time, but for
 * the timeout.
 */
final class AnswerDeadline {

    /** Of the patience for an answer. */
    static final long UNLIMITED = Long.MAX_VALUE / 2;

    /** How long to pause between two attempts where there is no file for a selector. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private volatile int timeoutMillis;

    /** Whether a part of the answer is waited for, by {@link #answerBy}. */
    private boolean late;

    private boolean awaited = true;
    private long patience = UNLIMITED;
    private long answerBy;

    /** Whether there is one deadline for everything, which is {@link #answerBy}. */
    private boolean bounded;

    /** @param timeoutMillis for each answer; 0 for no limit */
    AnswerDeadline(int timeoutMillis) {
        this.timeoutMillis = timeoutMillis;
    }

    void setTimeoutMillis(int millis) {
        timeoutMillis = millis;
    }

    int timeoutMillis() {
        return timeoutMillis;
    }

    /** All that is read and written from now on has one deadline, on the scale of {@link System#nanoTime()}. */
    void boundAll(long deadline) {
        bounded = true;
        late = true;
        answerBy = deadline;
    }

    /** Each answer has one timeout from now on. */
    void boundEachAnswer() {
        bounded = false;
        late = false;
    }

    /** What is read from now on is another answer: parts that come one by one may take one timeout together. */
    void beginAnswer() {
        late = bounded;
    }

    /** Has what has not come waited for, or not. */
    void setAwaited(boolean yes) {
        awaited = yes;
    }

    boolean isAwaited() {
        return awaited;
    }

    /** Limits the wait for the parts of an answer that have not come, also if the timeout is longer. */
    void limitPatience(long nanos) {
        patience = nanos;
    }

    /** Returns until when to wait for the part of the answer that has not come: the same for all its parts. */
    long forAnswer() {
        if (!late) {
            late = true;
            long patient = System.nanoTime() + patience;
            long usual = forWriting();
            answerBy = patient - usual < 0 ? patient : usual;
        }
        return answerBy;
    }

    /** Returns until when to wait for the peer to take what is written now. */
    long forWriting() {
        if (bounded) {
            return answerBy;
        }
        int millis = timeoutMillis;
        return System.nanoTime() + (millis == 0 ? Long.MAX_VALUE / 2 : TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /**
     * Returns when the channel is ready, or may be. An interrupt is kept.
     *
     * @param operation of {@link SelectionKey}
     * @param deadline on the scale of {@link System#nanoTime()}
     * @param what has not come when the deadline is over, for the message
     */
    static void await(SocketChannel channel, int operation, long deadline, String what) throws IOException {
        boolean interrupted = Thread.interrupted();
        try (Selector selector = selector()) {
            if (selector != null) {
                channel.register(selector, operation);
            }
            long left = deadline - System.nanoTime();
            while (left > 0) {
                if (selector == null) {
                    LockSupport.parkNanos(Math.min(left, POLL_NANOS));
                    return; // the caller tries, and comes again
                }
                if (selector.select(TimeUnit.NANOSECONDS.toMillis(left) + 1) > 0) {
                    return;
                }
                interrupted |= Thread.interrupted(); // an interrupt ends a select; wait on, restore the status later
                left = deadline - System.nanoTime();
            }
            // a process that stood still has not looked since; and a signal ends a select that finds nothing then
            if (selector != null && selector.selectNow() > 0) {
                return;
            }
            throw new SocketTimeoutException(what + " in time");
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns null where this process has no file left for one: an open connection must not be lost by that. */
    private static @Nullable Selector selector() {
        try {
            return Selector.open();
        } catch (IOException | OutOfMemoryError e) {
            return null;
        }
    }
}
