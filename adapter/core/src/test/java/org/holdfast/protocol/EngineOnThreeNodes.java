// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.List;
import java.util.function.Function;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.protocol.waiting.AcquireResult;

/** The engine of one process over three scripted nodes, in virtual time. */
abstract class EngineOnThreeNodes {

    final ProtocolFixture fixture = new ProtocolFixture(3);
    final ScriptedNodes nodes = fixture.nodes;
    final ScriptedNodes service = fixture.service;
    final VirtualTime time = fixture.time;
    final long begun = time.nanoTime();

    AcquireResult acquire(long waitMillis) throws InterruptedException {
        return fixture.acquire(nodes, fixture.request(waitMillis), List.of(Holder.thread()));
    }

    HeldLock heldLock() throws InterruptedException {
        return ((AcquireResult.Held) acquire(0)).heldLock();
    }

    void everyNode(Reply reply) {
        for (int node = 0; node < 3; node++) {
            node(node, command -> reply);
        }
    }

    /** A waiter asks through the connections of the service: the node answers there as it does here. */
    void node(int node, Function<Command, Reply> replies) {
        nodes.node(node, replies);
        service.node(node, replies);
    }

    int attempts() {
        return (nodes.sent(Command.Acquire.class).size()
                        + service.sent(Command.Acquire.class).size())
                / 3;
    }

    NodesConnection connection() {
        return new NodesConnection(fixture.session(Transactions.NONE), nodes);
    }
}
