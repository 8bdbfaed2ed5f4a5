// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Test;

/** Releases that nodes have not confirmed, sent again in batches. */
class UnfinishedReleasesTest {

    private static final long SOON = MILLISECONDS.toNanos(20);
    private static final long LATER = MILLISECONDS.toNanos(100);
    private static final Reply SILENCE = new Reply.NoAnswer("silence");

    private final VirtualTime time = new VirtualTime();
    private final ScriptedNodes nodes = new ScriptedNodes(time, 3);

    /** Within how many nanoseconds it was to be called again. */
    private final List<Long> sweeps = new ArrayList<>();

    private final UnfinishedReleases unfinished = new UnfinishedReleases(time, 3, sweeps::add);

    private void add(int count, NodeSet missedBy) {
        for (int i = 0; i < count; i++) {
            Claim claim = new Claim(
                    new Target.Exclusive("lock-" + i), new Owner(String.format("%040x", i)), i + 1, 1_000, 1_000);
            unfinished.add(missedBy, Command.Release.ofLease(claim));
        }
    }

    private void retry() {
        sweeps.clear();
        unfinished.retry(nodes, time.nanoTime() + MILLISECONDS.toNanos(50));
    }

    private int sentTo(int node) {
        return (int) nodes.sent(Command.Release.class).stream()
                .filter(sent -> sent.node() == node)
                .count();
    }

    @Test
    void releases_ofANodeThatConfirmsOne_areAllSentInTheSameSweep() {
        add(5, NodeSet.of(1));
        assertThat(sweeps).containsOnly(SOON);
        retry();
        assertThat(nodes.sent).hasSize(5).allMatch(sent -> sent.node() == 1);
        assertThat(unfinished.size()).isZero();
        assertThat(sweeps).as("nothing is left to do").isEmpty();
        assertThat(nodes.roundsNotLeft()).isZero();
    }

    /** A node that came back is not flooded. */
    @Test
    void releases_thatAreMoreThanABatch_areSentOneBatchSoonAfterTheOther() {
        add(301, NodeSet.of(1));
        retry();
        assertThat(sentTo(1)).isEqualTo(201);
        assertThat(sweeps).containsExactly(SOON);
        retry();
        assertThat(sentTo(1)).isEqualTo(301);
        assertThat(sweeps).isEmpty();
    }

    @Test
    void releases_ofANodeThatIsSilent_areAskedAboutByOneEachTime() {
        nodes.node(1, SILENCE);
        add(5, NodeSet.first(3));
        retry();
        assertThat(sentTo(1)).isOne();
        assertThat(sentTo(2)).as("of the next node").isEqualTo(5);
        assertThat(unfinished.size()).isEqualTo(5);
        assertThat(sweeps).contains(LATER).last().isEqualTo(LATER);
        assertThat(nodes.roundsNotLeft()).isZero();
    }

    /** As where a node is a cluster, and one of its shards hangs. */
    @Test
    void releases_byARouteThatConfirmsOne_areAllSent_whileThoseByAnotherRouteAreSilent() {
        nodes.routes(command -> isAmongFirst(command, 300))
                .node(1, command -> isAmongFirst(command, 300) ? SILENCE : ScriptedNodes.agree(command));
        add(305, NodeSet.of(1));
        retry();
        assertThat(unfinished.size()).as("by the route that is silent").isEqualTo(300);
        assertThat(sentTo(1)).isEqualTo(5 + 1);
        retry();
        assertThat(sentTo(1)).isEqualTo(5 + 2);
        assertThat(sweeps).last().isEqualTo(LATER);
        nodes.node(1, ScriptedNodes::agree);
        retry();
        retry();
        assertThat(unfinished.size()).isZero();
        assertThat(nodes.roundsNotLeft()).isZero();
    }

