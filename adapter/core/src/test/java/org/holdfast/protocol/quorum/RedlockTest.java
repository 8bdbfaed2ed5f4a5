// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Test;

class RedlockTest {

    private static final Reply HELD = new Reply.Held(800);
    private static final Reply NO_ANSWER = new Reply.NoAnswer("silence");
    private static final long ABSURD = 1L << 53;
    private static final Reply NOT_SENT = new Reply.NotSent("refused");

    private static final long TTL_MILLIS = 1_000;

    private final VirtualTime time = new VirtualTime();
    private final ScriptedNodes nodes = new ScriptedNodes(time, 3);
    private final ScriptedNodes service = new ScriptedNodes(time, 3);
    private final Timing timing = new Timing(
            Duration.ofMillis(50),
            Duration.ofSeconds(60),
            Duration.ofMinutes(10),
            0.01,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1));
    private final UnfinishedReleases unfinished = new UnfinishedReleases(time, 3, WakeUp.NONE);
    private final Redlock redlock = new Redlock(time, timing, unfinished);

    private static Claim claim(long token) {
        Owner owner = new Owner(String.format("%040x", token));
        return new Claim(new Target.Exclusive("a"), owner, token, TTL_MILLIS, TTL_MILLIS);
    }

    /** Attempts once, with all the time it needs. */
    private QuorumResult attempt() {
        return redlock.acquire(
                nodes, AnyToken.acquire(claim(7)), time.nanoTime(), time.nanoTime() + Long.MAX_VALUE / 2);
    }

    @Test
    void acquire_quorumGrants_isValidForTtlLessDriftFromBeforeTheFirstRequest() {
        long before = time.nanoTime();
        QuorumResult quorumResult = attempt();

        long validity = MILLISECONDS.toNanos(1_000 - 10 - 2); // drift: 1 % of the TTL and 2 ms
        assertThat(quorumResult).isEqualTo(new QuorumResult.Acquired(before, before + validity));
    }

    @Test
    void acquire_oneNodeSlow_takesAsLongAsTheQuorum() {
        nodes.latency(0, 40).latency(1, 3).latency(2, 2);
        long before = time.nanoTime();

        assertThat(attempt()).isInstanceOf(QuorumResult.Acquired.class);
        assertThat(time.nanoTime() - before).isEqualTo(MILLISECONDS.toNanos(3));
    }

    @Test
    void acquire_longInSending_waitsForAnswersAllTheSame() {
        nodes.sendingTakes(60); // longer than a node may take to answer
        long before = time.nanoTime();
        assertThat(attempt())
                .isEqualTo(new QuorumResult.Acquired(before, before + MILLISECONDS.toNanos(1_000 - 10 - 2)));
    }

    @Test
    void acquire_oneNodeSilent_isHeld() {
        nodes.node(1, NO_ANSWER);
        assertThat(attempt()).isInstanceOf(QuorumResult.Acquired.class);
    }

    @Test
    void acquire_validityOverWhenTheQuorumAnswers_isNotHeldAndIsUndone() {
        nodes.node(0, command -> {
            time.passMillis(990); // the process pauses between sending and reading
            return ScriptedNodes.agree(command);
        });

        assertThat(attempt()).isInstanceOf(QuorumResult.Undetermined.class);
        assertThat(nodes.sent(Command.Release.class)).hasSize(3);
    }

    /** A node may have forgotten a larger token since, and its quarantine may be over. */
    @Test
    void acquire_tokenDrawnLongBeforeItIsGranted_isNotHeldAndIsUndone() {
        long drawnAt = time.nanoTime();
        time.passMillis(60_000 - 600 - 2); // the longest TTL less the drift

        assertThat(redlock.acquire(nodes, AnyToken.acquire(claim(7)), drawnAt, time.nanoTime() + Long.MAX_VALUE / 2))
                .isNotInstanceOf(QuorumResult.Acquired.class);
        assertThat(nodes.sent(Command.Release.class)).hasSize(3);
    }

    @Test
    void acquire_ticketWithoutItsPlaceAtAQuorum_isOvertaken() {
        nodes.node(0, new Reply.TicketTooSmall(9)).node(1, new Reply.Queued(50)).node(2, NO_ANSWER);
        assertThat(attempt()).isEqualTo(new QuorumResult.Overtaken(9));
    }

    @Test
    void acquire_ticketThatOneNodeRefuses_isOvertakenOnlyIfTheOthersDoNotAccept() {
        nodes.node(0, new Reply.TicketTooSmall(ABSURD))
                .node(1, new Reply.Queued(50))
                .latency(2, 40);
        nodes.node(2, new Reply.Queued(40));
        assertThat(attempt()).isEqualTo(new QuorumResult.Contended(50));

        nodes.node(2, new Reply.TicketTooSmall(9));
        assertThat(attempt()).isEqualTo(new QuorumResult.Overtaken(9));
    }

    /** The numbers are small enough to be followed, and one of them is enough if the last node accepts the ticket. */
    @Test
    void acquire_ticketThatTheFirstNodesRefuse_waitsForTheOthersBeforeItFollowsTheLargestNumber() {
        nodes.node(0, new Reply.TicketTooSmall(900))
                .node(1, new Reply.TicketTooSmall(9))
                .node(2, new Reply.Queued(50))
                .latency(2, 40);
        assertThat(attempt()).isEqualTo(new QuorumResult.Overtaken(9));
        nodes.node(2, NO_ANSWER);
        assertThat(attempt()).isEqualTo(new QuorumResult.Overtaken(900));
        nodes.node(2, new Reply.TicketTooSmall(ABSURD));
        assertThat(attempt()).isEqualTo(new QuorumResult.Overtaken(900));
    }

    @Test
    void acquire_ticketWithItsPlaceAtAQuorum_isContended() {
        nodes.node(0, new Reply.Queued(50)).node(1, new Reply.Queued(40)).node(2, new Reply.TicketTooSmall(9));
        assertThat(attempt()).isEqualTo(new QuorumResult.Contended(50));
    }

    @Test
    void acquire_heldByAnotherAtAQuorum_isContendedForAsLongAsTheLongest() {
        nodes.node(0, HELD).node(1, new Reply.Held(900));
        assertThat(attempt()).isEqualTo(new QuorumResult.Contended(900));
    }

    @Test
    void acquire_votesSplit_isContendedAndOnlyTheGrantIsTakenBackWithoutTombstone() {
        nodes.node(0, HELD).node(1, HELD).latency(2, 0);

        assertThat(attempt()).isInstanceOf(QuorumResult.Contended.class);
        assertThat(nodes.sent(Command.Release.class)).singleElement().satisfies(sent -> {
            assertThat(sent.node()).isEqualTo(2);
            assertThat(((Command.Release) sent.command()).tombstone()).isFalse();
        });
        assertThat(unfinished.size()).isZero();
    }

    @Test
    void acquire_nodeStillToAnswer_isSentTheReleaseBehindTheAcquisition() {
        nodes.node(0, HELD).node(1, HELD).latency(2, 45);

        attempt();
        assertThat(nodes.sent(Command.Release.class))
                .singleElement()
                .extracting(ScriptedNodes.Sent::node)
                .isEqualTo(2);
    }

    @Test
    void acquire_noAnswerFromANode_isUndoneThereWithATombstoneLater() {
        nodes.node(0, NO_ANSWER).node(1, HELD).node(2, HELD);

        assertThat(attempt()).isInstanceOf(QuorumResult.Contended.class);
        assertThat(nodes.sent(Command.Release.class)).isEmpty();
        unfinished.retry(service, time.nanoTime() + 1_000_000_000);
        assertThat(service.sent(Command.Release.class)).singleElement().satisfies(sent -> {
            assertThat(sent.node()).isZero();
            assertThat(((Command.Release) sent.command()).tombstone()).isTrue();
        });
    }

    /** Its connection breaks when the attempt is over: the acquisition may still be under way. */
    @Test
    void acquire_thatANodeFailsToAnswerLate_isUndoneThereWithATombstoneLater() {
        nodes.node(0, HELD).node(1, HELD);
        nodes.node(2, command -> command instanceof Command.Release ? new Reply.Released(0) : NO_ANSWER)
                .latency(2, 40);
        attempt();
        retryReleases();
        assertThat(service.sent(Command.Release.class)).singleElement().satisfies(sent -> {
            assertThat(sent.node()).isEqualTo(2);
            assertThat(((Command.Release) sent.command()).tombstone()).isTrue();
        });
    }

    @Test
    void acquire_undoWithoutAnswer_isRepeatedWithoutATombstone() {
        nodes.node(0, HELD)
                .node(1, HELD)
                .node(2, command -> command instanceof Command.Release ? NO_ANSWER : ScriptedNodes.agree(command))
                .latency(2, 0);

        attempt();
        unfinished.retry(service, time.nanoTime() + 1_000_000_000);
        assertThat(service.sent(Command.Release.class)).singleElement().satisfies(sent -> {
            assertThat(sent.node()).isEqualTo(2);
            assertThat(((Command.Release) sent.command()).tombstone()).isFalse();
        });
    }

    @Test
    void acquire_quorumCannotBeAsked_isUnavailableAndNamesEachNode() {
        nodes.node(0, NOT_SENT).node(2, new Reply.Refused("LOADING"));
        assertThat(attempt())
                .asInstanceOf(type(QuorumResult.Unavailable.class))
                .extracting(QuorumResult.Unavailable::failures)
                .isEqualTo(java.util.Map.of("node-0", "refused", "node-2", "LOADING"));
    }

    @Test
    void acquire_quorumDoesNotAnswer_isUndeterminedAfterTheNodeTimeout() {
        nodes.latency(0, 10_000).latency(1, 10_000);
        long before = time.nanoTime();

        assertThat(attempt())
                .asInstanceOf(type(QuorumResult.Undetermined.class))
                .extracting(QuorumResult.Undetermined::failures)
                .isEqualTo(java.util.Map.of("node-0", "no answer in time", "node-1", "no answer in time"));
        assertThat(time.nanoTime() - before).isEqualTo(MILLISECONDS.toNanos(50));
    }

    @Test
    void acquire_oneNodeWithAnAbsurdToken_isDecidedByTheOthers() {
        nodes.node(0, new Reply.TokenTooSmall(ABSURD))
                .node(1, new Reply.TokenTooSmall(98))
                .latency(2, 40);
        assertThat(attempt()).isEqualTo(new QuorumResult.TokenTooSmall(98));

        nodes.node(2, new Reply.TokenTooSmall(97));
        assertThat(attempt()).isEqualTo(new QuorumResult.TokenTooSmall(98));
    }

    @Test
    void acquire_tokenOnRecordThatNoRightClockHasProposed_isNotFollowedAndSaysSo() {
        long ahead = time.epochMicros() + MILLISECONDS.toMicros(600_000) + 2_000_000;
        nodes.node(0, new Reply.TokenTooSmall(ahead)).node(1, new Reply.TokenTooSmall(ahead));
        assertThat(attempt()).asInstanceOf(type(QuorumResult.Unavailable.class)).satisfies(quorumResult -> assertThat(
                        quorumResult.failures())
                .hasSize(2)
                .allSatisfy((node, why) -> assertThat(why).contains("the last token on record there is 601 s ahead")));
    }

    @Test
    void acquire_largerTokenOnRecordWhereAQuorumNeedsIt_tellsThat() {
        nodes.node(0, new Reply.TokenTooSmall(99)).node(2, NO_ANSWER);
        assertThat(attempt()).isEqualTo(new QuorumResult.TokenTooSmall(99));

        nodes.node(2, ScriptedNodes::agree).latency(2, 10_000);
        assertThat(attempt()).isEqualTo(new QuorumResult.TokenTooSmall(99));
    }

    @Test
    void acquire_tokensThatDifferALittle_goesOnWithTheQuorumThatIsFast() {
        long now = time.epochMicros();
        nodes.node(0, new Reply.TokenTooSmall(now + 1_001))
                .node(1, new Reply.TokenTooSmall(now + 1_000))
                .latency(2, 40);
        long before = time.nanoTime();
        attempt();
        assertThat(time.nanoTime() - before).isEqualTo(MILLISECONDS.toNanos(1));
    }

    @Test
    void acquire_sameTokenOnRecordAtAQuorum_doesNotWaitForTheOthers() {
        nodes.node(0, new Reply.TokenTooSmall(99))
                .node(1, new Reply.TokenTooSmall(99))
                .latency(2, 40);
        long before = time.nanoTime();
        assertThat(attempt()).isEqualTo(new QuorumResult.TokenTooSmall(99));
        assertThat(time.nanoTime() - before).isEqualTo(MILLISECONDS.toNanos(1));
    }

    @Test
    void acquire_tokenThatAQuorumFindsTooFarFromItsClocks_isSkewedOnlyIfOurClockIs() {
        nodes.node(0, new Reply.TokenSkewed(300_010)).node(1, new Reply.TokenSkewed(300_010));
        assertThat(attempt()).isInstanceOf(QuorumResult.TokenOutOfDate.class);
        assertThat(nodes.sent(Command.Release.class)).singleElement().satisfies(sent -> assertThat(sent.node())
                .isEqualTo(2));

        nodes.clocksOffBy(MILLISECONDS.toMicros(300_010));
        assertThat(attempt()).isInstanceOf(QuorumResult.ClockSkewed.class);
    }

    @Test
    void acquire_nodeThatFindsTheTokenTooFarFromItsClock_takesNoPartAndSaysWhy() {
        nodes.node(0, new Reply.TokenSkewed(-3_600_000));
        assertThat(attempt()).isInstanceOf(QuorumResult.Acquired.class);
        nodes.node(1, NOT_SENT);
        assertThat(attempt()).asInstanceOf(type(QuorumResult.Unavailable.class)).satisfies(quorumResult -> assertThat(
                        quorumResult.failures().get("node-0"))
                .contains("3600000 ms apart"));
    }

    @Test
    void acquire_tokenFarFromTheClocksThatWereMeasured_isNotSent() {
        long token = time.epochMicros() + MILLISECONDS.toMicros(300_010);
        nodes.measuresClocks();
        Command.Acquire limited = new Command.Acquire(claim(token), Optional.empty(), timing.maxSkewMicros());

        assertThat(redlock.acquire(nodes, limited, time.nanoTime(), time.nanoTime() + Long.MAX_VALUE / 2))
                .isInstanceOf(QuorumResult.TokenOutOfDate.class);
        assertThat(nodes.sent(Command.Acquire.class)).isEmpty();
    }

    @Test
    void retryOfReleases_nodeThatStaysSilent_isToldUntilItAnswers() {
        nodes.node(0, NO_ANSWER).node(1, HELD).node(2, HELD);
        service.node(0, NO_ANSWER);
        attempt();

        retryReleases();
        time.passMillis(60_000); // it runs the acquisition when it resumes
        retryReleases();
        assertThat(unfinished.size()).isEqualTo(1);

        service.node(0, ScriptedNodes::agree);
        retryReleases();
        assertThat(unfinished.size()).isZero();
        assertThat(service.sent(Command.Release.class)).hasSize(3);
    }

    @Test
    void retryOfReleases_nodeThatAnswersWithAnError_isToldUntilTheTtlIsOver() {
        nodes.node(0, NO_ANSWER).node(1, HELD).node(2, HELD);
        service.node(0, new Reply.Refused("BUSY Redis is busy running a script"));
        attempt();
        retryReleases();
        time.passMillis(60_000);
        service.node(0, new Reply.Refused("WRONGTYPE"));
        retryReleases();
        assertThat(unfinished.size()).isEqualTo(1);

        time.passMillis(1_001);
        retryReleases();
        assertThat(unfinished.size()).isZero();
        assertThat(service.sent(Command.Release.class)).hasSize(2);
    }

    private void retryReleases() {
        unfinished.retry(service, time.nanoTime() + 1_000_000_000);
    }

    private RenewalResult renewed(Reply... replies) {
        for (int node = 0; node < 3; node++) {
            service.node(node, replies[node]);
        }
        return redlock.finishRenewal(
                service, redlock.startRenewals(service, List.of(claim(7))).get(0));
    }

    @Test
    void renewal_thatAQuorumGrants_extendsFromBeforeItWasSent() {
        long before = time.nanoTime();
        assertThat(renewed(new Reply.Granted(), NO_ANSWER, new Reply.Granted()))
                .isEqualTo(new RenewalResult.Extended(before + MILLISECONDS.toNanos(1_000 - 10 - 2)));
    }

    @Test
    void renewal_thatNoQuorumCanEverGrant_isSuperseded() {
        assertThat(renewed(HELD, new Reply.TokenTooSmall(9), new Reply.Granted()))
                .isEqualTo(new RenewalResult.Superseded());
    }

    @Test
    void renewal_thatTooFewNodesGrant_failsAndNamesTheOthers() {
        assertThat(renewed(new Reply.Granted(), NO_ANSWER, NOT_SENT))
                .isEqualTo(new RenewalResult.Failed(java.util.Map.of("node-1", "silence", "node-2", "refused")));
    }

    @Test
    void release_saysWhetherTheLockWasStillOurs() {
        assertThat(released(new Reply.Released(0), new Reply.Gone(), new Reply.Released(0)))
                .isEqualTo(ReleaseResult.RELEASED);
        assertThat(released(new Reply.Gone(), HELD, new Reply.Released(0))).isEqualTo(ReleaseResult.NOT_HELD);
        assertThat(released(new Reply.Released(0), NOT_SENT, NO_ANSWER)).isEqualTo(ReleaseResult.UNCONFIRMED);
        assertThat(released(new Reply.Released(0), NOT_SENT, new Reply.Gone())).isEqualTo(ReleaseResult.UNCONFIRMED);
    }

    private ReleaseResult released(Reply... replies) {
        for (int node = 0; node < 3; node++) {
            service.node(node, replies[node]);
        }
        long begun = time.nanoTime();
        Command.Release release = Command.Release.ofLease(claim(7));
        Round round = redlock.startReleases(service, List.of(release)).get(0);
        return redlock.finishRelease(service, release, round, begun, begun + Long.MAX_VALUE / 2)
                .result();
    }

    @Test
    void release_thatANodeFailsToConfirmLate_isSentThereAgain() {
        service.latency(2, 40);
        assertThat(released(new Reply.Released(0), new Reply.Released(0), NO_ANSWER))
                .isEqualTo(ReleaseResult.RELEASED);
        assertThat(unfinished.size()).isOne();
    }

    private ReleaseResult lastedFor500(Reply... replies) {
        for (int node = 0; node < 3; node++) {
            service.node(node, replies[node]);
        }
        return redlock.letExpire(service, claim(7), 500, time.nanoTime() + Long.MAX_VALUE / 2);
    }

    @Test
    void lock_thatIsLeftToExpire_saysWhetherItWasStillOurs() {
        Reply granted = new Reply.Granted();
        assertThat(lastedFor500(granted, NO_ANSWER, granted)).isEqualTo(ReleaseResult.RELEASED);
        assertThat(lastedFor500(granted, HELD, new Reply.TokenTooSmall(9))).isEqualTo(ReleaseResult.NOT_HELD);
        assertThat(lastedFor500(granted, NOT_SENT, NO_ANSWER)).isEqualTo(ReleaseResult.UNCONFIRMED);
        long before = time.nanoTime();
        service.latency(0, 10_000).latency(1, 10_000);
        assertThat(lastedFor500(granted, granted, granted)).isEqualTo(ReleaseResult.UNCONFIRMED);
        assertThat(time.nanoTime() - before).as("a node timeout").isEqualTo(MILLISECONDS.toNanos(50));
    }

    /** What is not left keeps a place for answers that no caller waits for. */
    @Test
    void rounds_areLeft_whateverBecameOfThem() {
        attempt();
        nodes.node(0, HELD).node(1, HELD);
        attempt();
        renewed(new Reply.Granted(), NO_ANSWER, NOT_SENT);
        released(new Reply.Gone(), HELD, new Reply.Released(0));
        lastedFor500(HELD, HELD, HELD);
        redlock.findPermit(service, new Command.FindPermit("a", 2, 0), time.nanoTime() + 1_000_000);
        retryReleases();
        assertThat(nodes.roundsNotLeft()).isZero();
        assertThat(service.roundsNotLeft()).isZero();
    }
}
