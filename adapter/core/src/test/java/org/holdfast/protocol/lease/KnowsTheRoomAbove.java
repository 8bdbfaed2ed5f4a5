// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import org.holdfast.protocol.queue.WaitQueues;

/** What no class of this room may be: RoomsTest shows that it is refused. */
record KnowsTheRoomAbove(WaitQueues above) {}
