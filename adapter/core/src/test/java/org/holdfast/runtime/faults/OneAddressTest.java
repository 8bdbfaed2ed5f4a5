// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.Link;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RespProxy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A primary and a replica behind one address that follows a failover, while some clients still reach the former
 * primary, which goes on. The replica is promoted at the moment in which it is cut off from its primary.
 */
@Tag("thorough")
@Timeout(240)
class OneAddressTest {

    private static final System.Logger LOG = System.getLogger(OneAddressTest.class.getName());

    /** The longest TTL here, and so the quarantine: longer than a lease, the lag and two seconds, on a busy machine. */
    private static final Duration MEMORY = ofSeconds(12);

    /** Longer than the lag and two seconds. */
    private static final Duration TTL = ofSeconds(4);

    /** The node is used for the first time. */
    private static final Duration FIRST_USE = MEMORY.plusSeconds(30);

    /** For clients to learn of the failover, and for the quarantine, on a busy machine. */
    private static final Duration RECOVERY = MEMORY.plusSeconds(30);

    /** Within which a primary refuses scripts that has no replica; 1.4 to 2.5 s on a quiet machine. */
    private static final Duration REFUSES = ofSeconds(10);

    private static final String WRITE = "EVAL \"return redis.call('SET', KEYS[1], 'written')\" 1 probe";

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private RedisServer primary;
    private RedisServer replica;
    private Link replication;

    private void start(String... options) {
        primary = voters.opened(RedisServer.start(MovingVoters.FILES, options));
        assertThat(primary.ask("CONFIG SET repl-diskless-sync-delay 0")).startsWith("+OK");
        replication = voters.opened(new Link(primary.port()));
        replica = voters.opened(RedisServer.start(
                MovingVoters.FILES, "--replicaof", "127.0.0.1", Integer.toString(replication.port())));
        await().atMost(FIRST_USE)
                .until(() -> replica.ask("INFO replication").contains("master_link_status:up")
                        && primary.ask("INFO replication").contains("state=online"));
    }

    /** Has the primary go on alone, and another process in its place. */
    private void failOver() throws Exception {
        replication.cut();
        assertThat(replica.command("REPLICAOF NO ONE")).startsWith("+OK");
    }

    @Test
    void formerPrimary_thatNeedsItsReplicas_refusesScriptsAndThereAreNeverTwoHolders() throws Exception {
        start("--min-replicas-to-write", "1", "--min-replicas-max-lag", "1");
        assumeTrue(!primary.ask("INFO server").contains("redis_version:6."), "scripts ignore it before Redis 7.0");
        Link stays = voters.opened(new Link(primary.port()));
        Link turns = voters.opened(new Link(primary.port()));
        RespProxy proxy = voters.opened(RespProxy.start(primary.port()));
        Contenders contenders = voters.opened(new Contenders(TTL));
        for (String address : List.of(stays.uri(), turns.uri(), stays.uri(), proxy.uri())) {
            contenders.add(MovingVoters.settings(address, MEMORY), ofMillis(100));
            contenders.add(MovingVoters.settings(address, MEMORY), ofSeconds(6)); // which is longer than a lease
        }
        LockConnection former = voters.connect(stays.uri(), MEMORY);
        contenders.untilTaken(5, FIRST_USE);
        former.acquire(LockRequest.of("known").ttl(TTL).waitTimeout(FIRST_USE)).release();

        long begun = System.nanoTime();
        failOver();
        turns.turnTo(replica.port());
        proxy.turnTo(replica.port());
        await().atMost(REFUSES).pollInterval(ofMillis(20)).until(() -> primary.ask(WRITE)
                .startsWith("-NOREPLICAS"));
        long millis = Duration.ofNanos(System.nanoTime() - begun).toMillis();
        LOG.log(System.Logger.Level.INFO, "the former primary refuses scripts after " + millis + " ms");
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(
                        () -> former.acquire(LockRequest.of("refused").ttl(TTL).waitTimeout(Duration.ZERO)))
                .withMessageContaining("NOREPLICAS");

        contenders.untilTaken(5, RECOVERY); // on the promoted one
        assertThat(primary.ask(WRITE)).startsWith("-NOREPLICAS");
        contenders.assertExclusive();

        replication.mend();
        assertThat(primary.command("REPLICAOF 127.0.0.1 " + replica.port())).startsWith("+OK");
        stays.turnTo(replica.port());
        former.acquire(LockRequest.of("known").ttl(TTL).waitTimeout(RECOVERY)).release();
        contenders.untilTaken(5, RECOVERY);
        contenders.assertExclusive();
    }

    /** As the documentation says of it. */
    @Test
    void formerPrimary_thatNeedsNoReplica_grantsWhatTheNextOneGrantsToo() throws Exception {
        start();
        Link stays = voters.opened(new Link(primary.port()));
        Link turns = voters.opened(new Link(primary.port()));
        assertTwoHolders(stays.uri(), turns.uri(), turns);
    }

    /** One such node of three is enough for it, where each side reaches another one of the others only. */
    @Test
    void formerPrimary_thatNeedsNoReplica_isOneOfThreeNodes_andEachSideHasAMajority() throws Exception {
        start();
        RedisServer one = voters.opened(RedisServer.start(MovingVoters.FILES));
        RedisServer other = voters.opened(RedisServer.start(MovingVoters.FILES));
        Link stays = voters.opened(new Link(primary.port()));
        Link turns = voters.opened(new Link(primary.port()));
        Link toOther = voters.opened(new Link(other.port()));
        Link toOne = voters.opened(new Link(one.port()));
        String left = String.join(",", stays.uri(), one.uri(), toOther.uri());
        String right = String.join(",", turns.uri(), toOne.uri(), other.uri());
        toOther.cut();
        toOne.cut();
        assertTwoHolders(left, right, turns);
    }

    private void assertTwoHolders(String left, String right, Link turns) throws Exception {
        LockConnection former = voters.connect(left, MEMORY);
        LockConnection next = voters.connect(right, MEMORY);
        LockRequest request = LockRequest.of("twice").ttl(ofSeconds(10)).waitTimeout(RECOVERY);
        next.acquire(request).release();

        failOver();
        turns.turnTo(replica.port());
        try (Lease one = former.acquire(request);
                Lease two = next.acquire(request)) {
            assertThat(two.isHeld()).isTrue();
            assertThat(one.isHeld()).as("the other one is held too").isTrue();
        }
    }
}
