// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.holdfast.GuardMode;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.address.VoterAddresses;
import org.holdfast.redis.health.NodeLogLimiters;
import org.holdfast.redis.voter.Locators;
import org.holdfast.redis.wire.ConnectionSecurity;
import org.holdfast.redis.wire.NodeConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that takes no more requests, and continues to send. */
@Timeout(60)
class UnreadableNodeTest {

    private static final int MEGABYTE = 1 << 20;
    private static final int MOST_SENT = 256 * MEGABYTE;

    @Test
    void node_thatTakesNothingAndTalksForEver_isNotListenedTo() throws Exception {
        try (ServerSocket listener = new ServerSocket()) {
            listener.setReceiveBufferSize(2_048); // soon full
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            CompletableFuture<Integer> sent = CompletableFuture.supplyAsync(() -> greetAndTalk(listener));
            try (NodeChannel channel = channelTo(listener.getLocalPort())) {
                channel.prepare();
                Command request = new Command.Inspect(List.of(new Target.Exclusive("x".repeat(1_000))));
                channel.sendAll(Collections.nCopies(10_000, request), NodeSet.of(0));
            }
            assertThat(sent.get(40, TimeUnit.SECONDS)).isLessThan(64 * MEGABYTE);
        }
    }

    private static NodeChannel channelTo(int port) {
        return new NodeGroup(
                        new Locators(
                                        VoterAddresses.parse("redis://127.0.0.1:" + port, "nodes", new ArrayList<>()),
                                        new NodeConnector(
                                                ConnectionSecurity.DEFAULT,
                                                Duration.ofMillis(500),
                                                Runnable::run,
                                                new OneNode.WaitlessTime()),
                                        0.01,
                                        new OneNode.WaitlessTime())
                                .connector(),
                        "test",
                        new GuardPolicy(GuardMode.OFF, OneNode.AGREEMENTS),
                        new OneNode.WaitlessTime(),
                        Recorder.NONE,
                        new NodeLogLimiters(new OneNode.WaitlessTime()),
                        WakeUp.NONE)
                .open();
    }

    /** Sends what a new connection waits for, and then one error without an end. Returns how much of it was taken. */
    private static int greetAndTalk(ServerSocket listener) {
        int sent = 0;
        try (Socket client = listener.accept()) {
            OutputStream out = client.getOutputStream();
            for (String reply : List.of("+OK\r\n", "+PONG\r\n")) {
                client.getInputStream().read(new byte[2_048]);
                out.write(reply.getBytes());
            }
            out.write('-');
            byte[] talk = new byte[MEGABYTE];
            Arrays.fill(talk, (byte) 'x');
            while (sent < MOST_SENT) {
                out.write(talk);
                sent += talk.length;
            }
        } catch (IOException e) {
            // the client has closed the connection
        }
        return sent;
    }
}
