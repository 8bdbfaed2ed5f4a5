// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import org.holdfast.Lease;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.term.Witnesses;

/** Is told what happens in a world, and changes nothing of it. */
interface Observer {

    Observer NONE = new Observer() {};

    /** Something has happened, before anything else does: an event, or the work of a thread until it waits. */
    default void happened() {}

    /** The running thread has drawn a token, and is about to send an acquisition. */
    default void preparing() {}

    /** A client begins to send a command to nodes. */
    default void sent(Command command) {}

    /** A command is on its way to a process, which a client has found by these places. */
    default void left(Command command, Places places) {}

    /** A process of a node has run a command. */
    default void ran(SimulatedNode process, Command command, Answer answer) {}

    /** A client has read the answer to a command, which counts. */
    default void read(Command command, Answer answer) {}

    /** A client begins to ask the witnesses of its nodes where these are. */
    default void inquired(Places places) {}

    /** A witness has said something to such a client. */
    default void testified(Places places, int witness, Witnesses.Testimony said) {}

    /** The client has read enough answers, which agree. */
    default void agreed(Places places, Witnesses.Agreement named) {}

    /** A client has found that it has a lease, and does what it does under it. */
    default void relied(Lease lease) {}
}
