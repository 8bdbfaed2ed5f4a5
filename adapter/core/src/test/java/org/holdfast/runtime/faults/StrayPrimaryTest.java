// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.Link;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.SentinelGroup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The address that Sentinels name leads to another process for a client, such as by a name that another name server
 * knows, or a proxy. The Sentinels themselves reach the primary.
 */
@Tag("thorough")
@Timeout(240)
class StrayPrimaryTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(3);

    private static final Duration PATIENCE = ofSeconds(60);

    /** A process that is used as if for the first time grants locks by then. */
    private static final Duration USED = MEMORY.multipliedBy(3);

    private static final LockRequest REQUEST = LockRequest.of("stray").ttl(ofSeconds(2));

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private void use(LockConnection locks) throws Exception {
        locks.acquire(REQUEST.waitTimeout(PATIENCE)).release();
    }

    /** Sentinels are clients too, and have names of their own. */
    private static void endConnectionsOfLocks(RedisServer server) throws Exception {
        List<String> ids = server.ask("CLIENT LIST")
                .lines()
                .filter(line -> line.startsWith("id=") && !line.contains("name=sentinel-"))
                .map(line -> line.substring("id=".length(), line.indexOf(' ')))
                .toList();
        for (String id : ids) {
            server.command("CLIENT KILL ID " + id);
        }
    }

    @Test
    void process_thatIsNotThePrimaryThatSentinelsKnow_isNeitherUsedNorWrittenTo() throws Exception {
        AtomicReference<Link> way = new AtomicReference<>();
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 0, port -> {
            way.set(voters.opened(new Link(port)));
            return way.get().port();
        }));
        RedisServer primary = group.servers().get(0);
        RedisServer other = voters.opened(RedisServer.start(MovingVoters.FILES));
        LockConnection locks = voters.connect(group.uri(), MEMORY);
        use(locks);

        way.get().leadTo(other.port());
        endConnectionsOfLocks(primary);
        assertNoneIsUsed(locks);
        assertThat(other.ask("DBSIZE")).startsWith(":0");

        way.get().leadTo(primary.port());
        use(locks);
    }

    /** The former one is cut off, does not know that it was replaced, and goes on: for other clients, too. */
    @Test
    void process_thatWasThePrimaryBefore_isNotUsedInThePlaceOfThePresentOne() throws Exception {
        List<Link> ways = new ArrayList<>();
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 1, port -> voters.way(ways, port)));
        RedisServer former = group.servers().get(0);
        LockConnection locks = voters.connect(group.uri(), MEMORY);
        use(locks);

        ways.get(1).leadOthersThan("sentinel-", former.port());
        ways.get(0).cut();
        RedisServer present = group.awaitOtherThan(ways.get(0).port());
        assertThat(former.ask("ROLE")).contains("master");
        assertThat(present.ask("ROLE")).contains("master");
        String mark = former.ask("GET holdfast:birth");
        assertNoneIsUsed(locks);
        assertThat(former.ask("GET holdfast:birth")).isEqualTo(mark);

        ways.get(1).leadTo(present.port());
        ways.get(1).leadOthersThan("", present.port());
        endConnectionsOfLocks(former);
        use(locks);
    }

    /**
     * For as long as it takes until a process is used that was not known. One that was looked for just before its way
     * changed has not answered at first: the reason follows with the next look.
     */
    private static void assertNoneIsUsed(LockConnection locks) {
        List<String> reasons = new ArrayList<>();
        long until = System.nanoTime() + USED.toNanos();
        while (System.nanoTime() < until) {
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> locks.tryAcquire(REQUEST.waitTimeout(ofSeconds(1))))
                    .satisfies(e -> reasons.add(e.getMessage()));
        }
        assertThat(reasons).anySatisfy(reason -> assertThat(reason)
                .containsPattern("a process answers that its Sentinels do not know|Sentinels name|"
                        + "have not confirmed|do not say"));
    }

    /** Its Sentinels hear of the next process within ten seconds. */
    @Test
    void primary_thatIsStartedAgainWhereItWas_isUsed() throws Exception {
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 0));
        RedisServer primary = group.servers().get(0);
        LockConnection locks = voters.connect(group.uri(), MEMORY);
        use(locks);
        primary.kill();
        primary.start();
        await().pollDelay(ofSeconds(1)).until(() -> true);
        use(locks);
    }
}
