// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.runtime.management.LockServiceMXBean;
import org.holdfast.runtime.operations.Beans;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three addresses that lead to fewer processes: losing one of them must not be losing two votes, or having two. */
@Timeout(60)
class OneVoteTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(3);

    private RedisServers redis;
    private RedisServer ada;
    private RedisServer bob;
    private RedisServer eve;
    private LockConnectionFactory locks;
    private LockConnection connection;
    private LockServiceMXBean bean;

    @BeforeEach
    void start() {
        redis = RedisServers.start(3, Path.of("target", "redis"));
        ada = redis.get(0);
        bob = redis.get(1);
        eve = redis.get(2);
    }

    @AfterEach
    void stop() {
        if (locks != null) {
            locks.close();
        }
        redis.close();
    }

    private void connect(String... nodes) throws Exception {
        locks = Holdfast.connect(Map.of(
                "nodes", String.join(",", nodes),
                "ttlMillis", "1000",
                "maxLeaseTtlMillis", Long.toString(MEMORY.toMillis())));
        connection = locks.getConnection();
        bean = Beans.newest();
    }

    @Test
    void processAtThreeAddresses_inDevelopment_hasOneVoteToo() throws Exception {
        try (LyingFront first = before(ada);
                LyingFront second = before(ada)) {
            locks = Holdfast.connect(
                    Map.of("nodes", ada.uri() + "," + uri(first) + "," + uri(second), "guard", "DEVELOPMENT"));
            await().untilAsserted(() ->
                    assertThat(locks.check().toString()).contains("1 of 3 nodes vote", sameAs(ada.uri())));
        }
    }

    private static LyingFront before(RedisServer server) throws Exception {
        return new LyingFront(server.port(), "", new byte[0], 0); // never told to lie
    }

    private static String uri(LyingFront front) {
        return "redis://127.0.0.1:" + front.port();
    }

    private void acquire() throws InterruptedException {
        connection
                .acquire(LockRequest.of("a").waitTimeout(MEMORY.plusSeconds(5)))
                .release();
    }

    private void awaitRefused(String reason) { // a node that is slow just then is suspected, for another reason
        await().untilAsserted(() -> assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> connection.acquire(LockRequest.of("a").waitTimeout(ofMillis(300))))
                .withMessageContaining(reason));
    }

    private static String sameAs(String uri) {
        return "it is the same Redis process as " + uri + ", and has one vote";
    }

    private void awaitState(String node, String state) {
        await().atMost(ofSeconds(20))
                .untilAsserted(() -> assertThat(bean.getNodes().get(node)).contains(state));
    }

    @Test
    void process_namedTwice_hasOneVote() throws Exception {
        String again = "redis://localhost:" + ada.port();
        connect(ada.uri(), again, bob.uri());
        acquire();
        awaitState(ada.uri(), "up");
        awaitState(again, sameAs(ada.uri()));
        bob.kill();
        awaitRefused(again + ": " + sameAs(ada.uri()));
    }

    @Test
    void address_thatLeadsToAProcessOfItsOwnByNow_isAsked() throws Exception {
        try (LyingFront front = before(ada)) {
            connect(ada.uri(), uri(front), bob.uri());
            acquire();
            awaitState(uri(front), sameAs(ada.uri()));
            front.standBefore(eve.port());
            awaitState(uri(front), "up");
            bob.kill();
            acquire();
        }
    }

    @Test
    void address_thatComesToLeadToAnothersProcess_takesItsVoteIfItIsNamedFirst() throws Exception {
        try (LyingFront front = before(eve)) {
            connect(uri(front), ada.uri(), bob.uri());
            acquire();
            awaitState(uri(front), "up");
            awaitState(ada.uri(), "up");
            front.standBefore(ada.port());
            awaitState(ada.uri(), sameAs(uri(front)));
            awaitState(uri(front), "up");
            acquire();

            front.close();
            awaitState(ada.uri(), "up");
            acquire();
        }
    }

    @Test
    void process_namedTwice_isTheOperatorsConcernWithoutTheGuard() throws Exception {
        String again = "redis://localhost:" + ada.port();
        locks = Holdfast.connect(Map.of("nodes", ada.uri() + "," + again + "," + bob.uri(), "guard", "OFF"));
        connection = locks.getConnection();
        bob.kill();
        acquire();
    }
}
