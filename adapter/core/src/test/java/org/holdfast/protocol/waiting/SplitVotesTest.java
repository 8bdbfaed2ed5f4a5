// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import org.holdfast.LockRequest;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.HolderEntry;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/** Callers that do not wait, and ask at the same moment as others. */
class SplitVotesTest {

    private static final Reply HELD = new Reply.Held(1_000);
    private static final Reply NO_HOLDER = new Reply.Seen(0, List.of());

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private int attempts;

    /**
     * Has other callers take the votes of two nodes.
     *
     * @param splits in how many attempts
     * @param seen what each node reports of the holder
     */
    private void votesAreTaken(int splits, IntFunction<Reply> seen) {
        for (ScriptedNodes nodes : List.of(fixture.nodes, fixture.service)) {
            for (int i = 0; i < 3; i++) {
                int node = i;
                nodes.node(node, command -> reply(command, node, splits, seen));
            }
        }
    }

    private Reply reply(Command command, int node, int splits, IntFunction<Reply> seen) {
        if (command instanceof Command.Inspect || command instanceof Command.FindPermit) {
            return seen.apply(node);
        }
        if (!(command instanceof Command.Acquire)) {
            return ScriptedNodes.agree(command);
        }
        attempts += node == 0 ? 1 : 0;
        return node == 0 || attempts > splits ? new Reply.Granted() : HELD;
    }

    private void nodesAreFarAway() {
        for (ScriptedNodes nodes : List.of(fixture.nodes, fixture.service)) {
            nodes.latency(0, 40).latency(1, 40).latency(2, 40);
        }
    }

    private static Reply holder(String owner) {
        return new Reply.Seen(7, List.of(new HolderEntry(0, false, owner, 1_000)));
    }

    private AcquireResult tryAcquire(LockRequest request) throws InterruptedException {
        return fixture.acquire(fixture.nodes, request, List.of(Holder.thread()));
    }

    private int sent(Class<? extends Command> kind) {
        return fixture.nodes.sent(kind).size() + fixture.service.sent(kind).size();
    }

    @Test
    void tryAcquire_othersAskAtTheSameMoment_asksAgainAfterSomeMilliseconds() throws Exception {
        votesAreTaken(1, node -> node == 0 ? NO_HOLDER : holder("other " + node));
        long began = fixture.time.nanoTime();

        assertThat(tryAcquire(fixture.request(0))).isInstanceOf(AcquireResult.Held.class);
        assertThat(attempts).isEqualTo(2);
        assertThat((fixture.time.nanoTime() - began) / 1_000_000).isBetween(5L, 12L);
    }

    @Test
    void tryAcquire_quorumHasAHolder_isRefusedWithoutASecondAttempt() throws Exception {
        votesAreTaken(1, node -> node == 0 ? NO_HOLDER : holder("one"));

        assertThat(tryAcquire(fixture.request(0))).isInstanceOf(AcquireResult.TimedOut.class);
        assertThat(attempts).isOne();
        assertThat(sent(Command.Inspect.class)).isEqualTo(3);
    }

    @Test
    void tryAcquire_noNodeVotesForIt_asksNothingMore() throws Exception {
        fixture.nodes.node(0, HELD).node(1, HELD).node(2, HELD);

        assertThat(tryAcquire(fixture.request(0))).isInstanceOf(AcquireResult.TimedOut.class);
        assertThat(fixture.nodes.sent(Command.Acquire.class)).hasSize(3);
        assertThat(sent(Command.Inspect.class)).isZero();
    }

    @Test
    void tryAcquire_nodeThatMightVoteHangs_waitsAsLongAgainAndNoLonger() throws Exception {
        fixture.nodes.node(1, HELD).node(2, HELD).latency(0, 45).latency(1, 3).latency(2, 3);
        long began = fixture.time.nanoTime();

        assertThat(tryAcquire(fixture.request(0))).isInstanceOf(AcquireResult.TimedOut.class);
        assertThat((fixture.time.nanoTime() - began) / 1_000_000).isEqualTo(6);
    }

    @Test
    void tryAcquire_votesAreSplitAgainAndAgain_givesUpAfterAWhile() throws Exception {
        votesAreTaken(1_000, node -> NO_HOLDER);
        long began = fixture.time.nanoTime();

        assertThat(tryAcquire(fixture.request(0))).isInstanceOf(AcquireResult.TimedOut.class);
        assertThat(attempts).isBetween(6, 14);
        assertThat((fixture.time.nanoTime() - began) / 1_000_000).isBetween(500L, 510L);
        assertThat(fixture.waitQueues.waiters()).isZero();
    }

    @Test
    void tryAcquire_nodesAreFarAway_pausesForSeveralRoundTrips() throws Exception {
        votesAreTaken(1, node -> NO_HOLDER);
        nodesAreFarAway();
        long began = fixture.time.nanoTime();

        assertThat(tryAcquire(fixture.request(0))).isInstanceOf(AcquireResult.Held.class);
        assertThat((fixture.time.nanoTime() - began) / 1_000_000) // three rounds, and a pause of two to four of them
                .isBetween(5 * 40L, 8 * 40L);
    }

    @Test
    void tryAcquire_nodesAreFarAwayAndVotesAreSplitAgain_goesOnForLonger() throws Exception {
        votesAreTaken(2, node -> NO_HOLDER);
        nodesAreFarAway();
        long began = fixture.time.nanoTime();

        assertThat(tryAcquire(fixture.request(0))).isInstanceOf(AcquireResult.Held.class);
        assertThat(attempts).isEqualTo(3);
        assertThat((fixture.time.nanoTime() - began) / 1_000_000).isGreaterThan(500);
    }

    @Test
    void tryAcquire_votesForAPermitAreSplit_asksWhileAnotherIsFree() throws Exception {
        votesAreTaken(2, node -> new Reply.Free(1));
        LockRequest permit =
                LockRequest.semaphore("a", 2).waitTimeout(Duration.ZERO).ttl(Duration.ofSeconds(1));

        assertThat(tryAcquire(permit)).isInstanceOf(AcquireResult.Held.class);
        assertThat(attempts).isEqualTo(3);
    }

    @Test
    void tryAcquire_nextPermitHasNoVotesLeft_asksWhileOneIsFree() throws Exception {
        votesAreTaken(2, node -> new Reply.Free(1));
        fixture.nodes.node(0, command -> lastVoteIsTaken(command));
        fixture.service.node(0, command -> lastVoteIsTaken(command));
        LockRequest permit =
                LockRequest.semaphore("a", 2).waitTimeout(Duration.ZERO).ttl(Duration.ofSeconds(1));

        assertThat(tryAcquire(permit)).isInstanceOf(AcquireResult.Held.class);
        assertThat(attempts).isEqualTo(3);
    }

    /** The second attempt finds other callers on all nodes. */
    private Reply lastVoteIsTaken(Command command) {
        Reply reply = reply(command, 0, 2, node -> new Reply.Free(1));
        return command instanceof Command.Acquire && attempts == 2 ? HELD : reply;
    }

    @Test
    void acquire_thatWaits_doesNotAskWhetherVotesWereSplit() throws Exception {
        votesAreTaken(1, node -> NO_HOLDER);

        assertThat(tryAcquire(fixture.request(500))).isInstanceOf(AcquireResult.Held.class);
        assertThat(sent(Command.Inspect.class)).isZero();
    }
}
