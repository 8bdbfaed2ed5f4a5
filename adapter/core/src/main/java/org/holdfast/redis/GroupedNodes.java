// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.util.Optional;

/** The nodes that vote on the same names, where others vote on other names. */
public interface GroupedNodes extends LockNodes {

    /** Returns whether nothing is sent any more. */
    boolean isClosed();

    /** Returns whether all nodes are asked, so that a look at them is likely to be short. */
    boolean isWell();

    /** Returns a look, which must be run; empty if none is due, or another thread looks. */
    Optional<Runnable> claimLook();

    /** Returns what a node is here, and what is known of it. */
    String describeNode(int node);
}
