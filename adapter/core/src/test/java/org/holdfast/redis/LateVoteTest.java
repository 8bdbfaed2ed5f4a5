// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import org.holdfast.GuardMode;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.term.Terms;
import org.holdfast.redis.address.VoterAddresses;
import org.holdfast.redis.health.NodeLogLimiters;
import org.holdfast.redis.voter.Locators;
import org.holdfast.redis.wire.ConnectorBridge;
import org.holdfast.testkit.SentinelGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real primary behind real Sentinels grants a lock, and its answer is read when its votes count no more. */
@Timeout(60)
class LateVoteTest {

    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(1);
    private static final NodeSet ALL = NodeSet.first(1);

    private final OneNode.SteppedTime time = new OneNode.SteppedTime();
    private SentinelGroup group;
    private Locators locators;
    private NodeGroup nodes;
    private NodeChannel channel;

    @BeforeEach
    void start() {
        group = SentinelGroup.start(Path.of("target", "redis"), 0);
        locators = new Locators(
                VoterAddresses.parse(group.uri(), "nodes", new ArrayList<>()),
                ConnectorBridge.connector(
                        InetAddress::getAllByName,
                        NODE_TIMEOUT,
                        Runnable::run,
                        task -> new Thread(task, "works for a channel").start(),
                        time),
                0.01,
                time);
        nodes = new NodeGroup(
                locators.connector(),
                "test",
                new GuardPolicy(GuardMode.OFF, OneNode.AGREEMENTS), // it would be in quarantine at first
                time,
                Recorder.NONE,
                new NodeLogLimiters(time),
                WakeUp.NONE);
        channel = nodes.open();
        channel.prepare();
    }

    @AfterEach
    void stop() {
        channel.close();
        nodes.close();
        locators.close();
        group.close();
    }

    private Round ask(String lock) {
        Owner owner = new Owner("0123456789".repeat(4));
        Command acquire = AnyToken.acquire(new Claim(new Target.Exclusive(lock), owner, 7, 10_000, 70_000));
        return channel.send(acquire, ALL);
    }

    private Reply next(Round round) {
        return round.next(time.nanoTime() + Duration.ofSeconds(5).toNanos()).reply();
    }

    @Test
    void vote_thatIsReadWhenTheWindowIsOver_countsForNothing() throws Exception {
        assertThat(next(ask("in-time"))).isEqualTo(new Reply.Granted());
        Duration window = Terms.COUNTS.minus(NODE_TIMEOUT);
        time.pass(window.minusMillis(500));
        Round round = ask("late");
        time.pass(Duration.ofMillis(600)); // less than a node timeout: the answer itself is not late

        assertThat(next(round)).isInstanceOfSatisfying(Reply.NoAnswer.class, reply -> assertThat(reply.reason())
                .contains("its Sentinels have not confirmed"));
        assertThat(group.servers().get(0).command("EXISTS test:{late}:lock"))
                .as("the vote was given, and is to be undone")
                .startsWith(":1");
        for (int second = 0; second < 6; second++) { // it is another term, and no mark says that a client has waited
            locators.confirm();
            time.pass(Duration.ofSeconds(1));
        }
        channel.prepare();
        assertThat(next(ask("confirmed"))).isEqualTo(new Reply.Granted());
    }
}
