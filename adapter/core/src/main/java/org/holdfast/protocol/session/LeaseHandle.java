// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.env.Chain;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.lease.Leases;
import org.jspecify.annotations.Nullable;

/** One lease of a {@link HeldLock}. Ends once; the hold ends with the last of its leases. */
final class LeaseHandle extends Chain.Link<LeaseHandle> implements Lease, LeaseShare {

    private final Origin origin;
    private final HeldLock heldLock;
    private final boolean reads;
    private final List<String> names;
    private final @Nullable LossInterrupt interrupt;
    private volatile List<Consumer<LeaseLoss>> listeners = List.of();
    private volatile boolean ended;
    private volatile ReleaseResult result = ReleaseResult.UNCONFIRMED;

    /**
     * What the leases of a session have in common.
     *
     * @param joining lets the calling thread's transaction share the lock; false if there is none that can keep it
     * @param whenReleased releases a lease, and returns what became of the lock
     */
    record Origin(Leases leases, Predicate<LeaseShare> joining, Function<LeaseHandle, ReleaseResult> whenReleased) {}

    /**
     * @param reads whether it is only to read, though the hold may be more
     * @param names what it covers, in the order in which that was asked for
     * @param interrupt for the thread that takes it; null for none
     */
    LeaseHandle(
            Origin origin, HeldLock heldLock, boolean reads, List<String> names, @Nullable LossInterrupt interrupt) {
        this.origin = origin;
        this.heldLock = heldLock;
        this.reads = reads;
        this.names = names;
        this.interrupt = interrupt;
        if (interrupt != null) {
            heldLock.interruptOnLoss(interrupt);
        }
    }

    @Override
    public HeldLock heldLock() {
        return heldLock;
    }

    @Override
    public boolean reads() {
        return reads;
    }

    @Override
    public String name() {
        return names.get(0);
    }

    @Override
    public List<String> names() {
        return names;
    }

    @Override
    public long token() {
        return heldLock.token();
    }

    @Override
    public boolean isHeld() {
        return !ended && origin.leases().isHeld(heldLock);
    }

    @Override
    public Duration remaining() {
        return ended ? Duration.ZERO : origin.leases().remaining(heldLock);
    }

    @Override
    public void requireHeld() {
        if (isHeld()) {
            return;
        }
        LeaseLoss loss = heldLock.loss();
        if (loss != null) {
            throw new LeaseLostException(loss);
        }
        throw new IllegalStateException(
                "HF0225: the lease on '" + name() + "' was released: it never comes back, take the lock again");
    }

    @Override
    public boolean renew() {
        requireHeld();
        boolean extended = origin.leases().renew(heldLock);
        if (!extended) {
            requireHeld();
        }
        return extended;
    }

    @Override
    public boolean joinTransaction() {
        requireHeld();
        boolean joined = origin.joining().test(this);
        if (!joined) {
            requireHeld(); // else it was lost or released just now
        }
        return joined;
    }

    @Override
    public void onLost(Consumer<LeaseLoss> listener) {
        Objects.requireNonNull(listener, "listener");
        Consumer<LeaseLoss> unlessEnded = loss -> {
            if (!ended) {
                listener.accept(loss);
            }
        };
        remember(unlessEnded);
        heldLock.onLost(unlessEnded);
        if (ended) { // the thread that ended it may have checked before
            heldLock.forget(unlessEnded);
        }
    }

    private synchronized void remember(Consumer<LeaseLoss> listener) {
        listeners = Stream.concat(listeners.stream(), Stream.of(listener)).toList();
    }

    /** Returns whether the lock was released: it was not lost, and cannot be lost any more. */
    boolean isGivenBack() {
        return !origin.leases().isHeld(heldLock) && heldLock.loss() == null;
    }

    /** Ends this lease without notifying the hold; false if it had ended before. */
    boolean end() {
        boolean first = endOnce();
        notifyNoMore();
        return first;
    }

    private void notifyNoMore() {
        interruptNoMore();
        listeners.forEach(heldLock::forget);
    }

    private synchronized boolean endOnce() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    /** The handle is closed, and so the thread's work under the lock has ended, though the lock may still be held. */
    void interruptNoMore() {
        if (interrupt != null) {
            heldLock.forget(interrupt);
            interrupt.end();
        }
    }

    @Override
    public ReleaseResult release() {
        if (endOnce()) {
            try {
                endWithLock();
            } catch (StackOverflowError e) { // perhaps where it was neglected: here is a little more of the stack
                heldLock.neglect();
                throw e;
            }
        }
        return result;
    }

    private void endWithLock() {
        try {
            notifyNoMore();
        } finally { // though that may fail, as without memory
            result = giveBack();
        }
    }

    /** A second release does nothing: one that fails before the lock has received it would leave it held for ever. */
    private ReleaseResult giveBack() {
        try {
            return origin.whenReleased().apply(this);
        } catch (Error e) {
            heldLock.neglect();
            throw e;
        }
    }

    @Override
    public String toString() {
        return "lease on '" + String.join("', '", names) + "' with token " + heldLock.token();
    }
}
