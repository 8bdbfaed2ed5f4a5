// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A slot that is away for a moment, between two looks of a client at the cluster. What such a client sends is recorded
 * on the node before the move, and sent again after it, so the test does not depend on when the client looks.
 */
@Timeout(150)
class ClusterReturnTest {

    private static final Duration MEMORY = ofSeconds(8);
    private static final Duration RECOVERY = ofSeconds(60);
    private static final String NAME = "there-and-back";
    private static final int SLOT = MovingVoters.slot(NAME);

    /** In a reply: the node does not vote yet. */
    private static final String IN_QUARANTINE = "*3\r\n:7\r\n";

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private RedisCluster cluster;
    private RedisServer from;
    private RedisServer to;
    private LockConnection locks;

    @BeforeEach
    void start() throws Exception {
        cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        from = cluster.owner(SLOT);
        to = cluster.servers().stream()
                .filter(server -> server != from)
                .findFirst()
                .orElseThrow();
        locks = voters.connect(cluster.uri(), MEMORY);
        locks.acquire(request()).release();
    }

    private static LockRequest request() {
        return LockRequest.of(NAME).ttl(ofSeconds(7)).waitTimeout(RECOVERY);
    }

    @Test
    void slot_thatLostItsKeysOnItsWayThereAndBack_grantsNothingUntilTheirTtlIsOver() throws Exception {
        locks.acquire(request());
        String attempt = attempt();
        assertThat(from.ask(attempt)).as("held").doesNotStartWith(IN_QUARANTINE);

        moveWithoutKeys(to);
        moveWithoutKeys(from);
        assertThat(from.ask(attempt)).startsWith(IN_QUARANTINE);
        assertThat(from.ask(attempt)).as("asked again").startsWith(IN_QUARANTINE);
        locks.acquire(request()).release();
    }

    @Test
    void slot_thatComesBackWithItsKeys_hasNoQuarantine() throws Exception {
        locks.acquire(request());
        String attempt = attempt();
        String held = from.ask(attempt);

        cluster.move(SLOT, to);
        cluster.move(SLOT, from);
        assertThat(from.ask(attempt).substring(0, IN_QUARANTINE.length()))
                .isEqualTo(held.substring(0, IN_QUARANTINE.length()));
    }

    /** Returns, as its node receives it, a request for the lock that another owner holds. */
    private String attempt() throws Exception {
        try (Socket monitor = new Socket("127.0.0.1", from.port());
                BufferedReader seen = new BufferedReader(
                        new InputStreamReader(monitor.getInputStream(), StandardCharsets.US_ASCII))) {
            monitor.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(seen.readLine()).isEqualTo("+OK");
            LockConnection others = voters.connect(cluster.uri(), MEMORY);
            assertThat(others.tryAcquire(request().waitTimeout(ofSeconds(5)))).isEmpty();
            return call(seen);
        }
    }

    private static String call(BufferedReader seen) throws IOException {
        String line = seen.readLine();
        while (!line.contains("\"EVALSHA\"") || !line.contains("\"holdfast:{" + NAME + "}:lock\"")) {
            line = seen.readLine();
        }
        return line.substring(line.indexOf("] ") + 2);
    }

    private void moveWithoutKeys(RedisServer next) {
        cluster.beginMove(SLOT, cluster.owner(SLOT), next);
        cluster.endMove(SLOT, next);
    }
}
