// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import java.time.Duration;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;

/** Claims on three scripted nodes, in virtual time. */
abstract class RedlockOnThreeNodes {

    static final Reply HELD = new Reply.Held(800);
    static final Reply NO_ANSWER = new Reply.NoAnswer("silence");
    static final long ABSURD = 1L << 53;
    static final Reply NOT_SENT = new Reply.NotSent("refused");
    static final long TTL_MILLIS = 1_000;

    final VirtualTime time = new VirtualTime();
    final ScriptedNodes nodes = new ScriptedNodes(time, 3);
    final ScriptedNodes service = new ScriptedNodes(time, 3);

    final Timing timing = new Timing(
            Duration.ofMillis(50),
            Duration.ofSeconds(60),
            Duration.ofMinutes(10),
            0.01,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1));

    final UnfinishedReleases unfinished = new UnfinishedReleases(time, 3, WakeUp.NONE);
    final Redlock redlock = new Redlock(time, timing, unfinished);

    static Claim claim(long token) {
        Owner owner = new Owner(String.format("%040x", token));
        return new Claim(new Target.Exclusive("a"), owner, token, TTL_MILLIS, TTL_MILLIS);
    }

    /** Attempts once, with all the time it needs. */
    QuorumResult attempt() {
        return redlock.acquire(
                nodes,
                AnyToken.acquire(claim(7)),
                time.nanoTime(),
                time.nanoTime() + Long.MAX_VALUE / 2,
                false,
                () -> {});
    }
}
