// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.holdfast.CheckReport;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.Target;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real node, and a process that stands still while it sends: a collection of garbage, or a busy machine. */
@Timeout(60)
class StalledSenderTest {

    private static final Duration STALL = OneNode.NODE_TIMEOUT.multipliedBy(3);
    private static final Command LOOK = new Command.Inspect(List.of(new Target.Exclusive("any")));
    private static final NodeSet ALL = NodeSet.of(0);

    private final OneNode.SteppedTime time = new OneNode.SteppedTime();
    private final AtomicReference<Duration> stall = new AtomicReference<>(Duration.ZERO);

    @Test
    void node_isNotSuspectedBeforeANodeTimeoutIsOver_sinceItWasGivenTheRequest() throws Exception {
        try (RedisServer server = RedisServer.start(Path.of("target", "redis"))) {
            NodeGroup nodes = OneNode.group(server.uri(), false, time);
            NodeChannel channel = nodes.open(nanos -> time.pass(stall.getAndSet(Duration.ZERO)));
            assertThat(OneNode.answerTo(channel.send(LOOK, ALL))).isNotNull();

            server.freeze();
            stall.set(STALL);
            Round late = channel.send(LOOK, ALL);
            assertThat(late.next(time.nanoTime())).isNull();
            assertThat(state(nodes)).isEqualTo(CheckReport.State.VOTES);

            time.pass(OneNode.NODE_TIMEOUT);
            assertThat(late.next(time.nanoTime())).isNotNull();
            assertThat(state(nodes)).isEqualTo(CheckReport.State.UNUSABLE);
            server.thaw();
            nodes.close();
        }
    }

    private static CheckReport.State state(NodeGroup nodes) {
        return nodes.known().get(0).state();
    }
}
