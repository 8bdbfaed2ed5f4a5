// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Round;
import org.jspecify.annotations.Nullable;

/**
 * The answers to one command. Only a node that hangs has not answered when the command was sent: the clock goes ahead
 * to the end of a wait for it.
 */
final class MemoryRound implements Round {

    private final VirtualTime time;
    private final ArrayDeque<Answer> arrived = new ArrayDeque<>();
    private int outstanding;
    private @Nullable Consumer<Answer> late;

    MemoryRound(VirtualTime time, int targets) {
        this.time = time;
        this.outstanding = targets;
    }

    void answered(Answer answer) {
        Consumer<Answer> listener;
        synchronized (this) {
            outstanding--;
            listener = late;
            if (listener == null) {
                arrived.addLast(answer);
            }
        }
        if (listener != null) {
            listener.accept(answer);
        }
    }

    @Override
    public @Nullable Answer next(long deadline) {
        synchronized (this) {
            if (!arrived.isEmpty() || outstanding == 0) {
                return arrived.pollFirst();
            }
        }
        time.skipTo(deadline);
        synchronized (this) {
            return arrived.pollFirst();
        }
    }

    @Override
    public void awaitLate(BooleanSupplier enough, long deadline) {
        if (!enough.getAsBoolean()) {
            time.skipTo(deadline);
        }
    }

    @Override
    public void leave(Consumer<Answer> listener) {
        List<Answer> left;
        synchronized (this) {
            late = listener;
            left = new ArrayList<>(arrived);
            arrived.clear();
        }
        left.forEach(listener);
    }
}
