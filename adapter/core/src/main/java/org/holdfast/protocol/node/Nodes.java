// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import java.util.List;

/**
 * The independent nodes, as one caller reaches them.
 *
 * <p>Whatever is sent to a node through one {@code Nodes} arrives in the order in which it was sent, until a command is
 * answered with {@link Reply.NoAnswer}: what follows then may overtake it.
 */
public interface Nodes {

    /** Returns how many nodes there are. */
    int count();

    /** Returns a node's address, without secrets. */
    String address(int node);

    /**
     * Connects to the nodes that are not connected yet.
     *
     * <p>Sending connects too. A caller that measures time from before sending calls this first, so that the time to
     * connect does not count.
     */
    void prepare();

    /**
     * Checks that locks of these names can be taken together, all or none.
     *
     * @throws org.holdfast.InvalidLockRequestException if they cannot, by where they are on the nodes
     */
    default void requireTogether(List<String> names) {}

    /**
     * Returns a mark of the processes that a command goes to now: equal for commands that go to the same ones. It asks
     * no node. A node may be many processes, one of which hangs while the others answer.
     */
    default Object route(Command command) {
        return "all";
    }

    /**
     * Returns whether the clocks of a quorum seem to be further from a wall clock than the limit, without asking them.
     *
     * <p>False where they were not measured. True is no proof, since our monotonic clock may have stood still after the
     * measurement: the nodes have to be asked.
     */
    default boolean isClockSkewed(long wallMicros, long limitMicros) {
        return false;
    }

    /**
     * Sends the command to all targets at once and returns without waiting for an answer.
     *
     * <p>Works on an interrupted thread and leaves the interrupt status as it was.
     */
    Round send(Command command, NodeSet targets);

    /** Sends each command as {@link #send} does, all of them in one go; returns their rounds in the same order. */
    default List<Round> sendAll(List<? extends Command> commands, NodeSet targets) {
        return commands.stream().map(command -> send(command, targets)).toList();
    }
}
