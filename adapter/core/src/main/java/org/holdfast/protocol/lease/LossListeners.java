// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.holdfast.LeaseLoss;

/**
 * The listeners of one lock, and the threads that are to be interrupted if it is lost. Each receives a loss once, however
 * many threads report it: the thread that removes it calls it.
 *
 * <p>Safe for use by any number of threads.
 */
final class LossListeners {

    private final LossNotifier lossNotifier;
    private final Set<Runnable> interrupts = ConcurrentHashMap.newKeySet();
    private final Set<Consumer<LeaseLoss>> listeners = ConcurrentHashMap.newKeySet();

    /** @param lossNotifier calls the listeners */
    LossListeners(LossNotifier lossNotifier) {
        this.lossNotifier = lossNotifier;
    }

    void add(Consumer<LeaseLoss> listener) {
        listeners.add(listener);
    }

    void remove(Consumer<LeaseLoss> listener) {
        listeners.remove(listener);
    }

    /** @param interrupt is run at once, by the thread that reports the loss */
    void addInterrupt(Runnable interrupt) {
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
                lossNotifier.tell(listener, loss);
            }
        }
    }
}
