// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import org.holdfast.protocol.node.Command;

/**
 * What was asked of a node, and the round that the answer belongs to.
 *
 * @param again whether it was sent before, and now with the script that the node did not know
 */
record PendingRequest(Command command, PendingRound round, long sentAt, boolean again) {}
