// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.quorum.BatchSize;
import org.holdfast.protocol.quorum.Redlock;
import org.holdfast.protocol.quorum.RenewalResult;
import org.holdfast.protocol.quorum.Timing;

/**
 * The one sweep that renews every lease of this process and notices the lost ones.
 *
 * <p>Leases wait in the order in which something is due for them, so a sweep checks only those that are due. A lease is
 * due after a third of its TTL; if the renewal fails, again soon after, until its validity ends.
 */
public final class Renewals {

    private final Time time;
    private final Timing timing;
    private final Redlock redlock;
    private final Counters counters;
    private final Recorder recorder;
    private final WakeUp sweeps;
    private final DueOrder order = new DueOrder();
    private volatile boolean hasFailed;

    /** @param sweeps has {@link #sweep} called in time */
    public Renewals(Time time, Timing timing, Redlock redlock, Counters counters, Recorder recorder, WakeUp sweeps) {
        this.time = time;
        this.timing = timing;
        this.redlock = redlock;
        this.counters = counters;
        this.recorder = recorder;
        this.sweeps = sweeps;
    }

    void add(HeldLock heldLock) {
        // counted from its end: the acquisition may have taken long, and the renewal must be answered before that
        schedule(
                heldLock,
                heldLock.terms().renewed() && heldLock.isExtensible()
                        ? heldLock.validUntil() - 2 * thirdOfTtl(heldLock)
                        : heldLock.validUntil());
        if (heldLock.cohort().suspicion().isOpen()) {
            hasten(heldLock);
        }
    }

    /** Has a hold renewed as soon as its suspicion is to be checked. */
    void hasten(HeldLock heldLock) {
        long at = heldLock.cohort().suspicion().due();
        if (order.hasten(heldLock, at)) {
            sweepAt(at);
        }
    }

    /** The end of a lease has moved by hand: one that is not renewed is checked again when its new end has come. */
    private void reschedule(HeldLock heldLock) {
        if (!heldLock.terms().renewed()) {
            schedule(heldLock, heldLock.validUntil());
            removeIfEnded(heldLock);
        }
    }

    private static long thirdOfTtl(HeldLock heldLock) {
        return TimeUnit.MILLISECONDS.toNanos(heldLock.claim().ttlMillis()) / 3;
    }

    private void schedule(HeldLock heldLock, long at) {
        try {
            order.put(heldLock, at);
            sweepAt(at);
        } catch (RuntimeException | Error e) {
            noteFailure();
            throw e;
        }
    }

    void remove(HeldLock heldLock) {
        try {
            order.remove(heldLock);
        } catch (RuntimeException | Error e) {
            noteFailure();
            throw e;
        }
    }

    /**
     * Takes note of a failure that may have left a lock half registered or half removed, as where there is no memory.
     * Needs none itself.
     */
    void noteFailure() {
        hasFailed = true;
        sweeps.within(0);
    }

    /** Returns whether a failure was noted, and forgets it. */
    boolean takeFailure() {
        if (!hasFailed) {
            return false;
        }
        hasFailed = false;
        return true;
    }

    void sweepWithin(long nanos) {
        sweeps.within(nanos);
    }

    private void sweepAt(long at) {
        sweeps.within(at - time.nanoTime());
    }

    /** Has a hold checked by the next sweep, unless a moment is planned for it. */
    void ensureScheduled(HeldLock heldLock) {
        if (!order.contains(heldLock)) {
            schedule(heldLock, time.nanoTime());
            removeIfEnded(heldLock);
        }
    }

    /** Renews what is due now and declares lost what was not renewed in time. Blocks for a node timeout a batch. */
    public void sweep(Nodes nodes) {
        try {
            sweepDue(nodes);
        } catch (RuntimeException | Error e) { // what it had taken from those that wait is to be put back
            noteFailure();
            throw e;
        }
    }

    private void sweepDue(Nodes nodes) {
        long now = time.nanoTime(); // what becomes due while it works waits for the next
        BatchSize size;
        do {
            size = new BatchSize();
            List<HeldLock> batch = nextBatch(now, size);
            if (!batch.isEmpty()) {
                renew(nodes, batch);
            }
        } while (size.isFull());
        order.first().ifPresent(this::sweepAt);
    }

    /** Returns whether a sweep has anything to do. */
    boolean isDue() {
        OptionalLong first = order.first();
        return first.isPresent() && first.getAsLong() - time.nanoTime() <= 0;
    }

    private List<HeldLock> nextBatch(long dueAt, BatchSize size) {
        List<HeldLock> batch = new ArrayList<>();
        long now = time.nanoTime();
        HeldLock next = order.poll(dueAt);
        while (next != null) {
            if (next.isHeld(now)) {
                batch.add(next);
                size.add(next.claim());
            }
            next = size.isFull() ? null : order.poll(dueAt);
        }
        return batch;
    }

