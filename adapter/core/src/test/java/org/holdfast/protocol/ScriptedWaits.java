// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.ArrayDeque;
import java.util.Queue;
import org.holdfast.protocol.env.Time;

/** Virtual time in which something happens, as the test says, while a thread waits. For one thread. */
public final class ScriptedWaits implements Time {

    /** What happens during a wait: it may wake the thread, or interrupt it. */
    public interface Event {
        void happen() throws InterruptedException;
    }

    /** The first is for the first wait. In later waits time passes. */
    public final Queue<Event> events = new ArrayDeque<>();

    /** How often a signal was raised. */
    public int raised;

    private final Time time;

    public ScriptedWaits(Time time) {
        this.time = time;
    }

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
        Signal signal = time.newSignal();
        return new Signal() {
            @Override
            public void raise() {
                raised++;
                signal.raise();
            }

            @Override
            public boolean await(long nanos) throws InterruptedException {
                Event event = events.poll();
                if (event != null) {
                    event.happen();
                }
                return signal.await(nanos);
            }
        };
    }
}
