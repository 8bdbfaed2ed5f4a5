// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import org.holdfast.LeaseLoss;
import org.holdfast.LockRequest;

/**
 * Receives events about locks, while they happen.
 *
 * <p>Called on the threads that cause them: must neither block nor throw. Of what takes time it receives the beginning
 * and the end, and may measure the time in between by a clock of its own. Implementations are safe for use by any
 * number of threads.
 */
public interface Recorder {

    /** Records nothing. */
    Recorder NONE = new Recorder() {};

    /** A caller asks for a lock that it does not have yet. */
    interface Acquiring {

        /**
         * @param result HELD, TIMED_OUT, UNAVAILABLE or CLOCK_SKEWED
         * @param token of the lease; 0 if there is none
         */
        void ended(LockRequest request, String result, long token);
    }

    /** A caller waits in line for a lock. */
    interface Queueing {

        /**
         * @param lock the lock that it waited for
         * @param line BARGING, FAIR or PERMIT
         * @param held whether it left the line with the lock
         */
        void ended(String lock, String line, boolean held);
    }

    /** Leases are renewed, several at once. */
    interface Renewing {

        /** @param extended how many of the leases last longer now */
        void ended(int leases, int extended);
    }

    default Acquiring acquiring() {
        return (request, result, token) -> {};
    }

    default Queueing queueing() {
        return (lock, line, held) -> {};
    }

    default Renewing renewing() {
        return (leases, extended) -> {};
    }

    /** A lease is lost. */
    default void lost(LeaseLoss loss) {}

    /**
     * What is known of a node has changed.
     *
     * @param node its address, without secrets
     * @param state up, quarantined, suspected, refused or doubted
     * @param reason in words; empty if there is none
     */
    default void node(String node, String state, String reason) {}
}