    private void renew(Nodes nodes, List<HeldLock> batch) {
        List<HeldLock> renewed = new ArrayList<>(batch.size());
        long now = time.nanoTime();
        for (HeldLock heldLock : batch) { // whatever fails below, no lease is forgotten, and it is retried soon
            if (heldLock.terms().renewed() && heldLock.isExtensible()) {
                scheduleNext(heldLock, now, false);
                renewed.add(heldLock);
            } else {
                schedule(heldLock, heldLock.validUntil());
            }
        }
        if (!renewed.isEmpty()) {
            renewAll(nodes, renewed);
        }
        batch.forEach(this::removeIfEnded);
    }

    /** Renews one lease now, on the calling thread; returns whether it was extended. */
    boolean renewNow(Nodes nodes, HeldLock heldLock) {
        Recorder.Renewing recorded = recorder.renewing();
        boolean extended = finish(nodes, start(nodes, List.of(heldLock)).get(0));
        recorded.ended(1, extended ? 1 : 0);
        reschedule(heldLock);
        return extended;
    }

    /** Returns whether the lock is held for long enough to commit; renews it if little time is left. */
    boolean confirm(Nodes nodes, HeldLock heldLock) {
        long now = time.nanoTime();
        if (!heldLock.isHeld(now)) { // a renewal would only make nodes keep a lost lock for longer
            return false;
        }
        long needed = Math.max(1, marginNanos(heldLock)); // without a margin it must be held all the same
        return heldLock.remainingNanos(now) >= needed
                || renewNow(nodes, heldLock) && heldLock.remainingNanos(time.nanoTime()) >= needed;
    }

    private long marginNanos(HeldLock heldLock) {
        long margin = timing.commitMarginNanos(heldLock.claim().ttlMillis());
        return Math.min(margin, heldLock.terms().maxHoldNanos() / 2);
    }

    private void renewAll(Nodes nodes, List<HeldLock> heldLocks) {
        Recorder.Renewing recorded = recorder.renewing();
        int longer = 0;
        long started = time.nanoTime();
        for (Renewal each : start(nodes, heldLocks)) {
            HeldLock heldLock = each.heldLock();
            boolean extended = finish(nodes, each);
            longer += extended ? 1 : 0;
            scheduleNext(heldLock, started, extended);
            if (each.isSuspectedSince()) { // by a thread that may have hastened it before
                hasten(heldLock);
            }
        }
        recorded.ended(heldLocks.size(), longer);
    }

    /**
     * The renewal of one lease.
     *
     * @param suspicions how often a suspicion had been raised before that the lock was taken away
     */
    private record Renewal(HeldLock heldLock, int suspicions, Redlock.Renewing sent) {
        boolean isSuspectedSince() {
            return heldLock.cohort().suspicion().isRaisedSince(suspicions);
        }
    }

    private List<Renewal> start(Nodes nodes, List<HeldLock> heldLocks) {
        int[] suspicions = heldLocks.stream()
                .mapToInt(heldLock -> heldLock.cohort().suspicion().raised())
                .toArray();
        List<Redlock.Renewing> sent = redlock.startRenewals(
                nodes, heldLocks.stream().map(HeldLock::claim).toList());
        List<Renewal> renewals = new ArrayList<>(heldLocks.size());
        for (int i = 0; i < heldLocks.size(); i++) {
            renewals.add(new Renewal(heldLocks.get(i), suspicions[i], sent.get(i)));
        }
        return renewals;
    }

    /** Waits for the answers, and extends the lease if a quorum granted; returns whether it did. */
    private boolean finish(Nodes nodes, Renewal renewal) {
        boolean extended = apply(redlock.finishRenewal(nodes, renewal.sent()), renewal);
        (extended ? counters.renewed : counters.renewalsFailed).incrementAndGet();
        return extended;
    }

    private boolean apply(RenewalResult result, Renewal renewal) {
        HeldLock heldLock = renewal.heldLock();
        if (result instanceof RenewalResult.Extended granted) {
            heldLock.cohort().suspicion().resolve(renewal.suspicions());
            return heldLock.extend(granted.validUntilNanos(), time.nanoTime());
        }
        boolean outdated = heldLock.claim() != renewal.sent().claim();
        if (outdated) { // it became a reader's meanwhile: answers about the claim before that mean nothing
            return false;
        }
        if (result instanceof RenewalResult.Failed failed) {
            heldLock.renewalFailed("the last renewal reached too few nodes: " + failed.failures());
        } else {
            heldLock.lose("nodes know of a later lease, or of a forced release", time.nanoTime());
        }
        return false;
    }

    private void scheduleNext(HeldLock heldLock, long started, boolean extended) {
        long next = started + (extended ? thirdOfTtl(heldLock) : thirdOfTtl(heldLock) / 10);
        schedule(heldLock, next - heldLock.validUntil() < 0 ? next : heldLock.validUntil());
    }

    /** The hold was released or lost during the renewal: the thread that did that may have found nothing to remove. */
    private void removeIfEnded(HeldLock heldLock) {
        if (!heldLock.isHeld(time.nanoTime())) {
            remove(heldLock);
        }
    }
}
