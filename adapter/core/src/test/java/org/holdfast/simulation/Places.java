// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.Optional;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.node.Command;
import org.holdfast.redis.cluster.HomeSearch;
import org.holdfast.redis.script.ScriptCodec;

/** Where the nodes are that vote on the same names, as far as one client knows. */
interface Places {

    /** Where a node is. */
    record Place(SimulatedNode process, int term) {}

    /** Returns where a node is, if that is known. */
    Optional<Place> of(int node);

    /** Returns whether votes of a term count at this moment. */
    boolean counts(int node, int term);

    /** Returns whether a vote of a node that comes now counts for the name of a command that was sent at a moment. */
    default boolean countsFor(int node, Command command, long sentAt) {
        return true;
    }

    /** Returns what the guard has to know of the present term. */
    Optional<NodeFacts.Appointment> appointment(int node);

    /** Returns whether a process that was found at the place of a node is the one that its witnesses know there. */
    default boolean isVoter(int node, SimulatedNode process) {
        return true;
    }

    /** Returns what encodes commands for a node that is a shard of a cluster. */
    default Optional<ScriptCodec> codec(int node) {
        return Optional.empty();
    }

    /** A process is looked at: returns what finds in which of its slots a shard keeps what it knows of itself. */
    default Optional<HomeSearch> homes(int node, SimulatedNode process) {
        return Optional.empty();
    }

    /**
     * A process was looked at, and is to be used: a shard keeps since when it has its slots.
     *
     * @param forgets whether a quarantine began just now
     */
    default void looked(int node, SimulatedNode process, NodeProbes.Look look) {}

    /** A node does not have what it was asked for. */
    default void misdirected() {}
}
