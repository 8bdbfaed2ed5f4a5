// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.term.Terms;
import org.holdfast.testkit.Link;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.SentinelGroup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Another process comes to the place that Sentinels name, as a pod that is made anew under the same name does, while
 * the former one is cut off and goes on.
 */
@Tag("thorough")
@Timeout(240)
class ReplacedPrimaryTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(2);

    private static final Duration PATIENCE = ofSeconds(60);

    private static final LockRequest REQUEST = LockRequest.of("replaced").ttl(ofSeconds(1));

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    /** A client on the side of the former one relies on what its Sentinels have said before, for so long. */
    @Test
    void process_atTheSamePlaceInTheSameEpoch_isNotAskedBeforeVotesOfTheFormerOneHaveEnded() throws Exception {
        List<Link> ways = new ArrayList<>();
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 0, port -> voters.way(ways, port)));
        RedisServer next = voters.opened(RedisServer.start(MovingVoters.FILES));
        LockConnection locks = voters.connect(group.uri(), MEMORY);
        locks.acquire(REQUEST.waitTimeout(PATIENCE)).release();

        ways.get(0).turnTo(next.port());
        AtomicLong unknownAt = new AtomicLong(System.nanoTime());
        await().atMost(PATIENCE).pollInterval(ofMillis(10)).until(() -> {
            long askedAt = System.nanoTime();
            boolean isKnown = group.sentinels().stream()
                            .filter(sentinel -> knows(sentinel, "MASTER", next))
                            .count()
                    > 1;
            if (!isKnown) {
                unknownAt.set(askedAt);
            }
            return isKnown;
        });
        locks.acquire(REQUEST.waitTimeout(PATIENCE)).release();
        assertThat(System.nanoTime() - unknownAt.get()).isGreaterThan(Terms.COUNTS.toNanos());
    }

    /** For up to ten seconds after the failover back Sentinels do not say which process is at the place. */
    @Test
    void process_thatWasThePrimaryBeforeAtTheSamePlace_isNotUsedAfterAFailoverBack() throws Exception {
        List<Link> ways = new ArrayList<>();
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 1, port -> voters.way(ways, port)));
        RedisServer former = group.servers().get(0);
        RedisServer next = voters.opened(RedisServer.start(MovingVoters.FILES));
        List<Link> toSentinels = group.sentinels().stream()
                .map(sentinel -> voters.opened(new Link(sentinel.port())))
                .toList();
        LockConnection locks = voters.connect(
                SentinelGroup.uri(toSentinels.stream().map(Link::port).toList()), MEMORY);
        locks.acquire(REQUEST.waitTimeout(PATIENCE)).release();

        toSentinels.forEach(Link::cut);
        ways.get(0).cutOthersThan("holdfast");
        group.awaitOtherThan(ways.get(0).port());
        ways.get(0).leadTo(former.port());
        ways.get(0).leadOthersThan("holdfast", next.port());
        ways.get(0).mend();
        next.ask("CONFIG SET replica-announce-port " + ways.get(0).port());
        next.ask("REPLICAOF 127.0.0.1 " + ways.get(1).port());
        await("Sentinels know it").atMost(PATIENCE).until(() -> group.sentinels().stream()
                .allMatch(sentinel -> knows(sentinel, "REPLICAS", next)));
        haveAllAskAtOnce(group.sentinels(), ways.get(1));
        group.failOver();
        group.awaitOtherThan(ways.get(1).port());
        toSentinels.forEach(Link::mend);
        long until = System.nanoTime() + ofSeconds(16).toNanos();
        while (System.nanoTime() < until) {
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> locks.tryAcquire(REQUEST.waitTimeout(ofSeconds(1))));
        }
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> locks.tryAcquire(REQUEST.waitTimeout(ofSeconds(1))))
                .withMessageContaining("a process answers that its Sentinels do not know");
    }

    /**
     * Each asks once in ten seconds, when its own turn is: all are kept waiting until all are late. They ask when they
     * are connected again, which is not at once everywhere on a machine that has other work to do.
     */
    private static void haveAllAskAtOnce(List<RedisServer> sentinels, Link toPrimary) {
        sentinels.forEach(
                sentinel -> sentinel.ask("SENTINEL SET " + SentinelGroup.NAME + " down-after-milliseconds 60000"));
        await("all have asked just now").atMost(PATIENCE.multipliedBy(3)).until(() -> {
            toPrimary.cutOthersThan("holdfast");
            await("all are late").atMost(PATIENCE).until(() -> sentinels.stream()
                    .allMatch(sentinel -> askedBefore(sentinel).compareTo(ofSeconds(10)) > 0));
            toPrimary.mend();
            await("all have asked again").atMost(PATIENCE).until(() -> sentinels.stream()
                    .allMatch(sentinel -> askedBefore(sentinel).compareTo(ofSeconds(10)) < 0));
            return sentinels.stream().allMatch(sentinel -> askedBefore(sentinel).compareTo(ofSeconds(2)) < 0);
        });
    }

    private static boolean knows(RedisServer sentinel, String which, RedisServer server) {
        return sentinel.ask("SENTINEL " + which + " " + SentinelGroup.NAME).contains(runId(server));
    }

    private static String runId(RedisServer server) {
        return server.ask("INFO server")
                .lines()
                .filter(line -> line.startsWith("run_id:"))
                .findFirst()
                .orElseThrow()
                .substring("run_id:".length());
    }

    /** Returns how long ago a Sentinel has asked the primary what it is. */
    private static Duration askedBefore(RedisServer sentinel) {
        List<String> lines =
                sentinel.ask("SENTINEL MASTER " + SentinelGroup.NAME).lines().toList();
        return Duration.ofMillis(Long.parseLong(lines.get(lines.indexOf("info-refresh") + 2)));
    }
}
