// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Time;

/** Time that passes only when a thread waits, or as the test lets it pass. For one thread. */
public final class VirtualTime implements Time {

    /** Close to where a long overflows: only differences may be used. */
    private long nanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1);

    private long wallMicros = 1_800_000_000_000_000L;
    private long each;

    @Override
    public long nanoTime() {
        nanos += each;
        return nanos;
    }

    /** So much passes before each look at the clock from now on, as for a thread that is seldom given a processor. */
    public void passBeforeEachLook(long passed) {
        each = passed;
    }

    @Override
    public long epochMicros() {
        return wallMicros;
    }

    public void setEpochMicros(long micros) {
        wallMicros = micros;
    }

    public void pass(long passed) {
        nanos += passed;
        wallMicros += passed / 1_000;
    }

    public void passMillis(long millis) {
        pass(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    public void passTo(long moment) {
        pass(Math.max(0, moment - nanos));
    }

    @Override
    public Signal newSignal() {
        return new Signal() {
            private boolean raised;

            @Override
            public void raise() {
                raised = true;
            }

            @Override
            public boolean await(long wait) {
                if (!raised) {
                    pass(wait);
                }
                boolean was = raised;
                raised = false;
                return was;
            }
        };
    }
}
