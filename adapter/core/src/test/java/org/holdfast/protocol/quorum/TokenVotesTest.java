// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.util.List;
import java.util.Optional;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/** Which token a claim follows when nodes have larger ones on record, or clocks of their own. */
class TokenVotesTest extends RedlockOnThreeNodes {

    @Test
    void acquire_oneNodeWithAnAbsurdToken_isDecidedByTheOthers() {
        nodes.node(0, new Reply.TokenTooSmall(ABSURD))
                .node(1, new Reply.TokenTooSmall(98))
                .latency(2, 40);
        assertThat(attempt()).isEqualTo(new QuorumResult.TokenTooSmall(98));

        nodes.node(2, new Reply.TokenTooSmall(97));
        assertThat(attempt()).isEqualTo(new QuorumResult.TokenTooSmall(98));
    }

    /** A node that has one more has it from another process, which must come first. */
    @Test
    void acquire_ticketsBehindThatDiffer_areReportedAsFarAsTheNodesAgree() {
        nodes.node(0, new Reply.Granted(List.of(5L, 6L, 7L)))
                .node(1, new Reply.Granted(List.of(5L, 7L)))
                .node(2, NO_ANSWER);
        assertThat(attempt()).asInstanceOf(type(QuorumResult.Acquired.class)).satisfies(got -> assertThat(got.behind())
                .containsExactly(5L));

        nodes.node(1, new Reply.Granted());
        assertThat(attempt()).asInstanceOf(type(QuorumResult.Acquired.class)).satisfies(got -> assertThat(got.behind())
                .isEmpty());
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

    /** One node alone, which may be faulty, must not send a waiter to the end of the line. */
    @Test
    void acquire_ticketThatAQuorumAccepts_isNotOvertaken() {
        nodes.node(0, new Reply.TicketTooSmall(99))
                .node(1, new Reply.Queued(800))
                .node(2, new Reply.Queued(800));
        assertThat(attempt()).isEqualTo(new QuorumResult.Contended(800, false));

        nodes.node(2, new Reply.TicketTooSmall(98));
        assertThat(attempt()).isEqualTo(new QuorumResult.Overtaken(98));
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

        assertThat(redlock.acquire(
                        nodes, limited, time.nanoTime(), time.nanoTime() + Long.MAX_VALUE / 2, false, () -> {}))
                .isInstanceOf(QuorumResult.TokenOutOfDate.class);
        assertThat(nodes.sent(Command.Acquire.class)).isEmpty();
    }

    /** A node that does not say its time says nothing of the token. */
    @Test
    void acquire_tokenThatOnlyOneNodeFindsTooFarFromItsClock_isSent() {
        long token = time.epochMicros() + MILLISECONDS.toMicros(300_010);
        nodes.measuresClocks();
        for (int node = 1; node < 3; node++) {
            nodes.node(node, command -> command instanceof Command.Inspect ? NO_ANSWER : ScriptedNodes.agree(command));
        }
        Command.Acquire limited = new Command.Acquire(claim(token), Optional.empty(), timing.maxSkewMicros());

        assertThat(redlock.acquire(
                        nodes, limited, time.nanoTime(), time.nanoTime() + Long.MAX_VALUE / 2, false, () -> {}))
                .isInstanceOf(QuorumResult.Acquired.class);
    }

    /** The third node does not answer in time: the numbers of the others are enough. */
    @Test
    void acquire_ticketThatTheFirstNodesRefuse_waitsForTheOthersNoLongerThanANodeTimeout() {
        nodes.node(0, new Reply.TicketTooSmall(900))
                .node(1, new Reply.TicketTooSmall(9))
                .latency(2, 10_000);
        long before = time.nanoTime();
        assertThat(attempt()).isEqualTo(new QuorumResult.Overtaken(900));
        assertThat(time.nanoTime() - before).isEqualTo(MILLISECONDS.toNanos(50));
    }
}
