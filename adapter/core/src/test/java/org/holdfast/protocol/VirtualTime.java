// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.concurrent.TimeUnit;

/** Time that passes only when somebody waits, or when the test says so. For one thread. */
final class VirtualTime implements Time {

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

    void setEpochMicros(long micros) {
        wallMicros = micros;
    }

    void pass(long passed) {
        nanos += passed;
        wallMicros += passed / 1_000;
    }

    void passMillis(long millis) {
        pass(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    void passTo(long moment) {
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
