// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.holdfast.protocol.env.Time;
import org.holdfast.redis.LockNodes;
import org.holdfast.redis.voter.Locators;
import org.holdfast.runtime.scheduling.DueMoment;
import org.holdfast.runtime.scheduling.Pulse;
import org.holdfast.runtime.scheduling.Scheduling;

/**
 * Watches the nodes, on threads of its own: to connect to a node that hangs, or to resolve its name, takes time, and
 * renewals must not wait for that.
 *
 * <p>One thread looks at the nodes. Where nodes may move, another one asks once a second where they are: that must not
 * wait for a node that hangs either, since votes count only for a few seconds after a question.
 */
final class NodeWatch implements AutoCloseable {

    private static final long LOCATING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LockNodes nodes;
    private final Locators locators;
    private final Complaints complaints;
    private final DueMoment looks;
    private final DueMoment locating;
    private final Pulse looking;
    private final Pulse locator;

    /** Whether there is, or will be, a thread that looks. */
    private final AtomicBoolean isLooking = new AtomicBoolean();

    private final AtomicBoolean isLocating = new AtomicBoolean();

    /**
     * @param looks when nodes are to be looked at
     * @param complaints receives what failed
     */
    NodeWatch(LockNodes nodes, Locators locators, DueMoment looks, Time time, Complaints complaints) {
        this.nodes = nodes;
        this.locators = locators;
        this.complaints = complaints;
        this.looks = looks;
        this.looking = new Pulse(looks, this::look, nodes::stopLooking);
        this.locating = new DueMoment(time);
        this.locator = new Pulse(locating, this::locate);
        locators.onMisdirected(locating);
        looks.within(0);
        locating.within(0);
    }

    /**
     * Begins what has not begun. Called by each sweep: a thread that was begun by the caller that opens a service would
     * keep the class loader of an application.
     *
     * @throws RuntimeException if there is no thread for it now: the next sweep tries again
     */
    void begin(Scheduling scheduling) {
        if (locators.isMoving()) {
            begin(isLocating, locator, scheduling);
        }
        begin(isLooking, looking, scheduling);
    }

    /** Not among what applications run, which may take all threads. */
    private static void begin(AtomicBoolean begun, Pulse task, Scheduling scheduling) {
        if (!begun.compareAndSet(false, true)) {
            return;
        }
        try {
            scheduling.keepRunning(task);
        } catch (RuntimeException | OutOfMemoryError e) {
            begun.set(false);
            throw e;
        }
    }

    private void look() {
        try {
            nodes.look();
            looks.within(nodes.nanosUntilLook());
        } catch (Throwable e) {
            looks.within(DueMoment.PAUSE_NANOS);
            complaints.log("the watch over the nodes", e);
        }
    }

    /** A node that cannot be located is not asked, and its health says why. */
    private void locate() {
        locating.within(LOCATING_NANOS);
        try {
            locators.confirm();
            nodes.rearrange();
        } catch (Throwable e) {
            complaints.log("the search for the nodes", e);
        }
    }

    /** Does not wait for a look that is under way: the thread that looks has the probe's connections. */
    @Override
    public void close() {
        looking.close();
        locator.close();
    }
}
