// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

/**
 * The execution context on whose behalf a lease is held, and which may take the lock once more.
 *
 * @param key the transaction's key, or the thread's id: neither is ever used again while a lease may live
 */
public record Holder(Object key) {

    /** Returns the calling thread as a holder. */
    public static Holder thread() {
        return new Holder(new ThreadKey(Thread.currentThread().getId()));
    }

    /** Returns the transaction with the given key as a holder. */
    public static Holder transaction(Object key) {
        return new Holder(key);
    }

    /** Returns a description for people; called by the holder itself. */
    public String describe() {
        return key instanceof ThreadKey ? Thread.currentThread().getName() : "transaction " + key;
    }

    /** A type of its own: a transaction's key could be a number too. */
    private record ThreadKey(long id) {}
}
