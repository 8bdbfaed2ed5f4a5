// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.holdfast.protocol.env.Time;

/**
 * A clock that stands still, goes ahead by what it is told, and goes as fast as a real one while a caller waits.
 *
 * <p>What is due by it is run by one thread, which waits in {@link #awaitDue}. Everything is guarded by one monitor: a
 * unit test has few threads.
 */
final class VirtualTime implements Time {

    private static final long WALL_MICROS = 1_800_000_000_000_000L;
    private static final long NEVER = Long.MAX_VALUE / 4;

    /** What is due again at once waits so long, so that it cannot keep a thread busy while the clock stands still. */
    private static final long LEAST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

    /** So long, in real time, the clock waits for what was due: it may be blocked by the test itself. */
    private static final long LONGEST_SETTLING = TimeUnit.SECONDS.toNanos(1);

    private static final long LOOK_PAUSE = TimeUnit.MICROSECONDS.toNanos(20);

    private final TestThreads threads;
    private long now = TimeUnit.DAYS.toNanos(1);
    private long realBefore;
    private int waiting;
    private boolean skipping;
    private long due = NEVER;
    private boolean running;
    private boolean closed;

    VirtualTime(TestThreads threads) {
        this.threads = threads;
    }

    @Override
    public synchronized long nanoTime() {
        if (waiting > 0) {
            long real = System.nanoTime();
            now += real - realBefore;
            realBefore = real;
        }
        return now;
    }

    @Override
    public long epochMicros() {
        return WALL_MICROS + TimeUnit.NANOSECONDS.toMicros(nanoTime());
    }

    /** From now on a wait takes no real time: the clock goes ahead to its end, unless what is due ends it before. */
    synchronized void skipWaits() {
        skipping = true;
        notifyAll();
    }

    /** Has what is due run within so long. */
    synchronized void within(long nanos) {
        due = Math.min(due, nanoTime() + Math.max(0, Math.min(nanos, NEVER / 2)));
        notifyAll();
    }

    /** The clock goes ahead to this moment, and whatever becomes due on the way is run when it does. */
    void advanceTo(long moment) {
        boolean settled = settle();
        while (moment - nanoTime() > 0) {
            stepWhenIdle(moment);
            settled = settled ? settle() : settleClock();
        }
    }

    /** As {@link #step}; what has become due since all was settled, by a step of another thread, is run first. */
    private void stepWhenIdle(long moment) {
        if (!await(() -> stepIfIdle(moment))) {
            step(moment);
        }
    }

    private synchronized boolean stepIfIdle(long moment) {
        boolean idle = isIdle();
        if (idle) {
            step(moment);
        }
        return idle;
    }

    /** The clock goes ahead to this moment at the most: to an earlier one if something is due then. */
    private synchronized void step(long moment) {
        skipTo(Math.min(moment, due));
    }

    /** The clock goes ahead to this moment, whatever is due before. */
    synchronized void skipTo(long moment) {
        now = Math.max(nanoTime(), moment);
        notifyAll();
    }

    /**
     * Waits until everything that is due has been run, and what that has begun has ended; for 1 s at the most. A thread
     * of this test itself does not wait for the others.
     *
     * @return false if code of the application, such as a listener, has not ended
     */
    boolean settle() {
        return threads.isOwn() ? settleClock() : await(() -> isIdle() && threads.isIdle());
    }

    /** Waits until everything that is due has been run, whatever it has begun. Returns false. */
    private boolean settleClock() {
        await(this::isIdle);
        return false;
    }

    private static boolean await(BooleanSupplier condition) {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begun > LONGEST_SETTLING) {
                return false;
            }
            LockSupport.parkNanos(LOOK_PAUSE);
        }
        return true;
    }

    private synchronized boolean isIdle() {
        return closed || (!running && due - nanoTime() > 0);
    }

    /** Waits until something is due; returns false once this is closed. For the one thread that runs what is due. */
    synchronized boolean awaitDue() throws InterruptedException {
        due = running ? Math.max(due, nanoTime() + LEAST_PAUSE) : due;
        running = false;
        while (!closed && due - nanoTime() > 0) {
            waitUntil(due);
        }
        running = true;
        due = NEVER;
        return !closed;
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** Returns earlier if anything changes; later only while the clock stands still. */
    private void waitUntil(long moment) throws InterruptedException {
        long left = moment - nanoTime();
        if (waiting > 0 && left < NEVER / 4) {
            wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
        } else {
            wait();
        }
    }

    @Override
    public Signal newSignal() {
        return new VirtualSignal();
    }

    private final class VirtualSignal implements Signal {

        private boolean raised;

        @Override
        public void raise() {
            synchronized (VirtualTime.this) {
                raised = true;
                VirtualTime.this.notifyAll();
            }
        }

        @Override
        public boolean await(long nanos) throws InterruptedException {
            long deadline = nanoTime() + Math.min(nanos, NEVER / 2);
            settle(); // what raises it may be on its way
            while (!awaitRaise(deadline)) {
                stepWhenIdle(deadline);
                settle();
            }
            return takeRaise();
        }

        private boolean takeRaise() {
            synchronized (VirtualTime.this) {
                boolean was = raised;
                raised = false;
                return was;
            }
        }

        /** Returns false if waits are skipped and this one has not ended. The clock goes while this waits. */
        private boolean awaitRaise(long deadline) throws InterruptedException {
            synchronized (VirtualTime.this) {
                nanoTime();
                realBefore = System.nanoTime();
                waiting++;
                VirtualTime.this.notifyAll();
                try {
                    while (!raised && deadline - nanoTime() > 0 && !skipping) {
                        waitUntil(deadline);
                    }
                    if (Thread.interrupted()) {
                        throw new InterruptedException("interrupted while it waited in virtual time");
                    }
                    return raised || deadline - nanoTime() <= 0;
                } finally {
                    nanoTime();
                    waiting--;
                }
            }
        }
    }
}
