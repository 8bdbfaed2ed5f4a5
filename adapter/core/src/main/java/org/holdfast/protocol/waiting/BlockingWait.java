// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.Objects;
import org.holdfast.protocol.env.KeptInterrupt;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.jspecify.annotations.Nullable;

/** Drives the acquisition of one caller on its own thread, after {@link Acquiring#attempt}. */
public final class BlockingWait {

    private final Acquiring acquiring;
    private final StopFlag closing;
    private final boolean interruptible;
    private @Nullable KeptInterrupt kept;

    /**
     * @param closing ends the wait when it is raised
     * @param interruptible whether an interrupt ends the wait; else the thread keeps its place, and its interrupt for
     *     later
     */
    public BlockingWait(Acquiring acquiring, StopFlag closing, boolean interruptible) {
        this.acquiring = acquiring;
        this.closing = closing;
        this.interruptible = interruptible;
    }

    /**
     * Waits until the result is known.
     *
     * @throws IllegalStateException if the service is stopped, or the caller's connection is closed
     */
    public AcquireResult await() throws InterruptedException {
        Time.Signal signal = acquiring.newSignal();
        Runnable wake = signal::raise;
        closing.onRaise(wake);
        try {
            acquiring.enter(wake);
            for (long pause = step(); acquiring.result() == null; pause = step()) {
                pause(signal, pause);
            }
            return Objects.requireNonNull(acquiring.result());
        } finally {
            closing.forget(wake);
            leave();
            KeptInterrupt.restore(kept);
        }
    }

    private long step() throws InterruptedException {
        closing.requireOpen();
        if (interruptible && Thread.interrupted()) { // before it asks the nodes, which may take long
            throw new InterruptedException("interrupted while a lock was waited for");
        }
        return acquiring.step();
    }

    private void pause(Time.Signal signal, long nanos) throws InterruptedException {
        try {
            signal.await(nanos);
        } catch (InterruptedException e) {
            if (interruptible) {
                throw e;
            }
            kept = KeptInterrupt.taken(kept);
        }
    }

    private void leave() {
        try {
            acquiring.leave();
        } catch (RuntimeException | Error e) {
            acquiring.discard();
            throw e;
        }
    }
}
