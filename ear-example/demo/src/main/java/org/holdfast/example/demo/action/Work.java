// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.action;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.holdfast.example.demo.web.ActionResult;

/** The threads of actions that have begun. */
public final class Work implements AutoCloseable {

    /** Each node, server and run has one action at a time; this is more than there can be. */
    private static final int MOST_ACTIONS = 32;

    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(0, MOST_ACTIONS, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
                Thread thread = new Thread(work, "action");
                thread.setDaemon(true);
                return thread;
            });

    /** Something that takes time, and can fail. */
    @FunctionalInterface
    interface Task {

        void run() throws Exception;
    }

    /**
     * Begins a task, if nothing is in its way.
     *
     * @param turn of what it is done to
     * @param what it is, for people
     * @param obstacle returns why it is not possible now; empty if it is. Called when the turn is taken
     * @param failed what to do when it fails
     */
    ActionResult begin(Turn turn, String what, Supplier<String> obstacle, Task task, Consumer<Exception> failed) {
        if (!turn.take(what)) {
            return new ActionResult.Refused("not now: " + turn.taken() + " is under way");
        }
        boolean begun = false;
        try {
            String reason = obstacle.get();
            if (!reason.isEmpty()) {
                return new ActionResult.Refused(reason);
            }
            threads.execute(() -> run(turn, task, failed));
            begun = true;
            return new ActionResult.Begun();
        } catch (RejectedExecutionException e) {
            return new ActionResult.Refused("not now: too many actions are under way, or the demo is ending");
        } finally {
            if (!begun) {
                turn.giveBack();
            }
        }
    }

    private static void run(Turn turn, Task task, Consumer<Exception> failed) {
        try {
            task.run();
        } catch (InterruptedException e) {
            // the demo is ending
        } catch (Exception e) { // whatever it is, people see it
            failed.accept(e);
        } finally {
            turn.giveBack();
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
