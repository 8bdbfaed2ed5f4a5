// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/** Defines what ends a lease that is not released, and which holder may take the lock once more. */
public enum LeaseScope {

    /**
     * The default: a lease taken in a transaction that may still commit is released after the transaction has
     * completed, any other lease when its connection is closed. The holder may take the lock once more.
     */
    CONNECTION,

    /**
     * The lease outlives its connection, and is held until it is released. A lease taken in a transaction that may
     * still commit is held until that has completed as well, whichever is later: a transaction may time out while the
     * work under the lock goes on. For frameworks that bracket a call and need no connection while it runs; each lease
     * must be released. The holder may take the lock once more.
     */
    HOLDER,

    /**
     * As {@link #HOLDER}, but no transaction keeps the lease: it belongs to the thread that takes it, inside a
     * transaction as outside, and ends when it is released. Others may then get the lock before they see what the
     * transaction has done. The thread, and its transactions, may take the lock once more.
     */
    THREAD,

    /**
     * The lease is bound to no thread, transaction or connection, and any thread may release it. No caller may take the
     * lock once more, not even the thread that took it: that thread may have handed the lease to another one.
     */
    DETACHED
}
