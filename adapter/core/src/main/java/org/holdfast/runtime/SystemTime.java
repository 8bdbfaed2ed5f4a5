// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.holdfast.protocol.env.Time;
import org.jspecify.annotations.Nullable;

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
        return new ParkedSignal();
    }

    /** Needs no memory to wait: a thread that renews leases has to outlive a moment without any. */
    private static final class ParkedSignal implements Signal {

        private final AtomicBoolean raised = new AtomicBoolean();
        private volatile @Nullable Thread waiting;

        @Override
        public void raise() {
            raised.set(true);
            LockSupport.unpark(waiting);
        }

        @Override
        public boolean await(long nanos) throws InterruptedException {
            long begun = System.nanoTime();
            waiting = Thread.currentThread(); // before the look: a raise from now on ends the sleep
            try {
                while (!raised.get() && !Thread.currentThread().isInterrupted()) {
                    long left = nanos - (System.nanoTime() - begun);
                    if (left <= 0) {
                        break;
                    }
                    LockSupport.parkNanos(this, left);
                }
            } finally {
                waiting = null;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return raised.getAndSet(false);
        }
    }
}
