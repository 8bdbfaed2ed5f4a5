// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

/** Time as the algorithm sees it: it reads it and waits in it. */
public interface Time {

    /** Returns the monotonic clock, in nanoseconds. Only differences mean anything. */
    long nanoTime();

    /** Returns the wall clock, in microseconds since 1970. It proposes tokens and decides nothing about leases. */
    long epochMicros();

    /** Returns a new signal, not raised. */
    Signal newSignal();

    /** What one thread waits for and another raises. A raise before the wait is not lost. */
    interface Signal {

        /** Ends the present or the next {@link #await}. */
        void raise();

        /**
         * Waits for a raise, and takes it.
         *
         * @param nanos how long to wait at the most
         * @return whether it was raised
         * @throws InterruptedException if the thread is interrupted before or while waiting
         */
        boolean await(long nanos) throws InterruptedException;
    }
}
