// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.action;

import java.util.concurrent.atomic.AtomicReference;

/** One action at a time on one thing. */
final class Turn {

    private final AtomicReference<String> action = new AtomicReference<>();

    /** Takes it for the action; false if another action has it. */
    boolean take(String newAction) {
        return action.compareAndSet(null, newAction);
    }

    /** Returns what has it now, for people. */
    String taken() {
        String now = action.get();
        return now == null ? "another action" : now;
    }

    void giveBack() {
        action.set(null);
    }
}
