// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.time.Instant;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Time;

/** The clocks of this machine. */
public final class SystemTime implements Time {

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long epochMicros() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + now.getNano() / 1_000;
    }

    @Override
    public Signal newSignal() {
        Semaphore raised = new Semaphore(0);
        return new Signal() {
            @Override
            public void raise() {
                raised.release();
            }

            @Override
            public boolean await(long nanos) throws InterruptedException {
                boolean taken = raised.tryAcquire(nanos, TimeUnit.NANOSECONDS);
                raised.drainPermits();
                return taken;
            }
        };
    }
}
