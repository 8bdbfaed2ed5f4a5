// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.junit.jupiter.api.Test;

/** What becomes of a claim after its attempt: it is undone, renewed, released or left to expire. */
class RedlockReleasesTest extends RedlockOnThreeNodes {

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

    /** The node takes little of what it is sent, so the acquisition lies on that connection, and may come later. */
    @Test
    void acquire_undoThatIsNotSent_isMadeUpForWithATombstone() {
        nodes.node(0, HELD).node(1, HELD);
        nodes.node(2, command -> command instanceof Command.Release ? new Reply.NotSent("full") : new Reply.Granted())
                .latency(2, 45);
        attempt();
        retryReleases();
        assertThat(service.sent(Command.Release.class)).singleElement().satisfies(sent -> {
            assertThat(sent.node()).isEqualTo(2);
            assertThat(((Command.Release) sent.command()).tombstone()).isTrue();
        });
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
        time.passMillis(999);
        retryReleases();
        assertThat(unfinished.size()).isEqualTo(1);

        time.passMillis(2);
        retryReleases();
        assertThat(unfinished.size()).isZero();
        assertThat(service.sent(Command.Release.class)).hasSize(3);
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

    /** A quorum may still grant it: one node alone, which may be faulty, must not end a lease. */
    @Test
    void renewal_thatOneNodeRefuses_isNotSuperseded() {
        assertThat(renewed(HELD, NO_ANSWER, new Reply.Granted())).isInstanceOf(RenewalResult.Failed.class);
        assertThat(renewed(new Reply.TokenTooSmall(9), NO_ANSWER, NO_ANSWER)).isInstanceOf(RenewalResult.Failed.class);
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

    @Test
    void release_isKnownAsSoonAsAQuorumHasConfirmedIt() {
        service.latency(2, 40);
        long before = time.nanoTime();
        assertThat(released(new Reply.Released(0), new Reply.Released(0), new Reply.Released(0)))
                .isEqualTo(ReleaseResult.RELEASED);
        assertThat(time.nanoTime() - before).isEqualTo(MILLISECONDS.toNanos(1));
    }
}
