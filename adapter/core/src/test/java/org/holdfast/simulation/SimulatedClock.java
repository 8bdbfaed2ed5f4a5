// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

/** The clock of a node: it runs at a rate of its own, and is set wrong, and right again. */
final class SimulatedClock {

    private static final long SECOND = 1_000_000_000L;

    /** So long a clock stays as it was set; whatever is shorter is a blip. */
    private static final long STEP_PAUSE = SECOND + SECOND / 2;

    private final World world;
    private final NodeChecker checker;
    private final double rate;
    private final long stepMicros;
    private long errorMicros;
    private long steppedAt = -STEP_PAUSE - 1;

    /**
     * @param rate how fast it runs
     * @param stepMicros by how much it is set wrong
     */
    SimulatedClock(World world, NodeChecker checker, double rate, long stepMicros) {
        this.world = world;
        this.checker = checker;
        this.rate = rate;
        this.stepMicros = stepMicros;
    }

    double rate() {
        return rate;
    }

    /** Returns what it shows. */
    long micros() {
        return SimulatedNode.BOOT_MICROS + (long) (world.now() * rate) / 1_000 + errorMicros;
    }

    /** Returns when, in the world's time, it shows so much, if it is not set. */
    long worldMoment(long micros) {
        return worldNanos(micros - SimulatedNode.BOOT_MICROS - errorMicros);
    }

    /** Returns for how long, in the world's time, so much passes on it. */
    long worldNanos(long micros) {
        return (long) (micros * 1_000 / rate);
    }

    /**
     * An operator sets it: wrong, or right again, but not before clients have looked.
     *
     * @param wasSetBack whether it is to be set right if it was set back, or ahead
     */
    void step(boolean wasSetBack) {
        boolean due = wasSetBack ? errorMicros < 0 : errorMicros >= 0;
        if (due && world.now() - steppedAt > STEP_PAUSE) {
            steppedAt = world.now();
            set(errorMicros == 0 ? stepMicros : 0);
        }
    }

    void set(long micros) {
        checker.clockSet(micros);
        errorMicros = micros;
    }

    /**
     * It goes ahead, and is right again after so long.
     *
     * @param moreMicros how much further ahead than by the node's usual step
     */
    void blip(long nanos, long moreMicros) {
        long ahead = Math.abs(stepMicros) + moreMicros;
        push(ahead);
        world.after(nanos, () -> push(-ahead));
    }

    /** It is set ahead by so much, or back if negative. */
    void push(long micros) {
        set(errorMicros + micros);
    }

    /** It is set right if it is wrong by more than that. */
    void setRight(long mostMicros) {
        if (Math.abs(errorMicros) > mostMicros) {
            set(0);
        }
    }
}
