// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.holdfast.LeaseLoss;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.HolderInfo;
import org.holdfast.protocol.quorum.QuorumResult;
import org.jspecify.annotations.Nullable;

/**
 * A lock that this process holds: one acquisition, shared by as many leases as its holder has taken.
 *
 * <p>Held until the last share is released, or until it is lost, for one of the causes in docs/architecture.md. The
 * first check after the end of validity, by any thread, makes the loss final: a later extension changes nothing.
 */
public final class HeldLock {

    /** Held by so many leases, some of which may only read; or released; or lost. */
    private sealed interface State {
        State HELD = new Held(1, 0);
        State READ = new Held(1, 1);
        State RELEASED = new Released();

        record Held(int shares, int reading) implements State {}

        record Released() implements State {}

        record Lost(LeaseLoss loss, boolean keptOnNodes) implements State {}
    }

    private static final AtomicLongFieldUpdater<HeldLock> VALID_UNTIL =
            AtomicLongFieldUpdater.newUpdater(HeldLock.class, "validUntil");

    private static final AtomicReferenceFieldUpdater<HeldLock, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(HeldLock.class, State.class, "state");

    private volatile Claim claim;
    private final Cohort cohort;
    private volatile @Nullable Holder holder;
    private final HolderInfo holderInfo;
    private final long threadId;
    private final LeaseTerms terms;
    final long startedAt;
    private volatile long endsAt;
    private final LossNotifier.OnLoss onLoss;
    private volatile LossNotifier.@Nullable Listeners listeners; // most locks have none
    private volatile long validUntil;
    private volatile State state;

    // guarded by the monitor of the DueOrder
    int place = DueOrder.NOWHERE;
    long dueAt;

    private volatile @Nullable String lastFailure;

    /** @param cohort the holders that have the lock one after the other */
    HeldLock(
            Claim claim,
            Cohort cohort,
            Taker taker,
            LeaseTerms terms,
            QuorumResult.Acquired acquired,
            LossNotifier.OnLoss onLoss) {
        this.claim = claim;
        this.cohort = cohort;
        this.state = isReading() ? State.READ : State.HELD;
        this.holder = taker.holder();
        this.holderInfo = taker.holderInfo();
        this.threadId = taker.threadId();
        this.terms = terms;
        this.startedAt = acquired.startedNanos();
        this.endsAt = startedAt + terms.maxHoldNanos();
        this.validUntil = earlier(acquired.validUntilNanos(), endsAt);
        this.onLoss = onLoss;
    }

    public Claim claim() {
        return claim;
    }

    /** Returns the name by which the lock is known, where one must do. */
    public String lock() {
        return claim.target().name();
    }

    public long token() {
        return claim.token() + cohort.passed();
    }

    public Cohort cohort() {
        return cohort;
    }

    public HolderInfo holderInfo() {
        return holderInfo;
    }

    /** Returns whether the calling thread asked for it, for whichever holder. */
    boolean isTakenByThisThread() {
        return threadId == Thread.currentThread().getId();
    }

    /** Returns whether no thread or transaction can take it once more. */
    public boolean isDetached() {
        return holder == null;
    }

    /** Returns whether others may have the lock as well, to read. */
    public boolean isReading() {
        return claim.target().isShared();
    }

    /** Lets other readers in: from its next renewal on the lock is only read. Several names stay as they are. */
    void becomeReading() {
        if (isOneNameAlone()) {
            claim = claim.reading();
        }
    }

    private boolean isOneNameAlone() {
        return isAlone() && claim.target().names().size() == 1;
    }

    /** Returns whether no other holder can have any of its names. */
    public boolean isAlone() {
        return claim.target().isAlone();
    }

    /** Returns for how long it is to be held. */
    public LeaseTerms terms() {
        return terms;
    }

    /** Returns whether a renewal would make it last longer. */
    public boolean isExtensible() {
        return validUntil - endsAt < 0;
    }

    /** Returns for how much longer no other holder is to have it, released or not; 0 if for no longer. */
    long keptNanos(long now) {
        Optional<Duration> least = terms.atLeast();
        return least.isEmpty() ? 0 : Math.max(0, startedAt + least.get().toNanos() - now);
    }

    /** Returns the end of validity, as far as is known now. */
    long validUntil() {
        return validUntil;
    }

    public boolean belongsTo(Holder asking) {
        return asking.equals(holder);
    }

    /** Belongs to this holder from now on: the one that it was asked for keeps nothing any more. */
    public void belongTo(Holder another) {
        holder = another;
    }

    /** Returns how many leases there are; 0 if it was released or lost. */
    public int shares() {
        return state instanceof State.Held held ? held.shares() : 0;
    }

    /** Returns whether the lock is held at this moment; declares it lost if its validity has ended. */
    public boolean isHeld(long now) {
        if (!(state instanceof State.Held)) {
            return false;
        }
        if (now - validUntil < 0) {
            return true;
        }
        lose(endReason(), now);
        return false;
    }

    private String endReason() {
        return endsAt != startedAt + terms.maxHoldNanos()
                ? "a failure in this process has left it to its TTL of " + claim.ttlMillis() + " ms"
                : terms.endReason(isExtensible(), claim.ttlMillis(), lastFailure);
    }

    /** Returns for how long the lock is held for certain; 0 if it is not. */
    long remainingNanos(long now) {
        return isHeld(now) ? Math.max(0, validUntil - now) : 0;
    }

