// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The one sweep that renews every lease of this process and notices the lost ones.
 *
 * <p>Leases wait in the order in which something is due for them, so a sweep looks only at those. A lease is due after a
 * third of its TTL; if the renewal fails, again soon after, until its validity ends.
 */
public final class Renewals {

    /** So many renewals are under way at once: their replies must fit what a node buffers for one connection. */
    private static final int BATCH = 200;

    private final Time time;
    private final Redlock redlock;
    private final AtomicLong numbers = new AtomicLong();
    private final ConcurrentSkipListMap<Due, Hold> due = new ConcurrentSkipListMap<>();
    private final Map<Hold, Due> dueOf = new ConcurrentHashMap<>();

    public Renewals(Time time, Redlock redlock) {
        this.time = time;
        this.redlock = redlock;
    }

    /** A moment on the monotonic clock; the number keeps apart what is due at the same time. */
    private record Due(long at, long number) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            long difference = at - other.at; // nanoTime may overflow: only differences mean anything
            return difference != 0 ? Long.signum(difference) : Long.compare(number, other.number);
        }
    }

    void add(Hold hold) {
        // counted from its end: the acquisition itself may have taken long, and the renewal must be answered before the
        // end
        schedule(
                hold,
                hold.isRenewed() && hold.isExtensible() ? hold.validUntil() - 2 * thirdOfTtl(hold) : hold.validUntil());
        if (hold.suspicion().isOpen()) {
            hasten(hold);
        }
    }

    /** Has a hold renewed as soon as its suspicion is to be looked into. */
    void hasten(Hold hold) {
        long at = hold.suspicion().due();
        Due known = dueOf.get(hold);
        if (known != null && known.at() - at > 0) {
            remove(hold);
            schedule(hold, at);
            removeIfEnded(hold);
        }
    }

    /** The end of a lease has moved by hand: one that is not renewed is looked at again when its new end has come. */
    void reschedule(Hold hold) {
        if (!hold.isRenewed()) {
            remove(hold);
            schedule(hold, hold.validUntil());
            removeIfEnded(hold);
        }
    }

    private static long thirdOfTtl(Hold hold) {
        return TimeUnit.MILLISECONDS.toNanos(hold.claim().ttlMillis()) / 3;
    }

    private void schedule(Hold hold, long at) {
        Due moment = new Due(at, numbers.incrementAndGet());
        dueOf.put(hold, moment);
        due.put(moment, hold);
    }

    void remove(Hold hold) {
        Due moment = dueOf.remove(hold);
        if (moment != null) {
            due.remove(moment);
        }
    }

    /** Renews what is due now and declares lost what was not renewed in time. Blocks for a node timeout a batch. */
    public void sweep(Nodes nodes) {
        long now = time.nanoTime(); // what becomes due while it works waits for the next
        List<Hold> batch = nextBatch(now);
        while (!batch.isEmpty()) {
            renew(nodes, batch);
            batch = batch.size() < BATCH ? List.of() : nextBatch(now);
        }
    }

    /** Returns whether a sweep has anything to do. */
    boolean isDue() {
        Map.Entry<Due, Hold> first = due.firstEntry();
        return first != null && first.getKey().at() - time.nanoTime() <= 0;
    }

    private List<Hold> nextBatch(long dueAt) {
        List<Hold> batch = new ArrayList<>();
        long now = time.nanoTime();
        while (batch.size() < BATCH) {
            Map.Entry<Due, Hold> first = due.firstEntry();
            if (first == null || first.getKey().at() - dueAt > 0) {
                break;
            }
            due.remove(first.getKey());
            if (dueOf.remove(first.getValue(), first.getKey())
                    && first.getValue().isHeld(now)) {
                batch.add(first.getValue());
            }
        }
        return batch;
    }

    private void renew(Nodes nodes, List<Hold> batch) {
        List<Hold> renewed = new ArrayList<>(batch.size());
        long now = time.nanoTime();
        for (Hold hold : batch) { // whatever goes wrong below, nobody is forgotten, and it is tried again soon
            if (hold.isRenewed() && hold.isExtensible()) {
                scheduleNext(hold, now, false);
                renewed.add(hold);
            } else {
                schedule(hold, hold.validUntil());
            }
        }
        if (!renewed.isEmpty()) {
            renewAll(nodes, renewed);
        }
        batch.forEach(this::removeIfEnded);
    }

    private void renewAll(Nodes nodes, List<Hold> holds) {
        Recorder.Renewing recorded = redlock.recorder().renewing();
        int longer = 0;
        for (Redlock.Renewing each : redlock.startRenewals(nodes, holds)) {
            Hold hold = each.hold();
            boolean extended = redlock.finishRenewal(nodes, each);
            longer += extended ? 1 : 0;
            remove(hold);
            scheduleNext(hold, each.started(), extended);
        }
        recorded.ended(holds.size(), longer);
    }

    private void scheduleNext(Hold hold, long started, boolean extended) {
        long next = started + (extended ? thirdOfTtl(hold) : thirdOfTtl(hold) / 10);
        schedule(hold, next - hold.validUntil() < 0 ? next : hold.validUntil());
        if (hold.suspicion().isOpen() && hold.suspicion().due() - started >= 0) { // raised meanwhile
            hasten(hold);
        }
    }

    /** Released or lost while we were at it: whoever did that may have found nothing to remove. */
    private void removeIfEnded(Hold hold) {
        if (!hold.isHeld(time.nanoTime())) {
            remove(hold);
        }
    }
}
