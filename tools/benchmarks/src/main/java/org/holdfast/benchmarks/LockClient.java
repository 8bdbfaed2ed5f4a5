// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

/** A client of one library, or of ours with certain settings. Safe for use by any number of threads. */
interface LockClient extends AutoCloseable {

    /**
     * A lock that a thread has.
     *
     * @param token grows with each owner of the lock; of a library without tokens, the moment at which it was had
     */
    record Taken(long token, Step release) {

        /** Of a library without tokens. */
        static Taken now(Step release) {
            return new Taken(System.nanoTime(), release);
        }
    }

    /** A step of a thread that has a lock. */
    interface Step {
        void run() throws Exception;
    }

    /** Takes a lock, for which it waits if the library can. */
    Taken take(String lock) throws Exception;

    @Override
    void close() throws Exception;
}