    @Test
    void releases_thatCannotBeSent_areKept() {
        add(5, NodeSet.of(1));
        nodes.routes(command -> {
            throw new OutOfMemoryError("on purpose");
        });
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this::retry);
        assertThat(unfinished.size()).isEqualTo(5);
        nodes.routes(Command::getClass).node(1, command -> {
            throw new OutOfMemoryError("on purpose");
        });
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this::retry);
        assertThat(unfinished.size()).isEqualTo(5);
    }

    private static boolean isAmongFirst(Command command, int count) {
        return ((Command.Release) command).claim().token() <= count;
    }

    /** Leases are renewed on the same thread: a node timeout may be longer than a TTL. */
    @Test
    void node_thatIsSlow_isNotWaitedForAndSentTheRestWhenItHasAnswered() {
        nodes.keepsLateAnswers().latency(1, 60);
        add(5, NodeSet.of(1));
        long begun = time.nanoTime();
        retry();
        assertThat(time.nanoTime() - begun).isLessThanOrEqualTo(MILLISECONDS.toNanos(10));
        assertThat(sentTo(1)).isOne();
        nodes.lateAnswersCome(1);
        assertThat(sweeps).last().isEqualTo(SOON);
        retry();
        assertThat(sentTo(1)).isEqualTo(5);
        nodes.lateAnswersCome(4);
        assertThat(unfinished.size()).isZero();
        assertThat(nodes.roundsNotLeft()).isZero();
    }

    /** Its answers may still come, and then say nothing. */
    @Test
    void release_thatIsNotConfirmedInTime_isKept() {
        nodes.latency(1, 60);
        nodes.node(1, SILENCE);
        add(2, NodeSet.of(1));
        retry();
        assertThat(unfinished.size()).isEqualTo(2);
        assertThat(sentTo(1)).isOne();
        assertThat(sweeps).contains(LATER);
        assertThat(nodes.roundsNotLeft()).isZero();
        nodes.latency(1, 1).node(1, ScriptedNodes::agree);
        retry();
        assertThat(unfinished.size()).isZero();
        assertThat(sentTo(1)).isEqualTo(3);
    }

    @Test
    void releases_ofAServiceThatEnds_areSentBatchByBatchWhileTheyAreConfirmed() {
        add(500, NodeSet.of(1));
        add(1, NodeSet.of(2));
        nodes.node(2, SILENCE);
        unfinished.retryAll(nodes, until -> {}, time.nanoTime() + MILLISECONDS.toNanos(2_000));
        assertThat(sentTo(1)).isEqualTo(500);
        assertThat(unfinished.size()).as("of the node that is silent").isOne();
        assertThat(sentTo(2)).isLessThan(6);
    }

    @Test
    void release_inABatch_thatIsNotConfirmed_isKept() {
        add(5, NodeSet.of(1));
        nodes.node(1, command -> sentTo(1) == 3 ? SILENCE : ScriptedNodes.agree(command));
        retry();
        assertThat(sentTo(1)).isEqualTo(5);
        assertThat(unfinished.size()).isOne();
        assertThat(sweeps).contains(LATER);
        nodes.node(1, ScriptedNodes::agree);
        retry();
        assertThat(unfinished.size()).isZero();
        assertThat(sentTo(1)).isEqualTo(6);
    }

    private static final List<Reply> CONFIRMATIONS =
            List.of(new Reply.Released(0), new Reply.Gone(), new Reply.Held(5));

    private static final List<Reply> FAILURES =
            List.of(SILENCE, new Reply.NotSent("refused"), new Reply.Refused("LOADING"));

    @Test
    void release_isKept_whereItFailed_andOnlyThere() {
        Command.Release release = Command.Release.ofLease(
                new Claim(new Target.Exclusive("x"), new Owner("a".repeat(40)), 1, 1_000, 1_000));
        CONFIRMATIONS.forEach(reply -> unfinished.addUnlessConfirmed(new Answer(0, reply, 0), release));
        assertThat(unfinished.size()).isZero();
        FAILURES.forEach(reply -> unfinished.addUnlessConfirmed(new Answer(0, reply, 0), release));
        assertThat(unfinished.size()).isEqualTo(3);
    }

    @Test
    void release_thatIsSentAgain_isDone_whateverANodeSaysThatHasRunIt() {
        for (Reply reply : CONFIRMATIONS) {
            add(1, NodeSet.of(1));
            nodes.node(1, reply);
            retry();
            assertThat(unfinished.size()).as("after %s", reply).isZero();
        }
        for (Reply reply : FAILURES) {
            add(1, NodeSet.of(1));
            nodes.node(1, reply);
            retry();
            assertThat(unfinished.size()).as("after %s", reply).isOne();
            nodes.node(1, ScriptedNodes::agree);
            retry();
        }
    }
}
