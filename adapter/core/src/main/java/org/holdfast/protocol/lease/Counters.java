// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.protocol.env.Heaviest;
import org.holdfast.protocol.env.Latencies;

/**
 * What a lock service has done since it was started. To count needs no memory, so that a step is never left half done
 * for it. Safe for use by any number of threads.
 */
public final class Counters {

    /** So many names are compared: more than are shown, so that those that are shown are the right ones. */
    private static final int MOST_NAMES = 200;

    private final AtomicLong acquired = new AtomicLong();
    private final AtomicLong reentered = new AtomicLong();
    final AtomicLong handedOff = new AtomicLong();
    private final AtomicLong timedOut = new AtomicLong();
    private final AtomicLong unavailable = new AtomicLong();
    final AtomicLong released = new AtomicLong();
    final AtomicLong renewed = new AtomicLong();
    final AtomicLong renewalsFailed = new AtomicLong();
    final AtomicLong lost = new AtomicLong();
    private final Latencies acquiring = new Latencies();
    private final Heaviest waitsByName = new Heaviest(MOST_NAMES);
    private final Heaviest waitedNanosByName = new Heaviest(MOST_NAMES);

    /** Counts a lease that its holder did not have, and that took so long to get. */
    public void countAcquired(long nanos) {
        acquired.incrementAndGet();
        acquiring.note(nanos);
    }

    /** Counts a lease that its holder had already. */
    public void countReentered() {
        reentered.incrementAndGet();
    }

    /** Counts a request that ended with its wait timeout. */
    public void countTimedOut() {
        timedOut.incrementAndGet();
    }

    /** Counts a request that reached too few nodes. */
    public void countUnavailable() {
        unavailable.incrementAndGet();
    }

    /** Counts a request that stood in line for so long, whatever came of it. */
    public void countWaited(String name, long nanos) {
        waitsByName.add(name, 1);
        waitedNanosByName.add(name, nanos);
    }

    /** Returns which names requests stood in line for most often, and how often. */
    public List<Heaviest.Sum> mostWaits(int names) {
        return waitsByName.largest(names);
    }

    /** Returns which names requests stood in line for the longest time, all together, and for how many nanoseconds. */
    public List<Heaviest.Sum> longestWaitNanos(int names) {
        return waitedNanosByName.largest(names);
    }

    /** Returns how many leases were taken from the nodes or from another holder in this process. */
    public long acquired() {
        return acquired.get();
    }

    /** Returns how many leases their holder had already. */
    public long reentered() {
        return reentered.get();
    }

    /** Returns how many of the leases acquired were handed off inside this process. */
    public long handedOff() {
        return handedOff.get();
    }

    /** Returns how many requests ended with their wait timeout. */
    public long timedOut() {
        return timedOut.get();
    }

    /** Returns how many requests reached too few nodes. */
    public long unavailable() {
        return unavailable.get();
    }

    /** Returns how many locks were released on the nodes. */
    public long released() {
        return released.get();
    }

    /** Returns how many renewals extended a lease. */
    public long renewed() {
        return renewed.get();
    }

    /** Returns how many renewals did not. */
    public long renewalsFailed() {
        return renewalsFailed.get();
    }

    /** Returns how many leases were lost. */
    public long lost() {
        return lost.get();
    }

    /** Returns how long it took to get a lease that the holder did not have, with waiting. */
    public Latencies acquiring() {
        return acquiring;
    }
}
