// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GateTest {

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

    private final Gate gate = new Gate(time, 2);

    @Test
    void gate_letsSoManyInAndTheNextWhenOneLeaves() throws Exception {
        assertThat(gate.enter(1)).isTrue();
        assertThat(gate.enter(1)).isTrue();
        assertThat(gate.enter(1)).isFalse();

        whileOutside.add(gate::leave);
        assertThat(gate.enter(1)).isTrue();
        whileOutside.clear();
        assertThat(gate.enter(1)).as("the place was handed on").isFalse();
        gate.leave();
        gate.leave();
        assertThat(gate.enter(1)).isTrue();
        assertThat(gate.enter(1)).isTrue();
        assertThat(gate.enter(1)).isFalse();
    }

    @Test
    void interrupted_justWhenLetIn_givesThePlaceBack() throws Exception {
        gate.enter(1);
        gate.enter(1);
        whileOutside.add(gate::leave);
        whileOutside.add(Thread.currentThread()::interrupt);
        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> gate.enter(1)))
                .isInstanceOf(InterruptedException.class);
        whileOutside.clear();
        assertThat(gate.enter(1)).isTrue();
        assertThat(gate.enter(1)).isFalse();
    }
}
