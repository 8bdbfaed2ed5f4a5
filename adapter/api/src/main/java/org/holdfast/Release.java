// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/** Whether a caller waits for the nodes when it releases a lease: the values of {@link Setting#RELEASE}. */
public enum Release {

    /** As the setting {@link Setting#RELEASE} of the factory says. */
    AS_CONFIGURED,

    /** The caller waits until a majority of nodes has confirmed it: the lock is free when the call returns. */
    CONFIRMED,

    /**
     * The release is sent, and the caller does not wait for answers: that saves a round trip. The lock is free a moment
     * later. The next request for the same names through the same factory comes after the release on every node, unless
     * a connection breaks in between. If the process dies at that moment, the lock may last until its TTL has passed.
     *
     * <p>The caller waits all the same while other callers of its process wait for the lock; for a lease that is kept
     * by {@link LockRequest#atLeast}; and when a transaction, {@link LockConnection#close()} or the end of the factory
     * releases it.
     */
    ASYNC
}
