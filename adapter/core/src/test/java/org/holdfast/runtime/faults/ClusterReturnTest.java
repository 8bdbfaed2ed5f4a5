// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.redis.cluster.Slot;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A slot that is away for a moment, between two looks of a client at the cluster. What such a client sends is recorded
 * on the node before the move, and sent again after it, so the test does not depend on when the client looks.
 */
@Tag("thorough")
@Timeout(150)
class ClusterReturnTest {

    private static final Duration MEMORY = ofSeconds(8);
    private static final Duration RECOVERY = ofSeconds(60);
    private static final String NAME = "there-and-back";
    private static final int SLOT = MovingVoters.slot(NAME);

    private static final String KEPT = "holdfast:{" + Slot.tag(SLOT) + "}:kept";

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

    @Test
    void listOfUsedSlots_thatIsLostWithItsSlot_isWrittenAnew() throws Exception {
        int home = Slot.of(keyOf("used"));
        moveWithoutKeys(home, to);
        moveWithoutKeys(home, from);
        locks.acquire(request());
        String attempt = attempt();
        assertThat(from.ask(attempt)).as("held").doesNotStartWith(IN_QUARANTINE);

        moveWithoutKeys(to);
        moveWithoutKeys(from);
        assertThat(from.ask(attempt)).startsWith(IN_QUARANTINE);
    }

    @Test
    void listOfUsedSlots_thatIsDeleted_isWrittenAnew() throws Exception {
        assertThat(from.ask("DEL " + keyOf("used"))).isEqualTo(":1\r\n");
        locks.acquire(request());
        String attempt = attempt();

        moveWithoutKeys(to);
        moveWithoutKeys(from);
        assertThat(from.ask(attempt)).startsWith(IN_QUARANTINE);
    }

    /** The home of the node is moved, and the move is given up when only the list has gone. The mark is still there. */
    @Test
    void slot_thatLosesItsKeysAfterTheListWasLost_grantsNothingUntilTheirTtlIsOver() throws Exception {
        Lease held = locks.acquire(request().fixedTtl(ofSeconds(7)));
        String attempt = attempt();
        held.release();
        locks.acquire(request().fixedTtl(ofSeconds(7))); // not renewed, so no script of its own lists the slot again
        String list = keyOf("used");
        int home = Slot.of(list);
        cluster.beginMove(home, from, to);
        cluster.moveKeys(home, from, to, list::equals);
        cluster.abandonMove(home, from, to);

        moveWithoutKeys(to);
        moveWithoutKeys(from);
        assertThat(from.ask(attempt)).startsWith(IN_QUARANTINE);
        assertThat(from.ask(attempt)).as("asked again").startsWith(IN_QUARANTINE);
        locks.acquire(request()).release();
    }

    /** The lock goes on there, and its slot must be known to have been used when its other keys go, too. */
    @Test
    void slot_whoseKeyHasMovedBeforeALockThere_isListedByItsRenewal() throws Exception {
        locks.acquire(request());
        String renewal = renewal();
        String list = keyOf("used");
        cluster.beginMove(SLOT, from, to);
        cluster.moveKeys(SLOT, from, to, KEPT::equals);
        from.ask("ZREM " + list + " " + SLOT);

        assertThat(from.ask(renewal)).as("held").startsWith("*3\r\n:1\r\n");
        assertThat(from.ask("ZSCORE " + list + " " + SLOT)).as("listed").contains("\r\n0\r\n");
    }

    /** No slot waits but those that came to the node: a new cluster would be half as fast to be ready. */
    @Test
    void slot_thatIsUsedFirst_doesNotWait() throws Exception {
        for (int i = 0; i < 20; i++) {
            locks.acquire(LockRequest.of("first-" + i).ttl(ofSeconds(7)).waitTimeout(Duration.ofMillis(500)))
                    .release();
        }
    }

    /** A slot has lost its keys on a node whose clock is ahead, and comes to this one. */
    @Test
    void loss_anHourAheadOfTheClock_isNotWaitedForSoLong() throws Exception {
        assertThat(from.ask("SET " + KEPT + " \"" + millisFromNow(ofHours(1)) + " another\""))
                .startsWith("+OK");
        locks.acquire(request()).release();
    }

    /** A slot has lost its keys on a node whose clock is behind, and which this one replaces as a durable one. */
    @Test
    void loss_thatIsOverByTheClockOfThisNodeOnly_isNotOver() throws Exception {
        locks.acquire(request());
        String attempt = attempt();
        from.ask("DEL holdfast:{" + NAME + "}:lock holdfast:{" + NAME + "}:fence");
        String loss = millisFromNow(MEMORY.multipliedBy(-2)) + " another";
        assertThat(from.ask("SET " + KEPT + " \"" + loss + "\"")).startsWith("+OK");
        assertThat(from.ask(attempt)).startsWith(IN_QUARANTINE);
    }

    /** Else it would be free where it is back without its keys. */
    @Test
    void slot_thatAFullNodeAddsToItsList_isNotHealed() throws Exception {
        locks.acquire(request());
        String renewal = renewal();
        assertThat(from.ask("CONFIG SET maxmemory 1")).startsWith("+OK");
        String list = keyOf("used");
        from.ask("ZREM " + list + " " + SLOT);
        from.ask("DEL " + KEPT);
        from.ask("DEL holdfast:{" + NAME + "}:lock");
        assertThat(from.ask(renewal)).as("not healed").startsWith(IN_QUARANTINE);
        assertThat(from.ask("ZSCORE " + list + " " + SLOT)).as("listed").contains("\r\n0\r\n");

        assertThat(from.ask("CONFIG SET maxmemory 0")).startsWith("+OK");
        assertThat(from.ask(renewal)).startsWith("*3\r\n:1\r\n");
    }

    private static long millisFromNow(Duration later) {
        return System.currentTimeMillis() + later.toMillis();
    }

    private String keyOf(String kept) {
        return from.ask("KEYS holdfast:{*}:" + kept).lines().skip(2).findFirst().orElseThrow();
    }

    /** Returns, as its node receives it, a request for the lock that another owner holds. */
    private String attempt() throws Exception {
        return next(() -> {
            LockConnection others = voters.connect(cluster.uri(), MEMORY);
            await().atMost(RECOVERY)
                    .ignoreExceptionsInstanceOf(QuorumUnavailableException.class) // it has not looked at everything yet
                    .until(() -> others.tryAcquire(request().waitTimeout(ofSeconds(5)))
                            .isEmpty());
        });
    }

    /** Returns the next renewal of the lock that only its holder asks for. */
    private String renewal() throws Exception {
        return next(() -> {});
    }

    private interface Asking {

        void ask() throws Exception;
    }

    /** Returns, as its node receives it, the next request for the lock. */
    private String next(Asking asking) throws Exception {
        try (Socket monitor = new Socket("127.0.0.1", from.port());
                BufferedReader seen = new BufferedReader(
                        new InputStreamReader(monitor.getInputStream(), StandardCharsets.US_ASCII))) {
            monitor.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(seen.readLine()).isEqualTo("+OK");
            asking.ask();
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
        moveWithoutKeys(SLOT, next);
    }

    private void moveWithoutKeys(int slot, RedisServer next) {
        cluster.beginMove(slot, cluster.owner(slot), next);
        cluster.endMove(slot, next);
    }
}
