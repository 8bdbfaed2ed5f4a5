// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongConsumer;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.NodeSet;

/**
 * Looks at the nodes in the background, and decides what a clock that has jumped comes to.
 *
 * <p>Nodes that are asked are looked at once a second, so that a jump of their clocks is seen early and against a fresh
 * measure; nodes that are not, when they are due. {@link #look} is for one thread at a time.
 */
public final class NodeMonitor {

    private static final System.Logger LOG = System.getLogger(NodeMonitor.class.getName());
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Nodes that are due so soon after another are looked at with it. So the looks at all of them come together after
     * one round, whenever each was admitted, and the thread that looks wakes up once a second for all.
     */
    private static final long TOGETHER_NANOS = PAUSE_NANOS / 2;

    /** While a clock is doubted the others are asked so often. */
    private static final long HEARING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The nodes, as they can be looked at. */
    public interface Sight {

        /** Returns how many nodes there are. */
        int count();

        /** Returns whether commands are sent to the node. */
        boolean isAsked(int node);

        /** Returns in how many nanoseconds a node that is not asked should be looked at; 0 or less if now. */
        long nanosUntilLook(int node);

        /** Takes the right to look at a node that is not asked; true for one caller each time it is due. */
        boolean claimLook(int node);

        /** Looks at a node: its time goes to the {@link ClockMonitor}, and it is asked from now on, or not. */
        void look(int node);

        /** Begins a quarantine on the node; false if it could not be reached. */
        boolean quarantine(int node, String reason);

        /** Returns whether other processes show that a node's clock, which seems to have jumped, has not. */
        boolean isVouchedFor(int node);
    }

    private final Time time;
    private final ClockMonitor clockMonitor;
    private final Sight sight;
    private final AtomicLongArray lookedAt;
    private final LongConsumer whenClockStoodStill;
    private volatile long lastLook;

    /** Where a quarantine could not begin, and when that was. Only the thread that looks changes these. */
    private final long[] failedAt;

    private volatile NodeSet failed = NodeSet.NONE;

    /** For how long our clock stood still, as long as that has not been told. Only for the thread that looks. */
    private long untold;

    /** @param whenClockStoodStill receives for how many nanoseconds our own clock stood still */
    public NodeMonitor(Time time, ClockMonitor clockMonitor, Sight sight, LongConsumer whenClockStoodStill) {
        this.time = time;
        this.clockMonitor = clockMonitor;
        this.sight = sight;
        this.lookedAt = new AtomicLongArray(sight.count());
        for (int node = 0; node < sight.count(); node++) {
            lookedAt.set(node, time.nanoTime() - PAUSE_NANOS); // the first look is due: quarantines begin with it
        }
        this.whenClockStoodStill = whenClockStoodStill;
        this.failedAt = new long[sight.count()];
        this.lastLook = time.nanoTime() - HEARING_NANOS;
    }

    /** Returns whether there is something to look at. */
    public boolean isDue() {
        return nanosUntilDue() <= 0;
    }

    /** Returns in how many nanoseconds there is something to look at, as far as is known now; 0 or less if there is. */
    public long nanosUntilDue() {
        boolean doubts = !clockMonitor.doubted().isEmpty();
        long left = doubts ? lastLook + doubtPause() - time.nanoTime() : PAUSE_NANOS;
        for (int node = 0; node < sight.count(); node++) {
            left = Math.min(left, nanosUntilDue(node));
        }
        return left;
    }

    /** A doubted node is looked at when it is known which clock caused the jump. */
    private long nanosUntilDue(int node) {
        if (clockMonitor.isDoubted(node)) {
            return PAUSE_NANOS;
        }
        return sight.isAsked(node) ? nanosUntilNext(node) : sight.nanosUntilLook(node);
    }

    private long nanosUntilNext(int node) {
        return lookedAt.get(node) + PAUSE_NANOS - time.nanoTime();
    }

    private boolean claim(int node) {
        if (clockMonitor.isDoubted(node)) {
            return false;
        }
        return sight.isAsked(node)
                ? nanosUntilNext(node) <= TOGETHER_NANOS
                : sight.nanosUntilLook(node) <= 0 && sight.claimLook(node);
    }

