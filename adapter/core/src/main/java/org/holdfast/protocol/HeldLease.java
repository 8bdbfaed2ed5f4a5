// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;
import org.holdfast.ReleaseResult;

/** One lease of a {@link Hold}. Ends once; the hold ends with the last of its leases. */
final class HeldLease implements Lease {

    private final LeaseManager manager;
    private final Share share;
    private final Hold hold;
    private final String name;
    private final List<String> names;
    private final Function<HeldLease, ReleaseResult> whenReleased;
    private final LossInterrupt interrupt;
    private final Queue<Consumer<LeaseLoss>> listeners = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile ReleaseResult result = ReleaseResult.UNCONFIRMED;

    /**
     * @param names what it covers, in the order in which that was asked for
     * @param interrupt for the thread that takes it; null for none
     * @param whenReleased gives it back, and says what became of the lock
     */
    HeldLease(
            LeaseManager manager,
            Share share,
            List<String> names,
            LossInterrupt interrupt,
            Function<HeldLease, ReleaseResult> whenReleased) {
        this.manager = manager;
        this.share = share;
        this.hold = share.hold();
        this.names = names;
        this.name = names.get(0);
        this.interrupt = interrupt;
        this.whenReleased = whenReleased;
        if (interrupt != null) {
            hold.interruptOnLoss(interrupt);
        }
    }

    Share share() {
        return share;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<String> names() {
        return names;
    }

    @Override
    public long token() {
        return hold.token();
    }

    @Override
    public boolean isHeld() {
        return !ended.get() && manager.isHeld(hold);
    }

    @Override
    public Duration remaining() {
        return ended.get() ? Duration.ZERO : manager.remaining(hold);
    }

    @Override
    public void requireHeld() {
        if (isHeld()) {
            return;
        }
        LeaseLoss loss = hold.loss();
        if (loss != null) {
            throw new LeaseLostException(loss);
        }
        throw new IllegalStateException("the lease on '" + name + "' was released");
    }

    @Override
    public boolean renew() {
        requireHeld();
        boolean extended = manager.renew(hold);
        if (!extended) {
            requireHeld();
        }
        return extended;
    }

    @Override
    public void onLost(Consumer<LeaseLoss> listener) {
        Objects.requireNonNull(listener, "listener");
        Consumer<LeaseLoss> unlessEnded = loss -> {
            if (!ended.get()) {
                listener.accept(loss);
            }
        };
        listeners.add(unlessEnded);
        hold.onLost(unlessEnded);
        if (ended.get()) { // whoever ended it may have looked before
            hold.forget(unlessEnded);
        }
    }

    /** Returns whether the lock was given back: it is not lost any more, and was not. */
    boolean isGivenBack() {
        return !manager.isHeld(hold) && hold.loss() == null;
    }

    /** Ends this lease without telling the hold; false if it had ended before. */
    boolean end() {
        boolean first = ended.compareAndSet(false, true);
        interruptNoMore();
        listeners.forEach(hold::forget);
        return first;
    }

    /** The handle is closed, and with it what the thread did under the lock, though the lock is held on. */
    void interruptNoMore() {
        if (interrupt != null) {
            hold.forget(interrupt);
            interrupt.end();
        }
    }

    @Override
    public ReleaseResult release() {
        if (end()) {
            result = whenReleased.apply(this);
        }
        return result;
    }

    @Override
    public String toString() {
        return "lease on '" + String.join("', '", names) + "' with token " + hold.token();
    }
}
