// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.env.Time;
import org.junit.jupiter.api.Test;

class AttemptLimiterTest {

    private final List<Runnable> whileOutside = new ArrayList<>();

    /** Waiting is over at once; meanwhile happens what the test says. */
    private final Time time = new Time() {
        private final VirtualTime virtual = new VirtualTime();

        @Override
        public long nanoTime() {
            return virtual.nanoTime();
        }

        @Override
        public long epochMicros() {
            return virtual.epochMicros();
        }

        @Override
        public Signal newSignal() {
            Signal signal = virtual.newSignal();
            return new Signal() {
                @Override
                public void raise() {
                    signal.raise();
                }

                @Override
                public boolean await(long nanos) throws InterruptedException {
                    whileOutside.forEach(Runnable::run);
                    if (Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                    return signal.await(nanos);
                }
            };
        }
    };

    private final AttemptLimiter attemptLimiter = new AttemptLimiter(time, 2);

    @Test
    void gate_letsSoManyInAndTheNextWhenOneLeaves() throws Exception {
        assertThat(attemptLimiter.enter(1)).isTrue();
        assertThat(attemptLimiter.enter(1)).isTrue();
        assertThat(attemptLimiter.enter(1)).isFalse();

        whileOutside.add(attemptLimiter::leave);
        assertThat(attemptLimiter.enter(1)).isTrue();
        whileOutside.clear();
        assertThat(attemptLimiter.enter(1)).as("the place was handed on").isFalse();
        attemptLimiter.leave();
        attemptLimiter.leave();
        assertThat(attemptLimiter.enter(1)).isTrue();
        assertThat(attemptLimiter.enter(1)).isTrue();
        assertThat(attemptLimiter.enter(1)).isFalse();
    }

    @Test
    void interrupted_justWhenLetIn_givesThePlaceBack() throws Exception {
        attemptLimiter.enter(1);
        attemptLimiter.enter(1);
        whileOutside.add(attemptLimiter::leave);
        whileOutside.add(Thread.currentThread()::interrupt);
        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> attemptLimiter.enter(1)))
                .isInstanceOf(InterruptedException.class);
        whileOutside.clear();
        assertThat(attemptLimiter.enter(1)).isTrue();
        assertThat(attemptLimiter.enter(1)).isFalse();
    }
}
