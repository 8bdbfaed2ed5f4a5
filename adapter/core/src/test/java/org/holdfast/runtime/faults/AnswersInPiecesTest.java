// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.runtime.Processes;
import org.holdfast.testkit.Certificates;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.holdfast.testkit.TlsFront;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Answers of nodes come in pieces, as long ones do, and all of them over a bad line. */
@Timeout(90)
class AnswersInPiecesTest {

    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(10);

    @TempDir
    private Path directory;

    private static Map<String, String> settings(String nodes, String... more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "nodes",
                nodes,
                "guard",
                "OFF",
                "ttlMillis",
                "60000",
                "nodeTimeoutMillis",
                "" + NODE_TIMEOUT.toMillis()));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return settings;
    }

    private static void takeTen(LockConnectionFactory locks, String name) throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            for (int i = 0; i < 10; i++) {
                connection.acquire(LockRequest.of(name + i));
            }
        }
    }

    /** The thread that reads for others must not wait for the rest: it has the channel, and others answer. */
    @Test
    void node_thatAnswersInPart_keepsNoCallerFromTheAnswersOfOthers() throws Exception {
        try (RedisServers redis = RedisServers.start(3, Path.of("target", "redis"));
                TricklingFront front = new TricklingFront(redis.get(0).port());
                LockConnectionFactory locks = Holdfast.connect(settings(String.join(
                        ",", front.uri(), redis.get(1).uri(), redis.get(2).uri())));
                LockConnection connection = locks.getConnection()) {
            Lease kept = connection.acquire("kept");
            takeTen(locks, "before");
            front.holdTheRest();
            long begun = System.nanoTime();
            FutureTask<Void> others = Processes.start(() -> {
                for (int i = 0; i < 10; i++) {
                    try (LockConnection own = locks.getConnection()) {
                        own.tryAcquire(LockRequest.of("other" + i)).orElseThrow();
                    }
                    kept.requireHeld();
                }
                return null;
            });
            others.get(NODE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(NODE_TIMEOUT.dividedBy(2));
        }
    }

    /** A record of TLS that has come in part is not lost either. */
    @Test
    void answersOverTls_thatComeByteByByte_areRead() throws Exception {
        Certificates authority = Certificates.in(directory.resolve("authority"));
        Path ofNode = authority.issue("node", "ip:127.0.0.1");
        try (RedisServer redis = RedisServer.start(Path.of("target", "redis"));
                TlsFront tls = TlsFront.start(redis.port(), ofNode, null);
                TricklingFront front = new TricklingFront(tls.port());
                LockConnectionFactory locks = Holdfast.connect(settings(
                        front.uri().replace("redis:", "rediss:"),
                        "trustStore",
                        authority.trustStore().toString(),
                        "trustStorePassword",
                        Certificates.PASSWORD));
                LockConnection connection = locks.getConnection()) {
            connection.acquire("before").release();
            Set<Socket> open = front.open();
            front.trickle();
            Lease first = connection.acquire("first");
            Lease second = connection.acquire("second");
            assertThat(second.token()).isGreaterThan(first.token());
            assertThat(first.renew()).isTrue();
            first.release();
            second.release();
            assertThat(front.open()).as("connections").containsAll(open); // with that of a look at the node
        }
    }
}
