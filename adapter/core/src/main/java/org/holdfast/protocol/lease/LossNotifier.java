// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.holdfast.LeaseLoss;
import org.holdfast.protocol.env.Callbacks;
import org.holdfast.protocol.env.Chain;
import org.holdfast.protocol.env.LogRateLimiter;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.LogText;
import org.jspecify.annotations.Nullable;

/**
 * Calls listeners of losses, on threads for the application's code. A failure of a listener affects that listener
 * alone, and is logged at most once a second: an outage may cost many leases at once.
 */
public final class LossNotifier {

    private static final System.Logger LOG = System.getLogger(LossNotifier.class.getName());

    private final Callbacks callbacks;
    private final LogRateLimiter untold;
    private final LogRateLimiter failed;

    /** Those that could not be told for want of memory: they are told by a later sweep. */
    private final AtomicReference<@Nullable Entry> deferred = new AtomicReference<>();

    /**
     * What is done when a lock is lost.
     *
     * @param notifier calls the listeners
     * @param atOnce is called on the thread that sees the loss
     */
    record OnLoss(LossNotifier notifier, Consumer<HeldLock> atOnce) {}

    public LossNotifier(Callbacks callbacks, Time time) {
        this.callbacks = callbacks;
        this.untold = new LogRateLimiter(time);
        this.failed = new LogRateLimiter(time);
    }

    /**
     * A listener of one lock, or the interrupt of a thread, and the loss as soon as there is one. All that a report
     * needs is there before the loss, which may come when there is no memory.
     */
    private abstract static class Entry extends Chain.Link<Entry> implements Runnable {

        private volatile @Nullable LeaseLoss loss;
        private @Nullable Entry nextDeferred;

        /** Returns whether it is for this listener, or this interrupt. */
        abstract boolean isFor(Object told);

        LeaseLoss loss() {
            return Objects.requireNonNull(loss, "the loss comes first");
        }

        /** Has it told. */
        abstract void tell();
    }

    /** Is run at once, by the thread that reports the loss. */
    private static final class Interrupt extends Entry {

        private final Runnable interrupt;

        Interrupt(Runnable interrupt) {
            this.interrupt = interrupt;
        }

        @Override
        boolean isFor(Object told) {
            return told.equals(interrupt);
        }

        @Override
        void tell() {
            run();
        }

        @Override
        public void run() {
            interrupt.run();
        }
    }

    /** Is called on a thread for the application's code. */
    private final class Listener extends Entry {

        private final Consumer<LeaseLoss> listener;

        Listener(Consumer<LeaseLoss> listener) {
            this.listener = listener;
        }

        @Override
        boolean isFor(Object told) {
            return told.equals(listener);
        }

        @Override
        void tell() {
            Throwable refused = callbacks.run(Callbacks.Lane.LOSSES, this);
            if (refused != null) {
                warnOfRefusal(loss(), refused);
            }
        }

        @Override
        public void run() {
            call(listener, loss());
        }
    }

    private void tell(Entry entry, LeaseLoss loss) {
        entry.loss = loss;
        try {
            entry.tell();
        } catch (RuntimeException | Error e) {
            defer(entry);
        }
    }

    private void defer(Entry entry) {
        Entry head;
        do {
            head = deferred.get();
            entry.nextDeferred = head;
        } while (!deferred.compareAndSet(head, entry));
        callbacks.requestSweep();
    }

    private void tellDeferred() {
        Entry entry = deferred.getAndSet(null);
        while (entry != null) {
            Entry next = entry.nextDeferred;
            entry.nextDeferred = null;
            tell(entry, entry.loss());
            entry = next;
        }
    }

    private void warnOfRefusal(LeaseLoss loss, Throwable refused) {
        try {
            warn("no thread yet to tell a listener that the " + loss, refused);
        } catch (RuntimeException | Error e) {
            // the listener is told all the same, by a sweep
        }
    }

    /** Tells those that were not told yet, and reports listeners that keep others waiting. By one thread at a time. */
    public void sweep() {
        tellDeferred();
        int stuck = callbacks.stuck(Callbacks.Lane.LOSSES);
        if (stuck > 0) {
            warn(
                    stuck + " listeners of losses wait for a thread: all " + Callbacks.Lane.LOSSES.most()
                            + " are busy with listeners that have not returned",
                    null);
        }
    }

    private void warn(String what, @Nullable Throwable cause) {
        String more = untold.leave();
        if (more != null) {
            LOG.log(System.Logger.Level.WARNING, LogText.line("HF0211: " + what + more), cause);
        }
    }

    private void call(Consumer<LeaseLoss> listener, LeaseLoss loss) {
        try {
            listener.accept(loss);
        } catch (RuntimeException | Error e) {
            String more = failed.leave();
            if (more != null) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        LogText.line("HF0212: a listener failed to hear that the " + loss + more),
                        e);
            }
        }
    }

    Listeners newListeners() {
        return new Listeners();
    }

    /**
     * The listeners of one lock, and the threads that are to be interrupted if it is lost. Each receives a loss once,
     * however many threads report it: the thread that removes it calls it.
     *
     * <p>Safe for use by any number of threads.
     */
    final class Listeners {

        // most locks have none
        private @Nullable Chain<Entry> interrupts;
        private @Nullable Chain<Entry> listeners;

        synchronized void add(Consumer<LeaseLoss> listener) {
            Chain<Entry> some = listeners == null ? new Chain<>() : listeners;
            some.addLast(new Listener(listener));
            listeners = some;
        }

        synchronized void remove(Consumer<LeaseLoss> listener) {
            remove(listeners, listener);
        }

        /** @param interrupt is run at once, by the thread that reports the loss */
        synchronized void addInterrupt(Runnable interrupt) {
            Chain<Entry> some = interrupts == null ? new Chain<>() : interrupts;
            some.addLast(new Interrupt(interrupt));
            interrupts = some;
        }

        synchronized void removeInterrupt(Runnable interrupt) {
            remove(interrupts, interrupt);
        }

        private static void remove(@Nullable Chain<Entry> entries, Object told) {
            Entry entry = entries == null ? null : entries.first();
            while (entries != null && entry != null && !entry.isFor(told)) {
                entry = entries.next(entry);
            }
            if (entries != null && entry != null) {
                entries.remove(entry);
            }
        }

        /** Interrupts all threads, and has all listeners called that were not yet. Needs no memory. */
        void report(LeaseLoss loss) {
            for (Entry entry = poll(); entry != null; entry = poll()) {
                tell(entry, loss);
            }
        }

        private synchronized @Nullable Entry poll() {
            Entry interrupt = interrupts == null ? null : interrupts.pollFirst();
            return interrupt != null || listeners == null ? interrupt : listeners.pollFirst();
        }
    }
}
