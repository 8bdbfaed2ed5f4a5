// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import org.holdfast.protocol.env.Time;

/** The clocks of one client machine: one runs a little fast or slow, the other may jump. */
final class SimulatedTime implements Time {

    private static final long WALL_MICROS = 1_800_000_000_000_000L;

    private final World world;
    private final double rate;
    private final long origin;
    private long wallErrorMicros;
    private long stoodStill;

    SimulatedTime(World world, double rate, long origin, long wallErrorMicros) {
        this.world = world;
        this.rate = rate;
        this.origin = origin;
        this.wallErrorMicros = wallErrorMicros;
    }

    @Override
    public long nanoTime() {
        return origin + (long) ((world.now() - stoodStill) * rate);
    }

    @Override
    public long epochMicros() {
        return WALL_MICROS + (long) (world.now() * rate) / 1_000 + wallErrorMicros;
    }

    /** An operator sets the wall clock. */
    void setWall(long errorMicros) {
        wallErrorMicros = errorMicros;
    }

    /** The machine was suspended for so long until now. */
    void stoodStill(long nanos) {
        stoodStill += nanos;
    }

    /** Returns when, in the world's time, this clock will show so much. */
    long worldMoment(long local) {
        double left = (local - nanoTime()) / rate;
        return left >= Long.MAX_VALUE / 4 ? Long.MAX_VALUE / 4 : world.now() + (long) left + 1;
    }

    @Override
    public Signal newSignal() {
        return new Signal() {
            private boolean raised;
            private World.Task waiter;

            @Override
            public void raise() {
                raised = true;
                if (waiter != null) {
                    world.wake(waiter);
                }
            }

            @Override
            public boolean await(long nanos) {
                long deadline = nanoTime() + Math.min(nanos, Long.MAX_VALUE / 4);
                waiter = world.current();
                while (!raised && nanoTime() - deadline < 0) {
                    world.waitUntil(worldMoment(deadline));
                }
                waiter = null;
                boolean was = raised;
                raised = false;
                return was;
            }
        };
    }
}
