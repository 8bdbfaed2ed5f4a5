// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.holdfast.protocol.env.Time;
import org.jspecify.annotations.Nullable;

/** The answers to one command, one from each target, in the order in which they come. */
public interface Round {

    /**
     * Returns the next answer; waits for it until the deadline.
     *
     * <p>Works on an interrupted thread and leaves the interrupt status as it was.
     *
     * @param deadline on the scale of {@link Time#nanoTime()}
     * @return the answer, or null if the deadline has passed or every target has answered
     */
    @Nullable
    Answer next(long deadline);

    /**
     * Stops waiting: each answer that was not returned by {@link #next} goes to the listener when it comes, on the
     * thread that reads it. The listener must not block.
     */
    void leave(Consumer<Answer> late);

    /**
     * Waits, after {@link #leave}, until the listener has what it needs, or every target has answered, or the deadline.
     * Works on an interrupted thread and leaves the interrupt status as it was.
     *
     * @param enough whether it has; is asked on any thread, and must not block
     * @param deadline on the scale of {@link Time#nanoTime()}
     */
    void awaitLate(BooleanSupplier enough, long deadline);
}
