// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.holdfast.LeaseLoss;

/**
 * Tells listeners of losses, each on a thread of its own. What goes wrong with that is the listener's trouble alone, and stands
 * in the log once a second: an outage may cost many leases at once.
 */
final class Notifier {

    private static final System.Logger LOG = System.getLogger(Notifier.class.getName());

    private final Executor threads;
    private final Throttle untold;
    private final Throttle failed;

    Notifier(Executor threads, Time time) {
        this.threads = threads;
        this.untold = new Throttle(time);
        this.failed = new Throttle(time);
    }

    void tell(Consumer<LeaseLoss> listener, LeaseLoss loss) {
        try {
            threads.execute(() -> call(listener, loss));
        } catch (RuntimeException | OutOfMemoryError e) { // no thread to be had: who looks must not suffer for that
            String more = untold.leave();
            if (more != null) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        Printable.line("HF0211: no thread to tell a listener that the " + loss + more),
                        e);
            }
        }
    }

    private void call(Consumer<LeaseLoss> listener, LeaseLoss loss) {
        try {
            listener.accept(loss);
        } catch (RuntimeException e) {
            String more = failed.leave();
            if (more != null) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        Printable.line("HF0212: a listener failed to hear that the " + loss + more),
                        e);
            }
        }
    }
}
