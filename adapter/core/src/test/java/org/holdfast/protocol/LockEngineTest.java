// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseScope;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.HolderInfo;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.waiting.AcquireResult;
import org.junit.jupiter.api.Test;

/** What a process asks of the nodes to take a lock, to take it again, and to give it back. */
class LockEngineTest extends EngineOnThreeNodes {

    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    @Test
    void acquire_free_sendsOneCommandToEachNode() throws Exception {
        heldLock();
        assertThat(nodes.sent).hasSize(3);
        assertThat(service.sent).isEmpty();
    }

    @Test
    void giveBack_sendsOneReleaseWithTombstoneToEachNode() throws Exception {
        fixture.leases.giveBack(List.of(LeaseShare.of(heldLock(), false)));
        assertThat(service.sent).hasSize(3).allSatisfy(sent -> assertThat(
                        ((Command.Release) sent.command()).tombstone())
                .isTrue());
    }

    @Test
    void close_whileNodesHangForLonger_endsAtTheDeadline() throws Exception {
        heldLock();
        fixture.acquire(
                nodes,
                LockRequest.of("b").waitTimeout(Duration.ZERO).ttl(TEN_SECONDS).atLeast(TEN_SECONDS),
                List.of(Holder.thread()));
        for (int node = 0; node < 3; node++) {
            service.latency(node, 10_000);
        }
        long deadline = time.nanoTime() + MILLISECONDS.toNanos(20); // a node timeout is longer
        fixture.engine.close(deadline);
        assertThat(time.nanoTime()).isEqualTo(deadline);
    }

    @Test
    void engine_reportsWhichNamesAreHeld() throws Exception {
        assertThat(fixture.engine.held()).isZero();
        heldLock();
        takeAgain(LockRequest.of("b"));
        assertThat(fixture.engine.held()).isEqualTo(2);
        assertThat(fixture.engine.heldNames(10)).containsExactly("a", "b");
        assertThat(fixture.engine.heldNames(1)).containsExactly("a");
    }

    /** No sweep comes after the stop. */
    @Test
    void listener_thatHasNoThreadYet_isToldWhenTheServiceStops() throws Exception {
        List<LeaseLoss> told = new ArrayList<>();
        takeAgain(LockRequest.of("a")).onLost(told::add);
        fixture.threads = task -> {
            throw new RejectedExecutionException("no thread");
        };
        fixture.engine.clockStoodStill(1);
        fixture.threads = fixture.lossNotices::add;
        fixture.engine.close(time.nanoTime() + 1_000_000_000);
        fixture.runNotifications();
        assertThat(told).hasSize(1);
    }

    private static String owner(long token) {
        HolderInfo info = new HolderInfo(new ProcessInfo("other", 7), "thread", LockMode.EXCLUSIVE, token, 1);
        return info.owner(new byte[20]).value();
    }

    /** It was let go first; from then on nothing is to be waited for. */
    @Test
    void acquire_afterAnotherProcessHasHadTheLock_asksAtOnce() throws Exception {
        HeldLock first = heldLock();
        everyNode(new Reply.Released(1));
        fixture.leases.giveBack(List.of(LeaseShare.of(first, false)));
        everyNode(new Reply.Granted());
        fixture.notifications.announce("a", owner(first.claim().lastToken() + 2));
        long before = time.nanoTime();
        assertThat(acquire(1_000)).isInstanceOf(AcquireResult.Held.class);
        assertThat(time.nanoTime() - before).isLessThan(MILLISECONDS.toNanos(2));
    }

