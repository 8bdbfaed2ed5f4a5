// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * Virtual time, one random source, and the order of everything.
 *
 * <p>Threads of the simulated programs run one at a time: each runs until it waits, then the next event in virtual time
 * follows.
 */
final class World {

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "simulated");
        thread.setDaemon(true);
        return thread;
    });

    final Random random;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final List<Task> tasks = new ArrayList<>();
    private final Semaphore driver = new Semaphore(0);
    private long now;
    private long sequence;
    private long until;
    private Task running;
    private Task resumed;
    private boolean ended;
    private Throwable failure;
    private Observer observer = Observer.NONE;

    World(long seed) {
        this.random = new Random(seed);
    }

    private record Event(long at, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    /** Thrown out of a wait when the simulation is over. */
    static final class End extends Error {
        private static final long serialVersionUID = 1L;

        End() {
            super(null, null, false, false); // where each thread ended is not read
        }
    }

    /** A thread of a simulated program. */
    final class Task {
        private final Semaphore turn = new Semaphore(0);
        private final Machine machine;
        private long waiting; // which wait it is in, 0 for none
        private boolean finished;

        Task(Machine machine) {
            this.machine = machine;
        }
    }

    /** What threads run on: while it is paused none of them does. */
    static final class Machine {
        long pausedUntil;

        /** Lets nothing run until the moment. */
        void pause(long until) {
            pausedUntil = Math.max(pausedUntil, until);
        }
    }

    /** Has everything that happens reported, from now on until the end. */
    void observe(Observer all) {
        observer = all;
    }

    /** Returns what is to be told of what happens. */
    Observer observer() {
        return ended ? Observer.NONE : observer;
    }

    /** Virtual nanoseconds since the beginning. */
    long now() {
        return now;
    }

    void at(long moment, Runnable action) {
        events.add(new Event(Math.max(now, moment), ++sequence, action));
    }

    void after(long nanos, Runnable action) {
        at(now + nanos, action);
    }

    /** Starts a program. */
    void spawn(Machine machine, Runnable program) {
        Task task = new Task(machine);
        tasks.add(task);
        THREADS.execute(() -> {
            task.turn.acquireUninterruptibly();
            try {
                if (!ended) {
                    program.run();
                }
            } catch (End end) {
                // that was to come
            } catch (Throwable e) {
                fail(e);
            }
            task.finished = true;
            hand(ended ? null : nextTask());
        });
        at(now, () -> begin(task));
    }

    private void begin(Task task) {
        if (task.machine.pausedUntil > now) {
            at(task.machine.pausedUntil, () -> begin(task));
        } else {
            resumed = task;
        }
    }

    Task current() {
        return running;
    }

    /** Lets the calling thread wait until it is woken or the moment comes. */
    void waitUntil(long moment) {
        if (ended) { // what is done on the way out of a program does not wait either
            throw new End();
        }
        Task me = running;
        long wait = ++sequence;
        me.waiting = wait;
        at(moment, () -> endWait(me, wait));
        Task next = nextTask();
        if (next != me) {
            hand(next);
            me.turn.acquireUninterruptibly();
        }
        running = me;
        if (ended) {
            throw new End();
        }
    }

    /** Ends the wait of a thread, now. */
    void wake(Task task) {
        long wait = task.waiting;
        if (wait != 0) {
            at(now, () -> endWait(task, wait));
        }
    }

    private void endWait(Task task, long wait) {
        if (task.waiting != wait) {
            return;
        }
        if (task.machine.pausedUntil > now) {
            at(task.machine.pausedUntil, () -> endWait(task, wait));
            return;
        }
        task.waiting = 0;
        resumed = task;
    }

    /**
     * Advances time, on whichever thread has nothing to do, until an event resumes a thread; null when all is over. If
     * that is the same thread, no change of threads is needed.
     */
    private Task nextTask() {
        running = null;
        observer().happened();
        while (failure == null && !events.isEmpty() && events.peek().at() <= until) {
            Event event = events.poll();
            now = event.at();
            resumed = null;
            try {
                event.action().run();
                observer().happened();
            } catch (Throwable e) {
                fail(e);
                return null;
            }
            if (resumed != null) {
                return resumed;
            }
        }
        return null;
    }

    private void fail(Throwable e) {
        failure = failure == null ? e : failure;
    }

    private void hand(Task next) {
        if (next == null) {
            driver.release();
        } else {
            running = next;
            next.turn.release();
        }
    }

    /** Ends the run at the moment, if it does not end before. */
    void endAt(long moment) {
        until = Math.min(until, moment);
    }

    /** Runs until the moment, or until something fails. */
    void run(long end) throws Throwable {
        until = end;
        hand(nextTask());
        driver.acquireUninterruptibly();
        ended = true;
        for (int i = 0; i < tasks.size(); i++) { // those that end may start others still
            Task task = tasks.get(i);
            if (!task.finished) {
                running = task;
                task.turn.release();
                driver.acquireUninterruptibly();
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
