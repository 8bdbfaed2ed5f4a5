// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.action;

import java.util.ArrayList;
import java.util.List;
import org.holdfast.example.demo.state.Clock;
import org.holdfast.example.demo.state.DemoState.StaleWrite;
import org.holdfast.example.demo.state.DemoState.StaleWriteState;
import org.holdfast.example.demo.state.DemoState.Step;

/** What happened in one attempt, step by step. */
final class StaleWriteStory {

    private static final int MOST_STEPS = 8;

    private final Clock clock;
    private final List<Step> steps = new ArrayList<>();
    private StaleWriteState state = StaleWriteState.IDLE;
    private Long staleToken;
    private Long rowToken;

    StaleWriteStory(Clock clock) {
        this.clock = clock;
    }

    synchronized void begin() {
        state = StaleWriteState.RUNNING;
    }

    synchronized void step(String text) {
        if (steps.size() < MOST_STEPS) {
            steps.add(new Step(clock.now(), text));
        }
    }

    synchronized void staleToken(long token) {
        staleToken = token;
    }

    synchronized void rowToken(long token) {
        rowToken = token;
    }

    synchronized void end(StaleWriteState newState, String text) {
        step(text);
        state = newState;
    }

    synchronized void fail(String text) {
        end(StaleWriteState.FAILED, text);
    }

    synchronized StaleWrite view() {
        Step last = steps.isEmpty() ? null : steps.get(steps.size() - 1);
        return new StaleWrite(
                state,
                last == null ? null : last.text(),
                staleToken,
                rowToken,
                last == null ? null : last.at(),
                List.copyOf(steps));
    }
}