    /**
     * The others are asked often until it is known which clock caused the jump; then a failed quarantine is retried
     * once a second.
     */
    private long doubtPause() {
        NodeSet doubted = clockMonitor.doubted();
        for (int node = 0; node < sight.count(); node++) {
            if (doubted.contains(node) && clockMonitor.find(node, time.nanoTime()) == ClockMonitor.Finding.OPEN) {
                return HEARING_NANOS;
            }
        }
        return doubted.without(failed).isEmpty() ? PAUSE_NANOS : 0;
    }

    private boolean isAgo(int node, long nanos) {
        return time.nanoTime() - lookedAt.get(node) >= nanos;
    }

    /** Looks at the nodes that are due. Blocks for a few node timeouts for each that hangs. */
    public void look() {
        lastLook = time.nanoTime();
        for (int node = 0; node < sight.count(); node++) {
            if (claim(node)) {
                look(node);
            }
        }
        if (!clockMonitor.doubted().isEmpty()) {
            hearTheOthers();
            settleDoubts();
        }
    }

    private void look(int node) {
        lookedAt.set(node, time.nanoTime());
        sight.look(node);
    }

    /** A clock seems to have jumped: the others show whether it did, or ours stood still. */
    private void hearTheOthers() {
        for (int node = 0; node < sight.count(); node++) {
            if (!clockMonitor.isDoubted(node) && sight.isAsked(node) && isAgo(node, doubtPause())) {
                look(node);
            }
        }
        tellOfStandstill();
    }

    private void tellOfStandstill() {
        untold = Math.max(untold, clockMonitor.stoodStillNanos()); // which is returned once
        tellOfStandstill(untold, "a quorum of nodes is ahead of it by that");
        untold = 0;
    }

    private void tellOfStandstill(long standstill, String evidence) {
        if (standstill > 0) {
            whenClockStoodStill.accept(standstill);
            log(standstill, evidence);
        }
    }

    /** Last, and whatever comes of it: what was told once must not be told again, to leases that came later. */
    private static void log(long standstill, String evidence) {
        try {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0213: the clock of this process stood still for " + TimeUnit.NANOSECONDS.toMillis(standstill)
                            + " ms: " + evidence);
        } catch (RuntimeException | Error e) {
            // each lease that is lost says why
        }
    }

    private void settleDoubts() {
        NodeSet doubted = clockMonitor.doubted();
        for (int node = 0; node < sight.count(); node++) {
            if (doubted.contains(node)) {
                settle(node);
            }
        }
    }

    private void settle(int node) {
        long doubt = clockMonitor.doubt(node);
        ClockMonitor.Finding finding = clockMonitor.find(node, time.nanoTime());
        if (finding
                == ClockMonitor.Finding
                        .CLIENT) { // by what others have heard since, perhaps: leases are told before it is settled
            tellOfStandstill();
        }
        boolean contradicted = clockMonitor.isContradicted(node);
        if (finding == ClockMonitor.Finding.OPEN && sight.count() > 1 && !contradicted) {
            return; // the others show it soon: one node alone must not cost this process its leases
        }
        boolean ours = finding == ClockMonitor.Finding.CLIENT;
        if (!ours && sight.isVouchedFor(node)) {
            ours = true;
            if (!contradicted) {
                tellOfStandstill(
                        clockMonitor.stoodStillBy(node),
                        "a node is ahead of it by that, whose clock other processes have watched");
            }
        }
        boolean settled = ours || finding == ClockMonitor.Finding.NODE && quarantine(node);
        if (settled) {
            clockMonitor.settle(node, doubt, time.nanoTime()); // what was asked before that counts for nothing
            look(node);
        }
    }

    /** A node that cannot be reached, or is none to be used, stays doubted; it is tried again once a second. */
    private boolean quarantine(int node) {
        long now = time.nanoTime();
        if (failed.contains(node) && now - failedAt[node] < PAUSE_NANOS) {
            return false;
        }
        boolean begun = sight.quarantine(node, clockMonitor.describe(node));
        failed = begun ? failed.without(NodeSet.of(node)) : failed.with(node);
        failedAt[node] = now;
        return begun;
    }
}
