// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.holdfast.LeaseLoss;
import org.holdfast.protocol.env.Callbacks;
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

    /** Most locks have none. Nothing is added to these. */
    private static final Set<Runnable> NO_INTERRUPTS = ConcurrentHashMap.newKeySet();

    private static final Set<Consumer<LeaseLoss>> NO_LISTENERS = ConcurrentHashMap.newKeySet();

    private final Callbacks callbacks;
    private final LogRateLimiter untold;
    private final LogRateLimiter failed;

    public LossNotifier(Callbacks callbacks, Time time) {
        this.callbacks = callbacks;
        this.untold = new LogRateLimiter(time);
        this.failed = new LogRateLimiter(time);
    }

    void tell(Consumer<LeaseLoss> listener, LeaseLoss loss) {
        Throwable refused = callbacks.run(Callbacks.Lane.LOSSES, () -> call(listener, loss));
        if (refused != null) {
            warn("no thread yet to tell a listener that the " + loss, refused);
        }
    }

    /** Reports listeners that keep others waiting. Called by one thread at a time. */
    public void sweep() {
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

        private volatile Set<Runnable> interrupts = NO_INTERRUPTS;
        private volatile Set<Consumer<LeaseLoss>> listeners = NO_LISTENERS;

        synchronized void add(Consumer<LeaseLoss> listener) {
            if (listeners == NO_LISTENERS) {
                listeners = ConcurrentHashMap.newKeySet();
            }
            listeners.add(listener);
        }

        void remove(Consumer<LeaseLoss> listener) {
            listeners.remove(listener);
        }

        /** @param interrupt is run at once, by the thread that reports the loss */
        synchronized void addInterrupt(Runnable interrupt) {
            if (interrupts == NO_INTERRUPTS) {
                interrupts = ConcurrentHashMap.newKeySet();
            }
            interrupts.add(interrupt);
        }

        void removeInterrupt(Runnable interrupt) {
            interrupts.remove(interrupt);
        }

        /** Interrupts all threads, and has all listeners called that were not yet. */
        void report(LeaseLoss loss) {
            for (Runnable interrupt : interrupts) {
                if (interrupts.remove(interrupt)) {
                    interrupt.run();
                }
            }
            for (Consumer<LeaseLoss> listener : listeners) {
                if (listeners.remove(listener)) {
                    tell(listener, loss);
                }
            }
        }
    }
}
