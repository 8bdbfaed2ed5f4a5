// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Time;

/** Time that passes only when a thread waits, or when the test lets it pass. For one thread. */
public final class VirtualTime implements Time {

    /** Close to where a long overflows: only differences may be used. */
    private long nanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1);

    private long wallMicros = 1_800_000_000_000_000L;

    @Override
    public long nanoTime() {
        return nanos;
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
