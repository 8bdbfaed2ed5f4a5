// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import org.holdfast.Lease;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;

/** Is told what happens in a world, and changes nothing of it. */
interface Observer {

    Observer NONE = new Observer() {};

    /** Something has happened, before anything else does: an event, or the work of a thread until it waits. */
    default void happened() {}

    /** The running thread has drawn a token, and is about to send an acquisition. */
    default void preparing() {}

    /** A client begins to send a command to nodes. */
    default void sent(Command command) {}

    /** A node has run a command. */
    default void ran(Command command, Answer answer) {}

    /** A client has found that it has a lease, and does what it does under it. */
    default void relied(Lease lease) {}
}
