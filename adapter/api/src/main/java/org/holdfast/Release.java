// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/**
 * Whether a caller waits for the nodes when it releases a lease. Of several leases of one holder on the same lock, the
 * first one's counts.
 */
public enum Release {

    /** As the setting {@link Setting#RELEASE} of the factory says, which is one of the others. */
    AS_CONFIGURED,

    /** The caller waits until a majority of nodes has confirmed it: the lock is free when the call returns. */
    CONFIRMED,

    /**
     * The release is sent, and the caller does not wait for answers: that saves a round trip. The lock is free a moment
     * later. The next request for one of the same names through the same factory waits for them first. If the process
     * dies before the system has sent it, the lock lasts until its TTL has passed. The release opens connections where
     * they are missing, as any does, and waits for that.
     *
     * <p>The caller waits all the same while other callers of its process wait for the lock; for a lease that is kept
     * by {@link LockRequest#atLeast}; and when a transaction, {@link LockConnection#close()} or the end of the factory
     * releases it.
     */
    ASYNC
}
