// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Round;

/** The answers to one command, waited for by the clock of the client. */
final class Answers implements Round {

    private final World world;
    private final SimulatedTime time;
    private final ArrayDeque<Answer> arrived = new ArrayDeque<>();
    private int outstanding;
    private Consumer<Answer> late;
    private World.Task waiter;

    Answers(World world, SimulatedTime time, int outstanding) {
        this.world = world;
        this.time = time;
        this.outstanding = outstanding;
    }

    /** Returns whether the caller has stopped waiting for answers. */
    boolean isLeft() {
        return late != null;
    }

    void answered(Answer answer) {
        outstanding--;
        if (late != null) {
            late.accept(answer);
        } else {
            arrived.addLast(answer);
        }
        if (waiter != null) {
            world.wake(waiter);
        }
    }

    @Override
    public Answer next(long deadline) {
        waiter = world.current();
        while (arrived.isEmpty() && outstanding > 0 && time.nanoTime() - deadline < 0) {
            world.waitUntil(time.worldMoment(deadline));
        }
        waiter = null;
        return arrived.pollFirst();
    }

    @Override
    public void awaitLate(BooleanSupplier enough, long deadline) {
        waiter = world.current();
        while (!enough.getAsBoolean() && outstanding > 0 && time.nanoTime() - deadline < 0) {
            world.waitUntil(time.worldMoment(deadline));
        }
        waiter = null;
    }

    @Override
    public void leave(Consumer<Answer> listener) {
        late = listener;
        List<Answer> left = new ArrayList<>(arrived);
        arrived.clear();
        left.forEach(listener);
    }
}
