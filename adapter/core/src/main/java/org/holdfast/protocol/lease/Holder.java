// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

/** The execution context on whose behalf a lease is held, and which may take the lock once more. */
public sealed interface Holder {

    /** Returns the calling thread as a holder. */
    static Holder thread() {
        return new OfThread(Thread.currentThread().getId());
    }

    /**
     * Returns a transaction as a holder.
     *
     * @param key the transaction's key: it is never used again while a lease may live
     */
    static Holder transaction(Object key) {
        return new OfTransaction(key);
    }

    /** Returns a description for people; called by the holder itself. */
    String describe();

    /** @param id the thread's: it is never used again while a lease may live */
    record OfThread(long id) implements Holder {
        @Override
        public String describe() {
            return Thread.currentThread().getName();
        }
    }

    record OfTransaction(Object key) implements Holder {
        @Override
        public String describe() {
            return "transaction " + key;
        }
    }
}
