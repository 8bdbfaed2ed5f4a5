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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.CheckReport;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.term.Terms;
import org.holdfast.testkit.Link;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.holdfast.testkit.SentinelGroup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A voter behind Sentinels, on real processes: its primary dies, hangs, is cut off, and is replaced by hand. */
@Timeout(150)
class SentinelTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(3);

    /** For a lease that outlives a failover, and the time in which the promoted replica is not asked. */
    private static final Duration LONG_MEMORY = ofSeconds(24);

    /** For Sentinel to promote a replica and to ask it which process it is, and for clients to learn of it. */
    private static final Duration FAILOVER = ofSeconds(22);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private Contenders contenders(String... nodes) {
        Contenders contenders = voters.opened(new Contenders(ofSeconds(2)));
        for (int i = 0; i < 6; i++) {
            contenders.add(
                    MovingVoters.settings(nodes[i % nodes.length], MEMORY), i % 2 == 0 ? ofMillis(100) : ofSeconds(3));
        }
        contenders.untilTaken(5, firstUse(MEMORY).plusSeconds(10));
        return contenders;
    }

    /** So long the first lock takes: the voter has just been named, and has no birth mark. */
    private static Duration firstUse(Duration memory) {
        return Terms.COUNTS.plus(memory).plusSeconds(6);
    }

    /** So long after a failover there are locks again. */
    private static Duration recovery(Duration memory) {
        return FAILOVER.plus(Terms.COUNTS).plus(memory.multipliedBy(2));
    }

    @Test
    @Tag("thorough")
    void primary_killedFrozenAndReplacedByHand_neverHasTwoHoldersAndLocksComeBack() throws Exception {
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 2));
        Contenders contenders = contenders(group.uri());

        RedisServer first = group.servers().get(0);
        first.kill();
        group.awaitOtherThan(first.port());
        contenders.untilTaken(5, recovery(MEMORY));
        first.start(); // Sentinel makes it a replica

        RedisServer third = group.failOver();
        contenders.untilTaken(5, recovery(MEMORY));

        third.freeze();
        group.awaitOtherThan(third.port());
        contenders.untilTaken(5, recovery(MEMORY));
        third.thaw();
        contenders.untilTaken(5, recovery(MEMORY)); // while it is made a replica
        contenders.assertExclusive();
    }

    @Test
    @Tag("thorough")
    void primary_cutOffWithClientsOnItsSide_givesNoVotesWhenTheOtherSideDoes() throws Exception {
        List<Link> ways = new ArrayList<>();
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 1, port -> voters.way(ways, port)));
        Link toPrimary = ways.get(0);
        List<Link> toSentinels = group.sentinels().stream()
                .map(sentinel -> voters.opened(new Link(sentinel.port())))
                .toList();
        String besidePrimary =
                SentinelGroup.uri(toSentinels.stream().map(Link::port).toList());
        Contenders contenders = contenders(group.uri(), besidePrimary);
        LockConnection cutOff = voters.connect(besidePrimary, MEMORY);
        cutOff.acquire(LockRequest.of("known").waitTimeout(firstUse(MEMORY))).release();

        toPrimary.cutOthersThan("holdfast"); // replicas and Sentinels
        toSentinels.forEach(Link::cut);
        group.awaitOtherThan(toPrimary.port());
        await().atMost(Terms.COUNTS.plusSeconds(2)).untilAsserted(() -> assertThatExceptionOfType(
                        QuorumUnavailableException.class)
                .isThrownBy(() -> cutOff.acquire(LockRequest.of("unconfirmed").waitTimeout(Duration.ZERO))
                        .release())
                .withMessageContaining("its Sentinels"));
        assertThat(group.servers().get(0).command("SET can-be written")).startsWith("+OK");
        contenders.untilTaken(5, recovery(MEMORY));
        contenders.assertExclusive();

        toPrimary.mend();
        toSentinels.forEach(Link::mend);
        await().atMost(recovery(MEMORY)).ignoreExceptions().untilAsserted(() -> cutOff.acquire(LockRequest.of("mended"))
                .release());
        contenders.untilTaken(5, recovery(MEMORY));
        contenders.assertExclusive();
    }

    @Test
    void lease_whoseVoterFailsOver_isKeptWhereTheReplicaHasIt() throws Exception {
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 1));
        LockConnection connection = voters.connect(group.uri(), LONG_MEMORY);
        Lease lease = connection.acquire(LockRequest.of("kept").ttl(LONG_MEMORY).waitTimeout(firstUse(LONG_MEMORY)));
        RedisServer primary = group.servers().get(0);
        await().until(() -> group.servers().get(1).command("GET holdfast:{kept}:lock"), reply -> true);
        primary.kill();
        group.awaitOtherThan(primary.port());
        await().pollDelay(LONG_MEMORY.plusSeconds(2))
                .atMost(LONG_MEMORY.plusSeconds(3))
                .until(() -> true);
        assertThat(lease.isHeld()).as("it was renewed on the promoted replica").isTrue();
        lease.release();
        connection
                .acquire(LockRequest.of("kept").waitTimeout(LONG_MEMORY.plusSeconds(5)))
                .release();
    }

    @Test
    @Tag("thorough")
    void oneOfThreeVoters_failsOver_andNothingIsLost() throws Exception {
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 1));
        RedisServers others = voters.opened(RedisServers.start(2, MovingVoters.FILES));
        String nodes = others.uris() + "," + group.uri();
        LockConnection connection = voters.connect(nodes, MEMORY);
        Lease lease = connection.acquire(LockRequest.of("kept").waitTimeout(firstUse(MEMORY)));
        RedisServer primary = group.servers().get(0);
        for (int i = 0; i < 20; i++) {
            connection.acquire(LockRequest.of("before-" + i)).release();
        }
        primary.kill();
        for (int i = 0; i < 20; i++) {
            connection
                    .acquire(LockRequest.of("meanwhile-" + i).waitTimeout(ofSeconds(1)))
                    .release();
        }
        group.awaitOtherThan(primary.port());
        await().atMost(recovery(MEMORY)).until(() -> votes(nodes));
        others.get(0).kill(); // now the promoted one is needed
        Lease healed = connection.acquire(LockRequest.of("needed").waitTimeout(ofSeconds(3)));
        await().pollDelay(MEMORY).until(() -> true);
        assertThat(lease.isHeld()).isTrue();
        assertThat(healed.isHeld()).isTrue();
    }

    private boolean votes(String nodes) {
        try (LockConnectionFactory locks = Holdfast.connect(MovingVoters.settings(nodes, MEMORY))) {
            return locks.check().nodes().stream().allMatch(node -> node.state() == CheckReport.State.VOTES);
        }
    }

    @Test
    @Tag("thorough")
    void sentinels_withoutAMajority_leaveNoVote() throws Exception {
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 1));
        LockConnection connection = voters.connect(group.uri(), MEMORY);
        connection.acquire(LockRequest.of("a").waitTimeout(firstUse(MEMORY))).release();
        group.sentinels().get(1).kill();
        await().pollDelay(Terms.COUNTS.plusSeconds(1)).until(() -> true);
        connection.acquire(LockRequest.of("a").waitTimeout(ofSeconds(1))).release();
        group.sentinels().get(2).kill();
        await().atMost(Terms.COUNTS.plusSeconds(2)).untilAsserted(() -> assertThatExceptionOfType(
                        QuorumUnavailableException.class)
                .isThrownBy(() -> connection
                        .acquire(LockRequest.of("a").waitTimeout(Duration.ZERO))
                        .release())
                .withMessageContaining("2 must name the same primary")
                .withMessageContaining("127.0.0.1:" + group.sentinels().get(2).port() + ": Connection refused"));
        group.sentinels().get(1).start();
        await().atMost(ofSeconds(5))
                .ignoreExceptions()
                .untilAsserted(() -> connection.acquire(LockRequest.of("a")).release());
    }

    @Test
    void sentinels_ofWhichTooFewAreNamed_areNoMajority() {
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 1));
        String one = SentinelGroup.uri(List.of(group.sentinels().get(0).port()));
        LockConnectionFactory locks = voters.locks(one, MEMORY);
        assertThat(locks.check().toString())
                .contains("2 must name the same primary", "there are more Sentinels than the address names");
    }

    @Test
    void addresses_thatLeadToNoSentinel_areExplained() throws Exception {
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 1));
        int redis = group.servers().get(0).port();
        assertThat(reportOf(SentinelGroup.uri(List.of(redis)))).contains("unknown command");
        String ports = group.sentinels().stream()
                .map(sentinel -> "127.0.0.1:" + sentinel.port())
                .collect(Collectors.joining(","));
        assertThat(reportOf("redis+sentinel://" + ports + "/other")).contains("it knows no primary of the name other");
    }

    @Test
    void oneSentinel_behindTwoAddresses_isNoMajority() {
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 1));
        int only = group.sentinels().get(0).port();
        group.sentinels().get(1).kill();
        group.sentinels().get(2).kill();
        String nodes = "redis+sentinel://127.0.0.1:" + only + ",localhost:" + only + "/"
                + group.uri().substring(group.uri().lastIndexOf('/') + 1);
        assertThat(reportOf(nodes)).contains("2 must name the same primary");
    }

    private String reportOf(String nodes) {
        return voters.locks(nodes, MEMORY).check().toString();
    }

    @Test
    void sentinels_withAPassword_areEnteredWithTheirsOrThatOfTheNodes() throws Exception {
        String[] protectedNodes = {"--requirepass", "of-nodes", "--masterauth", "of-nodes"};
        RedisServer primary = voters.opened(RedisServer.start(MovingVoters.FILES, protectedNodes));
        List<RedisServer> sentinels = Stream.of("of-nodes", "of-nodes", "of-nodes")
                .map(password -> voters.opened(RedisServer.startSentinel(
                        MovingVoters.FILES,
                        "sentinel monitor locks 127.0.0.1 " + primary.port() + " 2",
                        "sentinel auth-pass locks of-nodes",
                        "requirepass " + password)))
                .toList();
        String ports = sentinels.stream()
                .map(sentinel -> "127.0.0.1:" + sentinel.port())
                .collect(Collectors.joining(","));
        await().atMost(FAILOVER)
                .untilAsserted(() -> assertThat(reportOf("redis+sentinel://:of-nodes@" + ports + "/locks"))
                        .contains("it is asked in"));
        assertThat(reportOf("redis+sentinel://:wrong@" + ports + "/locks")).contains("WRONGPASS");
        assertThat(reportOf("redis+sentinel://" + ports + "/locks")).contains("asks for a password");
        assertThat(reportOf("redis+sentinel://:of-nodes@" + ports + "/locks?sentinelPassword=wrong"))
                .contains("WRONGPASS");
    }
}
