// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.latch;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.holdfast.DistributedLatch;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Reply;

/** A latch of two calls on three scripted nodes that remember them, in virtual time. */
abstract class LatchOnThreeNodes {

    static final Reply NO_ANSWER = new Reply.NoAnswer("it hangs");
    static final Reply NOT_SENT = new Reply.NotSent("it is gone");

    final ProtocolFixture fixture = new ProtocolFixture(3);
    final ScriptedNodes nodes = fixture.service;
    final List<Set<String>> memory = List.of(new HashSet<>(), new HashSet<>(), new HashSet<>());
    int waits;
    boolean open = true;
    final LatchCaller caller = new LatchCaller(() -> open, () -> waits++);

    final DistributedLatch latch = fixture.engine.latches().open(new Latch("x", 0, 2), Duration.ofMillis(500), caller);

    LatchOnThreeNodes() {
        for (int node = 0; node < 3; node++) {
            remembers(node);
        }
    }

    void remembers(int node) {
        nodes.node(node, command -> {
            memory.get(node).addAll(((Command.UseLatch) command).ids());
            return new Reply.Counted(memory.get(node));
        });
    }

    int rounds() {
        return nodes.sent(Command.UseLatch.class).size() / 3;
    }
}
