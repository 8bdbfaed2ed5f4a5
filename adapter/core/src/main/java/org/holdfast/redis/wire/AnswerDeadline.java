// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.util.concurrent.TimeUnit;

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

    private volatile int timeoutMillis;

    /** Whether a part of the answer is waited for, by {@link #answerBy}. */
    private boolean late;

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
}
