// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.util.Optional;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.script.KnownScripts;
import org.holdfast.redis.script.ScriptCodec;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;

/** Makes the calls of scripts by which nodes carry out commands. */
final class Calls {

    private final AskedNodes nodes;
    private final KnownScripts scripts;

    Calls(AskedNodes nodes, KnownScripts scripts) {
        this.nodes = nodes;
        this.scripts = scripts;
    }

    /** Returns the call of a command for the nodes that receive it. */
    Call of(Command command, NodeSet receivers) {
        return new Call(command, receivers);
    }

    /** One command, as each of several nodes receives it. For one thread. */
    final class Call {

        private final Command command;
        private final NodeSet receivers;
        private @Nullable ScriptCodec encoder;
        private @Nullable CommandArguments encoded;
        private boolean known;

        private Call(Command command, NodeSet receivers) {
            this.command = command;
            this.receivers = receivers;
        }

        CommandArguments on(int node) {
            ScriptCodec codec = nodes.codec(node);
            CommandArguments usual = encoded;
            if (usual == null || codec != encoder) { // only shards of clusters have codecs of their own
                known = scripts.areKnown(codec.script(command), receivers);
                usual = codec.usual(command, known);
                encoded = usual;
                encoder = codec;
            }
            return shortening(node, command, known).orElse(usual);
        }
    }

    /** Returns the call of a command with the script, which the node does not know. */
    CommandArguments withSource(int node, Command command) {
        return shortening(node, command, false)
                .orElseGet(() -> nodes.codec(node).bySource(command));
    }

    /** Returns the call of a command by a caller that vouches for the clock of the node, see {@link ScriptCodec}. */
    CommandArguments vouching(int node, Command command, long vouchedMillis) {
        ScriptCodec codec = nodes.codec(node);
        return codec.vouching(command, vouchedMillis, scripts.areKnown(codec.script(command), NodeSet.of(node)));
    }

    /**
     * Returns the call of a command by which a lock may end earlier; empty for other commands. By a clock that is
     * behind it would end too early: so each node receives what its clock shows at the least.
     *
     * @param known whether the node knows the script, as far as is known here
     */
    private Optional<CommandArguments> shortening(int node, Command command, boolean known) {
        return command instanceof Command.Renew renewal && renewal.last()
                ? Optional.of(nodes.codec(node).shortening(renewal, nodes.earliestMillis(node), known))
                : Optional.empty();
    }

    /** Returns whether renewals for these nodes may be sent together: on a shard the keys of a call are in one slot. */
    boolean mayRenewTogether(NodeSet receivers) {
        boolean may = true;
        for (int node = 0; node < nodes.size(); node++) {
            may &= !receivers.contains(node) || !nodes.codec(node).isOfShard();
        }
        return may;
    }

    /** Returns the call that carries out renewals on each of some nodes, of which none is a shard. */
    CommandArguments together(PendingRenewals renewals, NodeSet receivers) {
        ScriptCodec codec = nodes.codec(receivers.smallest());
        return codec.renewals(renewals.commands(), scripts.areKnown(codec.renewingMany(), receivers));
    }

    /** Returns the same call with the script, which the node does not know. */
    CommandArguments togetherWithSource(int node, PendingRenewals renewals) {
        return nodes.codec(node).renewals(renewals.commands(), false);
    }
}
