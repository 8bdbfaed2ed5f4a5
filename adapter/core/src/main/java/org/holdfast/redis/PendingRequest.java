// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;

/**
 * What was asked of a node, and the round that the answer belongs to.
 *
 * @param again whether it was sent before, and now with the script that the node did not know
 * @param vouched whether it was sent before, and now vouches for the clock of the node
 */
record PendingRequest(Command command, PendingRound round, long sentAt, boolean again, boolean vouched)
        implements PendingCall {

    PendingRequest(Command command, PendingRound round, long sentAt) {
        this(command, round, sentAt, false, false);
    }

    /** Returns the request that is sent with its script. */
    PendingRequest sentAgain(long now) {
        return new PendingRequest(command, round, now, true, vouched);
    }

    /** Returns the request that is sent in a call of its own, and was sent in one with others. */
    PendingRequest sentAlone(long now) {
        return new PendingRequest(command, round, now);
    }

    /** Returns the request that is sent to a node whose clock is believed. */
    PendingRequest vouching(long now) {
        return new PendingRequest(command, round, now, again, true);
    }

    @Override
    public long answerableSince() {
        return round.pushedAt() - sentAt > 0 ? round.pushedAt() : sentAt;
    }

    @Override
    public void lost(int node, String reason) {
        round.answered(new Answer(node, new Reply.NoAnswer(reason), 0));
    }

    /** Returns whether it must not be sent again: its release may have been sent already, and would come before it. */
    boolean isTooLate() {
        return command instanceof Command.Acquire && round.isLeft();
    }
}
