// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import org.holdfast.protocol.env.Time;

/** Time in which each thread that waits is interrupted at once. */
public record InterruptedWaits(Time time) implements Time {

    @Override
    public long nanoTime() {
        return time.nanoTime();
    }

    @Override
    public long epochMicros() {
        return time.epochMicros();
    }

    @Override
    public Signal newSignal() {
        return new Signal() {
            @Override
            public void raise() {
                throw new UnsupportedOperationException("its thread waits no more");
            }

            @Override
            public boolean await(long nanos) throws InterruptedException {
                throw new InterruptedException("a test");
            }
        };
    }
}
