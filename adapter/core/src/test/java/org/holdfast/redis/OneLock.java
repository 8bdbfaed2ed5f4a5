// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;

/** The lock x on one real node, and what two owners ask of it. */
final class OneLock {

    static final Owner ADA = new Owner("a".repeat(40));
    static final Owner BOB = new Owner("b".repeat(40));
    static final long TTL = 10_000;
    static final long FENCE = 70_000;

    /** What a machine may take between two lines of a test. */
    static final long SLACK = 4_000;

    private final OneNode node;

    OneLock(OneNode node) {
        this.node = node;
    }

    Reply acquire(Owner owner, long token) {
        return node.ask(AnyToken.acquire(new Claim(new Target.Exclusive("x"), owner, token, TTL, FENCE)))
                .reply();
    }

    Reply renew(Owner owner, long token) {
        return node.ask(new Command.Renew(new Claim(new Target.Exclusive("x"), owner, token, TTL, FENCE)))
                .reply();
    }

    Reply release(Owner owner, long token, boolean tombstone) {
        return node.ask(AnyToken.release(new Claim(new Target.Exclusive("x"), owner, token, TTL, FENCE), tombstone))
                .reply();
    }

    Reply read(Owner owner, long token) {
        return node.ask(AnyToken.acquireIfNobodyWaits(new Claim(new Target.Shared("x"), owner, token, TTL, FENCE)))
                .reply();
    }

    void releaseReader(Owner owner, long token, boolean tombstone) {
        assertThat(node.ask(AnyToken.release(new Claim(new Target.Shared("x"), owner, token, TTL, FENCE), tombstone))
                        .reply())
                .isInstanceOf(Reply.Released.class);
    }

    /** Returns the tokens on record: the last one, and the last one of a lease where that is another. */
    String fence() throws Exception {
        return node.command("GET test:{x}:fence").split("\r\n")[1];
    }

    /** Returns what the node answers to a command with a time to live. */
    long millis(String command) throws Exception {
        return Long.parseLong(node.command(command).substring(1).trim());
    }
}
