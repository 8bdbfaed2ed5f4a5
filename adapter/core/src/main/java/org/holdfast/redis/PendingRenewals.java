// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.util.List;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Target;
import org.jspecify.annotations.Nullable;

/**
 * Renewals of several leases that one call of a script carries out on one node: nearly half of what a renewal alone
 * costs the node is the call.
 *
 * @param requests one for each lease, in the order in which the replies come
 * @param again whether it was sent before, and now with the script that the node did not know
 */
record PendingRenewals(List<PendingRequest> requests, boolean again) implements PendingCall {

    /** A node does nothing else meanwhile: that is a millisecond or so. */
    private static final int MOST = 100;

    PendingRenewals {
        requests = List.copyOf(requests);
        if (requests.isEmpty()) {
            throw new IllegalArgumentException("no renewal");
        }
    }

    /** Returns how many commands from this one on are renewals that one call can carry out; 0 if it is none. */
    static int count(List<? extends Command> commands, int from) {
        int to = from;
        while (to < commands.size() && to - from < MOST && isOfOneName(commands.get(to))) {
            to++;
        }
        return to - from;
    }

    private static boolean isOfOneName(Command command) {
        if (!(command instanceof Command.Renew renewal) || renewal.last()) {
            return false;
        }
        Target target = renewal.claim().target();
        return !target.isShared() && target.names().size() == 1;
    }

    /** Returns what was asked for each lease. */
    List<Command.Renew> commands() {
        return requests.stream()
                .map(request -> (Command.Renew) request.command())
                .toList();
    }

    @Override
    public long sentAt() {
        return requests.get(0).sentAt();
    }

    @Override
    public long answerableSince() {
        return requests.get(0).answerableSince();
    }

    @Override
    public Command command() {
        return requests.get(0).command();
    }

    /** Returns the same call that is sent with its script. */
    PendingRenewals sentAgain(long now) {
        return new PendingRenewals(
                requests.stream().map(request -> request.sentAgain(now)).toList(), true);
    }

    /**
     * Returns the reply to one of the requests; null if it has to be sent alone. Then the call came to nothing for it,
     * or for all: the process is not the one that the client has seen, a key is in another slot, or is one that the
     * user may not use.
     *
     * @param reply the one to the call
     */
    @Nullable
    List<?> replyTo(int request, Object reply) {
        return reply instanceof List<?> replies
                        && replies.size() == requests.size()
                        && replies.get(request) instanceof List<?> one
                ? one
                : null;
    }

    @Override
    public void lost(int node, String reason) {
        requests.forEach(request -> request.lost(node, reason));
    }
}
