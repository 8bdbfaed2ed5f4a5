// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.concurrent.Executor;

/**
 * The threads of a lock service, wherever they come from. As an executor it runs what may take its time: listeners of lost
 * leases, and probes of nodes that hang.
 */
public interface Scheduling extends Executor, AutoCloseable {

    /** Runs the task again and again, with a pause in between, never twice at once. Called once. */
    void repeat(Runnable task, long pauseMillis);

    /** Runs what goes on for long, on a thread of its own. */
    void runLong(Runnable task);

    /** Stops the repeated task. */
    @Override
    void close();
}