    @Test
    void acquire_eachAttempt_hasANewOwnerAndALargerToken() throws Exception {
        everyNode(new Reply.Held(5_000));
        acquire(200);
        List<Command.Acquire> commands = nodes.sent(Command.Acquire.class).stream()
                .filter(sent -> sent.node() == 0)
                .map(sent -> (Command.Acquire) sent.command())
                .toList();
        assertThat(commands).extracting(command -> command.claim().owner()).doesNotHaveDuplicates();
        assertThat(commands)
                .extracting(command -> command.claim().token())
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void acquire_tokenTooSmall_costsOneMoreRoundWithALargerToken() throws Exception {
        long far = time.epochMicros() + 1_000_000;
        for (int node = 0; node < 3; node++) {
            nodes.node(
                    node,
                    command -> command instanceof Command.Acquire acquire
                                    && acquire.claim().token() <= far
                            ? new Reply.TokenTooSmall(far)
                            : ScriptedNodes.agree(command));
        }
        assertThat(heldLock().token()).isEqualTo(far + 2);
        assertThat(nodes.sent(Command.Acquire.class)).hasSize(6);

        fixture.leases.giveBack(List.of(LeaseShare.of(heldLock(), false)));
        fixture.leases.giveBack(List.of(LeaseShare.of(heldLock(), false)));
        assertThat(nodes.sent(Command.Acquire.class))
                .as("the slow clock costs once")
                .hasSizeLessThanOrEqualTo(9);
    }

    /** With such a token on record everywhere, no other would ever be granted. */
    @Test
    void acquire_oneNodeWithAnAbsurdToken_goesOnFromTheOthers() throws Exception {
        long far = time.epochMicros() + 1_000_000;
        nodes.node(0, new Reply.TokenTooSmall(1L << 53));
        nodes.node(
                1,
                command -> command instanceof Command.Acquire acquire
                                && acquire.claim().token() <= far
                        ? new Reply.TokenTooSmall(far)
                        : ScriptedNodes.agree(command));
        assertThat(heldLock().token()).isEqualTo(far + 2);
    }

    @Test
    void acquire_again_sharesWithoutAsking() throws Exception {
        HeldLock first = heldLock();
        assertThat(heldLock()).isSameAs(first);
        assertThat(nodes.sent).hasSize(3);
    }

    @Test
    void acquire_afterLoss_asksAnew() throws Exception {
        HeldLock first = heldLock();
        time.passMillis(1_000);
        assertThat(heldLock()).isNotSameAs(first);
    }

    @Test
    void acquire_afterClose_failsWithoutAsking() throws Exception {
        fixture.engine.close(time.nanoTime() + 1_000_000_000);
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::heldLock);
        assertThat(nodes.sent).isEmpty();
    }

    @Test
    void acquire_grantedWhileTheServiceCloses_isReleasedThroughTheCallersConnections() {
        nodes.node(2, command -> {
            fixture.engine.close(time.nanoTime() + 1_000_000_000);
            return ScriptedNodes.agree(command);
        });
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::heldLock);
        assertThat(nodes.sent(Command.Release.class)).hasSize(3);
    }

    @Test
    void close_withManyLeases_releasesThemAll() throws Exception {
        HeldLock heldLock = heldLock();
        fixture.engine.close(time.nanoTime() + 1_000_000_000);
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
        assertThat(service.sent(Command.Release.class)).hasSize(3);
    }

    private Lease takeAgain(LockRequest request) throws InterruptedException {
        return connection().acquire(request.scope(LeaseScope.HOLDER));
    }

    /** This process has the lock: that is known without the nodes. */
    @Test
    void acquire_ofALockThatThisProcessHolds_asksNothing() throws Exception {
        AcquireResult held = fixture.acquire(fixture.nodes, fixture.request(0), List.of(Holder.thread()));
        assertThat(held).isInstanceOf(AcquireResult.Held.class);
        int before = fixture.service.sent(Command.Acquire.class).size();
        List<Holder> other = List.of(Holder.transaction("other"));
        assertThat(fixture.acquire(fixture.nodes, fixture.request(100), other))
                .isInstanceOf(AcquireResult.TimedOut.class);
        assertThat(fixture.service.sent(Command.Acquire.class)).hasSize(before);
    }

    @Test
    void acquire_again_withOtherTerms_isRefused() throws Exception {
        takeAgain(LockRequest.of("a").maxHold(TEN_SECONDS));
        List<LockRequest> refused = List.of(
                LockRequest.of("a").ttl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS + 1)),
                LockRequest.of("a").ttl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS - 1)),
                LockRequest.of("a").fixedTtl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS)),
                LockRequest.of("a").maxHold(TEN_SECONDS.minusMillis(1)));
        for (LockRequest request : refused) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> takeAgain(request))
                    .withMessageContaining("already")
                    .withMessageContaining("asks for");
        }
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> takeAgain(refused.get(3)))
                .withMessageContaining("a maxHold of PT10S, and asks for PT9.999S");
        takeAgain(LockRequest.of("a"));
        takeAgain(LockRequest.of("a").ttl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS)));
        takeAgain(LockRequest.of("a").maxHold(TEN_SECONDS));
        takeAgain(LockRequest.of("a").maxHold(TEN_SECONDS.plusMillis(1)));
        takeAgain(LockRequest.of("b")); // another lock, without a bound
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> takeAgain(LockRequest.of("b").maxHold(TEN_SECONDS)))
                .withMessageContaining("no maxHold, and asks for PT10S");
    }

    @Test
    void listener_thatIsNone_isRefused() throws Exception {
        Lease lease = takeAgain(LockRequest.of("a"));
        assertThatExceptionOfType(NullPointerException.class).isThrownBy(() -> lease.onLost(null));
    }
}
