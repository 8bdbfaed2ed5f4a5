// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/** Says what ends a lease that nobody releases, and who may take the lock once more. */
public enum LeaseScope {

    /**
     * The default: a lease taken in a transaction that may still commit is released after the transaction has completed,
     * any other when its connection is closed. The holder may take the lock once more.
     */
    CONNECTION,

    /**
     * As {@link #CONNECTION}, but the lease outlives its connection: taken outside a transaction, it is held until it
     * is released. For frameworks that bracket a call and need no connection while it runs. The holder may take the
     * lock once more.
     */
    HOLDER,

    /**
     * As {@link #HOLDER}, but no transaction keeps the lease: it belongs to the thread that takes it, inside a transaction as
     * outside, and ends when it is released. Others may then get the lock before they see what the transaction has done. The
     * thread, and its transactions, may take the lock once more.
     */
    THREAD,

    /**
     * The lease is bound to nothing but itself and may be released by any thread. Nobody may take the lock once more,
     * not even the thread that took it: it may have handed the lease to another.
     */
    DETACHED
}
