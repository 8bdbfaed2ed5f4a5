// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.script.CallBytes;
import org.holdfast.redis.script.KnownScripts;
import org.holdfast.redis.script.ScriptCodec;

/**
 * Writes the calls of scripts by which nodes carry out commands. Each method returns the same call, which is to be sent
 * before the next is asked for. The channel's lock guards everything here.
 */
final class Calls {

    private final AskedNodes nodes;
    private final KnownScripts scripts;
    private final CallBytes call = new CallBytes();

    Calls(AskedNodes nodes, KnownScripts scripts) {
        this.nodes = nodes;
        this.scripts = scripts;
    }

    /**
     * Returns the call of a command.
     *
     * @param receivers all nodes that receive it
     */
    CallBytes usual(int node, Command command, NodeSet receivers) {
        ScriptCodec codec = nodes.codec(node);
        boolean known = scripts.areKnown(codec.script(command), receivers);
        return mayShorten(command) ? shortening(node, command, known) : codec.usual(command, known, call);
    }

    /** Returns the call of a command with the script, which the node does not know. */
    CallBytes withSource(int node, Command command) {
        return mayShorten(command)
                ? shortening(node, command, false)
                : nodes.codec(node).bySource(command, call);
    }

    /** Returns the call of a command by a caller that vouches for the clock of the node, see {@link ScriptCodec}. */
    CallBytes vouching(int node, Command command, long vouchedMillis) {
        ScriptCodec codec = nodes.codec(node);
        return codec.vouching(command, vouchedMillis, scripts.areKnown(codec.script(command), NodeSet.of(node)), call);
    }

    private static boolean mayShorten(Command command) {
        return command instanceof Command.Renew renewal && renewal.last();
    }

    /**
     * Returns the call of a command by which a lock may end earlier. By a clock that is behind it would end too early:
     * so each node receives what its clock shows at the least.
     *
     * @param known whether the node knows the script, as far as is known here
     */
    private CallBytes shortening(int node, Command command, boolean known) {
        return nodes.codec(node).shortening((Command.Renew) command, nodes.earliestMillis(node), known, call);
    }

    /** Returns whether renewals for these nodes may be sent together: on a shard the keys of a call are in one slot. */
    boolean mayRenewTogether(NodeSet receivers) {
        boolean may = true;
        for (int node = 0; node < nodes.size(); node++) {
            may &= !receivers.contains(node) || !nodes.codec(node).isOfShard();
        }
        return may;
    }

    /** Returns the call that carries out renewals on a node, which is no shard; some nodes receive it. */
    CallBytes together(int node, PendingRenewals renewals, NodeSet receivers) {
        ScriptCodec codec = nodes.codec(node);
        return codec.renewals(renewals.commands(), scripts.areKnown(codec.renewingMany(), receivers), call);
    }

    /** Returns the same call with the script, which the node does not know. */
    CallBytes togetherWithSource(int node, PendingRenewals renewals) {
        return nodes.codec(node).renewals(renewals.commands(), false, call);
    }
}
