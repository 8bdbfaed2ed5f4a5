// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.time.Duration;
import org.holdfast.protocol.env.Time;

/** A clock that a test sets forward, and that overflows soon. It has no wall clock, and no thread waits by it. */
public final class ClockByHand implements Time {

    private volatile long nanos = Long.MAX_VALUE - 5;

    /** For one thread at a time. */
    public void pass(Duration time) {
        nanos = nanos + time.toNanos();
    }

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public long epochMicros() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Signal newSignal() {
        throw new UnsupportedOperationException();
    }
}
