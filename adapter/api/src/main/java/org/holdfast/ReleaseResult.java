// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/** What became of a lock when a lease on it was {@linkplain Lease#release() released}. */
public enum ReleaseResult {

    /**
     * A majority of nodes confirmed that the lock was still held by this lease, and has released it. Or it was passed
     * on to a waiting caller of this process, without the nodes.
     */
    RELEASED,

    /**
     * The lease has ended, and the lock stays taken: by another lease of the same holder, or by the transaction until
     * it has completed.
     */
    KEPT,

    /**
     * The lock was not held by this lease any more: the lease was lost, or so many nodes had the lock no longer that no
     * majority can have had it. It has expired there, was released by force, or the nodes have lost it. Another holder
     * may have had it since.
     */
    NOT_HELD,

    /**
     * Too few nodes answered in time to know the result, or the caller did not wait for them ({@link Release#ASYNC}).
     * The release is sent again to each node that does not confirm it, and the lock ends with its TTL at the latest.
     */
    UNCONFIRMED
}
