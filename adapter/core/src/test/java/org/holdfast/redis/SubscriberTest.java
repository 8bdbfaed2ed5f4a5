// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.holdfast.GuardMode;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.redis.address.VoterAddresses;
import org.holdfast.redis.health.NodeLogLimiters;
import org.holdfast.redis.releases.Subscriber;
import org.holdfast.redis.voter.Locators;
import org.holdfast.redis.wire.ConnectionSecurity;
import org.holdfast.redis.wire.NodeConnector;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A subscriber of several nodes receives the releases of all of them. */
@Timeout(60)
class SubscriberTest {

    /** Begins and ends in the middle of a reply, so no buffer ends with a whole one: there is always more. */
    private static final byte[] TALK = "talks\r\n+".repeat(10_000).getBytes();

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch talking = new CountDownLatch(1);

    @Test
    void listen_whileANodeTalksWithoutAnEnd_hearsTheOthers() throws Exception {
        try (RedisServers redis = RedisServers.start(2, Path.of("target", "redis"));
                ServerSocket talker = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Subscriber subscriber = cluster("redis://127.0.0.1:" + talker.getLocalPort() + "," + redis.uris())
                        .subscriber(threads)) {
            threads.execute(() -> greetAndTalk(talker));
            subscriber.onRelease((lock, message) -> {});
            subscriber.subscribe("before");
            talking.await();
            subscriber.subscribe("while");
            await().until(() -> subscriber.isSubscribed("while"));
        } finally {
            threads.shutdownNow();
        }
    }

    private NodeGroup cluster(String nodes) {
        return new NodeGroup(
                new Locators(
                                VoterAddresses.parse(nodes, "nodes", new ArrayList<>()),
                                new NodeConnector(
                                        ConnectionSecurity.DEFAULT,
                                        Duration.ofSeconds(5),
                                        threads,
                                        new OneNode.WaitlessTime()),
                                0.01,
                                new OneNode.WaitlessTime())
                        .connector(),
                "test",
                new GuardPolicy(GuardMode.OFF, OneNode.AGREEMENTS),
                new OneNode.WaitlessTime(),
                Recorder.NONE,
                new NodeLogLimiters(new OneNode.WaitlessTime()),
                WakeUp.NONE);
    }

    /** Sends what a new connection waits for, and then much that was not asked for. */
    private void greetAndTalk(ServerSocket listener) {
        try (Socket client = listener.accept()) {
            OutputStream out = client.getOutputStream();
            client.getInputStream().read(new byte[2_048]);
            out.write("+OK\r\n+".getBytes());
            while (!Thread.interrupted()) {
                out.write(TALK);
                talking.countDown();
            }
        } catch (IOException e) {
            // the client has closed the connection
        }
    }
}
