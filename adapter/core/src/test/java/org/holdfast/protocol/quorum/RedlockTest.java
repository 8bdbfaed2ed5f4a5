// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.util.List;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.HolderEntry;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Test;

/** What an attempt to acquire makes of the votes, and for how long its lease is valid. */
class RedlockTest extends RedlockOnThreeNodes {

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

        assertThat(redlock.acquire(
                        nodes,
                        AnyToken.acquire(claim(7)),
                        drawnAt,
                        time.nanoTime() + Long.MAX_VALUE / 2,
                        false,
                        () -> {}))
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
        assertThat(attempt()).isEqualTo(new QuorumResult.Contended(50, false));

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
        assertThat(attempt()).isEqualTo(new QuorumResult.Contended(50, false));
    }

    @Test
    void acquire_heldByAnotherAtAQuorum_isContendedForAsLongAsTheLongest() {
        nodes.node(0, HELD).node(1, new Reply.Held(900));
        assertThat(attempt()).isEqualTo(new QuorumResult.Contended(900, false));
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

    private QuorumResult attemptThatCountsVotes() {
        return redlock.acquire(
                nodes,
                AnyToken.acquire(claim(7)),
                time.nanoTime(),
                time.nanoTime() + Long.MAX_VALUE / 2,
                true,
                () -> {});
    }

    @Test
    void acquire_thatCountsVotes_waitsForOneAsLongAgainAsForTheRefusal() {
        nodes.node(0, HELD).latency(0, 10).node(1, HELD).latency(1, 10).latency(2, 20);
        assertThat(attemptThatCountsVotes()).isEqualTo(new QuorumResult.Contended(800, true));

        nodes.latency(2, 21);
        long before = time.nanoTime();
        assertThat(attemptThatCountsVotes()).isEqualTo(new QuorumResult.Contended(800, false));
        assertThat(time.nanoTime() - before).isEqualTo(MILLISECONDS.toNanos(20));
    }

    @Test
    void contended_afterAnAttemptForAnotherPermit_hasTheVotesOfBoth() {
        QuorumResult.Contended with = new QuorumResult.Contended(5, true);
        QuorumResult.Contended without = new QuorumResult.Contended(7, false);
        assertThat(with.after(without)).isEqualTo(new QuorumResult.Contended(5, true));
        assertThat(without.after(with)).isEqualTo(new QuorumResult.Contended(7, true));
        assertThat(without.after(without)).isEqualTo(without);
    }

    private void owner(int node, String owner) {
        nodes.node(node, new Reply.Seen(0, List.of(new HolderEntry(0, false, owner, 500))));
    }

    private boolean isHeld() {
        List<Target> locks = List.of(new Target.Exclusive("a"));
        return redlock.isHeld(nodes, locks, time.nanoTime() + Long.MAX_VALUE / 2);
    }

    @Test
    void owner_thatAQuorumReports_isKnown_asSoonAsThatIsDecided() {
        nodes.latency(2, 40);
        owner(0, "one");
        owner(1, "one");
        owner(2, "one");
        long before = time.nanoTime();
        assertThat(isHeld()).isTrue();
        assertThat(time.nanoTime() - before).isEqualTo(MILLISECONDS.toNanos(1));
        owner(1, "other");
        assertThat(isHeld()).as("the third node decides").isTrue();

        nodes.node(0, new Reply.Seen(0, List.of())).node(1, new Reply.Seen(0, List.of()));
        before = time.nanoTime();
        assertThat(isHeld()).isFalse();
        assertThat(time.nanoTime() - before).isEqualTo(MILLISECONDS.toNanos(1));
    }

    @Test
    void permits_thatAreAllTaken_areFreeWhenTheFirstOfThemExpires() {
        nodes.node(0, new Reply.Held(400)).node(1, new Reply.Held(410)).latency(2, 10_000);
        Command.FindPermit find = new Command.FindPermit("a", 2, 0);
        long remaining = redlock.findPermit(nodes, find, time.nanoTime() + Long.MAX_VALUE / 2)
                .remainingMillis();
        assertThat(remaining).isEqualTo(410);
        QuorumResult.Contended asked = new QuorumResult.Contended(30_000, false);
        assertThat(asked.orFreeIn(remaining)).isEqualTo(new QuorumResult.Contended(410, false));
        assertThat(asked.orFreeIn(0)).as("no node has told").isSameAs(asked);
    }

    @Test
    void quorumThatDoesNotAnswer_knowsNoOwner_andNoFreePermit() {
        owner(0, "one");
        nodes.node(1, NO_ANSWER).latency(2, 10_000);
        long before = time.nanoTime();
        assertThat(isHeld()).isFalse();
        assertThat(time.nanoTime() - before).isEqualTo(MILLISECONDS.toNanos(50));
        Command.FindPermit find = new Command.FindPermit("a", 2, 0);
        assertThat(redlock.findPermit(nodes, find, time.nanoTime() + Long.MAX_VALUE / 2)
                        .free())
                .isEmpty();
    }
}