    /** Returns for how long it keeps others out at the most: also while its release is under way. */
    long keepsOutNanos(long now) {
        return isHeld(now) || state instanceof State.Released ? Math.max(0, validUntil - now) : 0;
    }

    /** Returns what was lost, or null. */
    public @Nullable LeaseLoss loss() {
        return state instanceof State.Lost lost ? lost.loss() : null;
    }

    /** Returns why the last renewal failed; null if it did not. */
    public @Nullable String lastFailure() {
        return lastFailure;
    }

    /**
     * Adds a lease of the same holder; false if the lock is not held any more.
     *
     * @param reads whether the lease is only to read
     */
    public boolean share(long now, boolean reads) {
        if (!isHeld(now)) {
            return false;
        }
        State seen = state;
        while (seen instanceof State.Held held) {
            if (held.shares() == Integer.MAX_VALUE) {
                throw new IllegalStateException(
                        "HF0230: lock '" + lock() + "' was taken too often by one holder: release each lease");
            }
            State more = new State.Held(held.shares() + 1, held.reading() + (reads ? 1 : 0));
            if (STATE.compareAndSet(this, seen, more)) {
                return true;
            }
            seen = state;
        }
        return false;
    }

    /** Takes a lease away; returns what is to become of the lock on the nodes. */
    LeaseShare.ReleaseEffect giveBack(boolean read) {
        State seen = state;
        while (seen instanceof State.Held held) {
            int shares = held.shares() - 1;
            int reading = held.reading() - (read ? 1 : 0);
            if (STATE.compareAndSet(this, seen, shares == 0 ? State.RELEASED : new State.Held(shares, reading))) {
                if (shares == 0) {
                    if (read) { // the thread that ended the last lease to have it alone may not have done so yet
                        becomeReading();
                    }
                    return LeaseShare.ReleaseEffect.RELEASE;
                }
                boolean onlyReaders = shares == reading && !read && isOneNameAlone();
                return onlyReaders ? LeaseShare.ReleaseEffect.DOWNGRADE : LeaseShare.ReleaseEffect.NOTHING;
            }
            seen = state;
        }
        return LeaseShare.ReleaseEffect.NOTHING;
    }

    /** Takes all leases away; true if the lock is to be released on the nodes. */
    boolean giveBackAll() {
        return end(State.RELEASED);
    }

    /** Makes a held lock a released or a lost one; false if it was so before. Needs no memory. */
    private boolean end(State ended) {
        State seen = state;
        while (seen instanceof State.Held && !STATE.compareAndSet(this, seen, ended)) {
            seen = state;
        }
        return seen instanceof State.Held;
    }

    /** Has it end no later than is known now: its release failed, and nothing repeats it. Needs no memory. */
    public void neglect() {
        endsAt = validUntil;
    }

    /** Moves the end of validity; false if the lock is not held any more. Never moves it back. */
    boolean extend(long newValidUntil, long now) {
        if (!isHeld(now)) {
            return false;
        }
        lastFailure = null;
        VALID_UNTIL.accumulateAndGet(
                this, earlier(newValidUntil, endsAt), (known, other) -> other - known > 0 ? other : known);
        return state instanceof State.Held;
    }

    /** Notes why a renewal failed, to be reported if it was the last one. */
    void renewalFailed(String reason) {
        lastFailure = reason;
    }

    /** Makes the loss final and reports it; false if the lock was released or lost before. */
    public boolean lose(String reason, long now) {
        return lose(reason, now, false);
    }

    /** Returns whether the lock is lost and nodes are to keep it until its TTL ends. */
    boolean isLeft() {
        return state instanceof State.Lost lost && lost.keptOnNodes();
    }

    /** @param keptOnNodes whether its holder may work on under it: nodes keep the lock until its TTL ends */
    boolean lose(String reason, long now, boolean keptOnNodes) {
        LeaseLoss loss = new LeaseLoss(
                lock(), token(), Duration.ofNanos(Math.max(0, earlier(now, validUntil) - startedAt)), reason);
        if (!end(new State.Lost(loss, keptOnNodes))) {
            return false;
        }
        try {
            onLoss.atOnce().accept(this);
        } finally { // whatever fails there: the holder has to stop
            reportLoss();
        }
        return true;
    }

    private synchronized LossNotifier.Listeners listeners() {
        LossNotifier.Listeners all = listeners == null ? onLoss.notifier().newListeners() : listeners;
        listeners = all;
        return all;
    }

    /** Has a thread interrupted if the lock is lost: at once, by the thread that sees the loss. */
    public void interruptOnLoss(Runnable interrupt) {
        listeners().addInterrupt(interrupt);
        reportLoss();
    }

    public void onLost(Consumer<LeaseLoss> listener) {
        listeners().add(listener);
        reportLoss();
    }

    /** Reports a loss to the listeners, perhaps one that came before the last of them. */
    private void reportLoss() {
        LeaseLoss loss = loss(); // first: a thread that adds a listener looks for a loss afterwards
        LossNotifier.Listeners told = listeners;
        if (loss != null && told != null) {
            told.report(loss);
        }
    }

    /** A lease has ended: its thread is not to be interrupted for a loss any more. */
    public void forget(Runnable interrupt) {
        listeners().removeInterrupt(interrupt);
    }

    public void forget(Consumer<LeaseLoss> listener) {
        listeners().remove(listener);
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }
}
