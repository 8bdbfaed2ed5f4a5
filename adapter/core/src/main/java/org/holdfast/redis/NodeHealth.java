// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.holdfast.protocol.Time;

/**
 * What is known of one node: up, or suspected since it failed to answer.
 *
 * <p>A suspected node is not asked, so that a node that hangs costs one timeout when it begins to hang and nothing
 * afterwards. It is probed ever more rarely, up to a bound, and taken back when it answers: in the background, and by who
 * cannot have a quorum without it. Shared by all channels of a lock service.
 */
final class NodeHealth {

    private static final System.Logger LOG = System.getLogger(NodeHealth.class.getName());
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private sealed interface State {
        record Up() implements State {}

        record Suspected(String reason, long since, long pauseNanos, long nextProbe) implements State {}
    }

    private static final State UP = new State.Up();

    private final NodeAddress address;
    private final Time time;
    private final AtomicReference<State> state = new AtomicReference<>(UP);

    NodeHealth(NodeAddress address, Time time) {
        this.address = address;
        this.time = time;
    }

    boolean isSuspected() {
        return state.get() instanceof State.Suspected;
    }

    /** Returns why the node is suspected, for messages. */
    String reason() {
        return state.get() instanceof State.Suspected suspected
                ? suspected.reason() + ", suspected for "
                        + Duration.ofNanos(time.nanoTime() - suspected.since()).toMillis() + " ms"
                : "up";
    }

    /** The node failed to answer. */
    void suspectFromUp(String reason) {
        long now = time.nanoTime();
        State suspected = new State.Suspected(reason, now, FIRST_PAUSE_NANOS, now + FIRST_PAUSE_NANOS);
        if (state.compareAndSet(UP, suspected)) {
            LOG.log(System.Logger.Level.WARNING, "node " + address + " is suspected: " + reason);
        }
    }

    /**
     * Takes the right to ask a suspected node whether it answers again; true for one caller each time it is due. The next
     * time comes after twice the pause.
     */
    boolean claimProbe() {
        State seen = state.get();
        long now = time.nanoTime();
        if (!(seen instanceof State.Suspected s) || now - s.nextProbe() < 0) {
            return false;
        }
        long pause = Math.min(LONGEST_PAUSE_NANOS, s.pauseNanos() * 2);
        return state.compareAndSet(seen, new State.Suspected(s.reason(), s.since(), pause, now + pause));
    }

    /** Returns whether somebody may ask a suspected node whether it answers again. */
    boolean isProbeDue() {
        return state.get() instanceof State.Suspected s && time.nanoTime() - s.nextProbe() >= 0;
    }

    /** The node has answered. */
    void up() {
        if (state.get() != UP && state.getAndSet(UP) instanceof State.Suspected suspected) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "node " + address + " answers again after "
                            + Duration.ofNanos(time.nanoTime() - suspected.since())
                                    .toMillis() + " ms");
        }
    }
}
