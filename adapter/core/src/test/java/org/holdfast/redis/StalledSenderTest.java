// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.holdfast.CheckReport;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.Target;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A real node, and a process that stands still while it sends: a collection of garbage, or a busy machine. */
@Timeout(60)
class StalledSenderTest {

    private static final Duration STALL = OneNode.NODE_TIMEOUT.multipliedBy(3);
    private static final Command LOOK = new Command.Inspect(List.of(new Target.Exclusive("any")));

    /** Of more bytes than a UNIX domain socket takes. */
    private static final Command LARGE = new Command.Inspect(IntStream.range(0, 1_000)
            .<Target>mapToObj(number -> new Target.Exclusive(number + "-" + "x".repeat(1_000)))
            .toList());

    private static final NodeSet ALL = NodeSet.of(0);

    @TempDir
    private Path directory;

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

    /** The node reads nothing for a moment, so this process has a part of the request when it stands still. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Redis has no UNIX domain sockets there")
    void node_isNotSuspectedForWhatThisProcessHadNotSent_whileItStoodStill() throws Exception {
        withFrozenNode((server, nodes, channel) -> {
            Round large = channel.send(LARGE, ALL);
            time.pass(STALL.plus(STALL));
            server.thaw();
            awaitAllRead(server);
            assertThat(large.next(time.nanoTime())).isNull();
            assertThat(state(nodes)).isEqualTo(CheckReport.State.VOTES);
            assertThat(OneNode.answerTo(large)).isNotNull();
        });
    }

    /** No caller waits for it, and it is sent no more than it takes; what it was sent it answers when it goes on. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Redis has no UNIX domain sockets there")
    void node_thatHasNotTakenFourMegabytes_isSentNothingMoreUntilItTakesSome() throws Exception {
        withFrozenNode((server, nodes, channel) -> {
            List<Round> large = channel.sendAll(Collections.nCopies(6, LARGE), ALL);
            Answer refused = large.get(5).next(time.nanoTime());
            assertThat(refused.reply()).isInstanceOf(Reply.NotSent.class);
            assertThat(channel.send(LOOK, ALL).next(time.nanoTime()).reply()).isInstanceOf(Reply.NotSent.class);

            server.thaw();
            for (Round sent : large.subList(0, 2)) {
                assertThat(OneNode.answerTo(sent).reply()).isInstanceOf(Reply.Seen.class);
            }
            assertThat(OneNode.answerTo(channel.send(LOOK, ALL)).reply()).isInstanceOf(Reply.Seen.class);
        });
    }

    private interface Story {
        void tell(RedisServer frozen, NodeGroup nodes, NodeChannel channel) throws Exception;
    }

    /** Connects to a node by its file, whose buffer is small, and freezes it. */
    private void withFrozenNode(Story story) throws Exception {
        Path socket = directory.resolve("node.sock");
        try (RedisServer server = RedisServer.start(Path.of("target", "redis"), "--unixsocket", socket.toString())) {
            NodeGroup nodes = OneNode.group("redis+unix://" + socket, false, time);
            NodeChannel channel = nodes.open(nanos -> {});
            assertThat(OneNode.answerTo(channel.send(LOOK, ALL))).isNotNull();
            server.freeze();
            story.tell(server, nodes, channel);
            nodes.close();
        }
    }

    /**
     * Waits until the node has read what its sockets hold. It reads 16 kB of each socket, then answers, then reads on:
     * if it reads hardly more than the question between two answers, it has read the rest before.
     */
    private static void awaitAllRead(RedisServer server) {
        long before;
        long read = bytesRead(server);
        do {
            before = read;
            read = bytesRead(server);
        } while (read - before > 1_000);
    }

    private static long bytesRead(RedisServer server) {
        Matcher bytes = Pattern.compile("total_net_input_bytes:(\\d+)").matcher(server.ask("INFO stats"));
        assertThat(bytes.find()).as("the node's answer").isTrue();
        return Long.parseLong(bytes.group(1));
    }

    private static CheckReport.State state(NodeGroup nodes) {
        return nodes.known().get(0).state();
    }
}
