// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.scheduling;

import java.util.concurrent.Executor;
import org.holdfast.protocol.env.WakeUp;

/**
 * The threads of a lock service, wherever they come from. As an executor it runs what may wait for nodes, and nothing
 * of the application: the attempts of waiters without a thread. Each such task ends within a few node timeouts, so one
 * that was accepted begins, whatever the application does.
 */
public interface Scheduling extends Executor, WakeUp, AutoCloseable {

    /**
     * Runs the task soon, and then whenever it is due by what was reported to this {@link WakeUp}, never twice at once.
     * Called once.
     */
    void repeat(Runnable task);

    /** Runs a pulse until it is closed, on a thread of its own, which may change to another one. */
    void keepRunning(Pulse pulse);

    /** Runs a long task, on a thread of its own. */
    void runLong(Runnable task);

    /**
     * Runs the application's code, which may block for ever. A call that was accepted begins, however many others
     * block.
     *
     * @throws java.util.concurrent.RejectedExecutionException if there is no thread for it now
     */
    void runApplication(Runnable task);

    /** Stops the repeated task. What was accepted before is run. */
    @Override
    void close();
}
