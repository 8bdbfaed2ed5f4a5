// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.term.Terms;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sentinels that learn of failovers one after the other, late. They are real ones, which may not tell each other
 * anything nor change what the servers are: the test tells each of them what it learns, as another Sentinel would.
 */
@Tag("thorough")
@Timeout(150)
class SentinelEpochsTest {

    private static final Duration MEMORY = ofSeconds(3);

    /** So long the first lock takes on a primary that has just been named. */
    private static final Duration BEGUN =
            Terms.COUNTS.plus(MEMORY.multipliedBy(2)).plusSeconds(16);

    private static final Path FILES = Path.of("target", "redis");
    private static final String[] MAY_ONLY_LOOK = {
        "--user", "looker", "on", ">secret", "+ping", "+info", "+role", "+client", "+config|get"
    };

    private final List<AutoCloseable> open = new ArrayList<>();
    private RedisServer first;
    private RedisServer second;
    private List<RedisServer> sentinels;

    @AfterEach
    void stop() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private <T extends AutoCloseable> T opened(T what) {
        open.add(what);
        return what;
    }

    private void startAll() throws Exception {
        first = opened(RedisServer.start(FILES, MAY_ONLY_LOOK));
        second = opened(RedisServer.start(FILES, MAY_ONLY_LOOK));
        sentinels = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            sentinels.add(opened(RedisServer.startSentinel(
                    FILES,
                    "sentinel monitor locks 127.0.0.1 " + first.port() + " 2",
                    "sentinel auth-user locks looker",
                    "sentinel auth-pass locks secret")));
        }
        for (int sentinel = 0; sentinel < 3; sentinel++) {
            introduce(sentinel, (sentinel + 1) % 3, 0, first);
            introduce(sentinel, (sentinel + 2) % 3, 0, first);
        }
    }

    /** A Sentinel hears that there is another one, which it does not reach, and what that says. */
    private void introduce(int sentinel, int other, int epoch, RedisServer primary) throws Exception {
        String id = sentinels.get(other).ask("SENTINEL MYID").lines().toList().get(1);
        String hello = "127.0.0.1," + (1 + other) + "," + id + "," + epoch + ",locks,127.0.0.1," + primary.port() + ","
                + epoch;
        assertThat(sentinels.get(sentinel).command("PUBLISH __sentinel__:hello " + hello))
                .startsWith(":1");
    }

    /** Another Sentinel, which is not reached, says which server is the primary, and since which epoch. */
    private void tell(int sentinel, RedisServer primary, int epoch) throws Exception {
        introduce(sentinel, (sentinel + 1) % 3, epoch, primary);
        assertThat(sentinels.get(sentinel).command("SENTINEL GET-MASTER-ADDR-BY-NAME locks"))
                .contains("\n" + primary.port() + "\r");
    }

    private LockConnection connect() {
        String nodes = sentinels.stream()
                .map(sentinel -> "127.0.0.1:" + sentinel.port())
                .collect(Collectors.joining(",", "redis+sentinel://", "/locks"));
        LockConnectionFactory locks = opened(Holdfast.connect(Map.of(
                "nodes", nodes, "maxLeaseTtlMillis", Long.toString(MEMORY.toMillis()), "nodeTimeoutMillis", "900")));
        return opened(locks.getConnection());
    }

    @Test
    void sentinelThatHasMissedTwoFailovers_confirmsNoneOfThem() throws Exception {
        startAll();
        LockConnection one = connect();
        LockConnection other = connect();
        one.acquire(LockRequest.of("x").waitTimeout(BEGUN)).release();

        tell(1, second, 2);
        tell(2, second, 2);
        pass(ofSeconds(2));
        one.acquire(LockRequest.of("x").waitTimeout(BEGUN)).release();
        other.acquire(LockRequest.of("x").waitTimeout(BEGUN)).release();

        tell(1, first, 3); // back to the first, of which the last Sentinel has not heard, nor the first one of anything
        pass(Terms.COUNTS.plus(MEMORY.multipliedBy(2)).plusSeconds(2));

        tell(0, second, 2); // now a majority names the second, and finds it soon
        await().atMost(BEGUN).until(() -> taken(one, Duration.ZERO).isPresent());
        tell(0, first, 3); // and now the first
        tell(2, first, 3);
        assertThat(taken(other, MEMORY.minusMillis(300))).isEmpty();
    }

    @Test
    void primary_thatForgetsFromWhichReplicationItCame_isInNoQuarantine() throws Exception {
        startAll();
        first.command("REPLICAOF 127.0.0.1 " + second.port());
        await().until(() -> first.command("INFO replication").contains("master_link_status:up"));
        first.command("REPLICAOF NO ONE");
        LockConnection one = connect();
        one.acquire(LockRequest.of("x").waitTimeout(BEGUN)).release();
        assertThat(first.command("INFO replication")).doesNotContain("master_replid2:000");

        first.command("CONFIG SET repl-backlog-ttl 1"); // it has no replica any more
        await().until(() -> first.command("INFO replication").contains("master_replid2:000"));

        for (int i = 0; i < 20; i++) { // until each thread has looked
            one.acquire(LockRequest.of("x").waitTimeout(Duration.ZERO)).release();
            pass(ofMillis(100));
        }
    }

    private static Optional<Lease> taken(LockConnection connection, Duration patience) throws InterruptedException {
        try {
            return connection.tryAcquire(LockRequest.of("x").ttl(MEMORY).waitTimeout(patience));
        } catch (QuorumUnavailableException e) {
            return Optional.empty();
        }
    }

    private static void pass(Duration time) {
        await().atMost(time.plusSeconds(1)).pollDelay(time).until(() -> true);
    }
}
