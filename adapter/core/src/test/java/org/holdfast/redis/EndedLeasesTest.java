// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.redis.OneLock.ADA;
import static org.holdfast.redis.OneLock.BOB;
import static org.holdfast.redis.OneLock.FENCE;
import static org.holdfast.redis.OneLock.TTL;

import java.util.List;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Locks on one real node whose leases have ended, and a client that has just come. */
@Timeout(60)
class EndedLeasesTest {

    @RegisterExtension
    private static final OneNode NODE = new OneNode();

    @Test
    void lock_whoseLeaseHasEnded_keepsAClientOutThatHasJustCome_andMayBeRenewed() throws Exception {
        try (NodeChannel guarded = openTrusted()) {
            awaitEnd(guarded, new Target.Exclusive("x"));
            assertThat(tell(guarded, new Command.Inspect(List.of(new Target.Exclusive("x")))))
                    .isEqualTo(new Reply.Seen(7, List.of()));
            assertThat(tell(guarded, new Command.Renew(new Claim(new Target.Exclusive("x"), ADA, 7, 100, FENCE))))
                    .as("no holder has taken it over that")
                    .isEqualTo(new Reply.Granted());
            Thread.sleep(150);
            assertThat(tell(guarded, AnyToken.acquire(new Claim(new Target.Exclusive("x"), BOB, 8, TTL, FENCE))))
                    .as("it cannot know whether the node's clock is right")
                    .isInstanceOf(Reply.Held.class);
        }
    }

    @Test
    void readers_whoseLeasesHaveEnded_keepAWriterOutThatHasJustCome() throws Exception {
        try (NodeChannel guarded = openTrusted()) {
            awaitEnd(guarded, new Target.Shared("x"));
            assertThat(NODE.command("EXISTS test:{x}:readers")).isEqualTo(":1\r\n");
            assertThat(tell(guarded, new Command.Inspect(List.of(new Target.Exclusive("x")))))
                    .isEqualTo(new Reply.Seen(7, List.of()));
            assertThat(tell(guarded, AnyToken.acquire(new Claim(new Target.Exclusive("x"), BOB, 8, TTL, FENCE))))
                    .isInstanceOf(Reply.Held.class);
        }
    }

    @Test
    void permit_whoseLeaseHasEnded_isFree() throws Exception {
        try (NodeChannel guarded = openTrusted()) {
            awaitEnd(guarded, new Target.Permit("x", 0));
            assertThat(tell(guarded, new Command.FindPermit("x", 1, 0))).isEqualTo(new Reply.Free(0));
        }
    }

    /** A channel that finds no quarantine when it looks: one that has found it would believe nothing before its end. */
    private static NodeChannel openTrusted() throws Exception {
        try (NodeChannel first = NODE.open(true)) {
            first.prepare();
        }
        OneNode.endQuarantine(NODE.redis());
        NodeChannel guarded = NODE.open(true);
        guarded.prepare();
        return guarded;
    }

    private static Reply tell(NodeChannel channel, Command command) {
        return OneNode.answerTo(channel.send(command, NodeSet.of(0))).reply();
    }

    /** Has ADA take it for 100 ms, and waits until that is over: the node's own clock decides. */
    private static void awaitEnd(NodeChannel channel, Target target) throws Exception {
        Claim claim = new Claim(target, ADA, 7, 100, FENCE);
        Command acquire =
                target instanceof Target.Shared ? AnyToken.acquireIfNobodyWaits(claim) : AnyToken.acquire(claim);
        assertThat(tell(channel, acquire)).isEqualTo(new Reply.Granted());
        Thread.sleep(150);
        assertThat(NODE.command("KEYS *:lock")).as("it lingers").startsWith("*1");
    }
}
