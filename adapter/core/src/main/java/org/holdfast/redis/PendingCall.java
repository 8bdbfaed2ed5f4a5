// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import org.holdfast.protocol.node.Command;

/** What was asked of a node by one call of a script, which has one reply. */
sealed interface PendingCall permits PendingRequest, PendingRenewals {

    /** Returns the moment before it was sent. */
    long sentAt();

    /**
     * Returns since when its nodes can answer it. That is later than {@link #sentAt()} where this process stood still
     * before all was handed to the sockets: no node is to be blamed for that.
     */
    long answerableSince();

    /** Returns the command, or the first of them. */
    Command command();

    /** No reply will come: tells each caller that waits for one. */
    void lost(int node, String reason);
}
