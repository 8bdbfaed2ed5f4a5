// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockRequest;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.LeaseBridge;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.protocol.waiting.AcquireResult;
import org.junit.jupiter.api.Test;

class LockEngineTest {

    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final ScriptedNodes nodes = fixture.nodes;
    private final ScriptedNodes service = fixture.service;
    private final VirtualTime time = fixture.time;
    private final long begun = time.nanoTime();

    private AcquireResult acquire(long waitMillis) throws InterruptedException {
        return fixture.acquire(nodes, fixture.request(waitMillis), List.of(Holder.thread()));
    }

    private HeldLock heldLock() throws InterruptedException {
        return ((AcquireResult.Held) acquire(0)).heldLock();
    }

    private void everyNode(Reply reply) {
        for (int node = 0; node < 3; node++) {
            node(node, command -> reply);
        }
    }

    /** A waiter asks through the connections of the service: the node answers there as it does here. */
    private void node(int node, Function<Command, Reply> replies) {
        nodes.node(node, replies);
        service.node(node, replies);
    }

    private int attempts() {
        return (nodes.sent(Command.Acquire.class).size()
                        + service.sent(Command.Acquire.class).size())
                / 3;
    }

    @Test
    void acquire_free_sendsOneCommandToEachNode() throws Exception {
        heldLock();
        assertThat(nodes.sent).hasSize(3);
        assertThat(service.sent).isEmpty();
    }

    @Test
    void giveBack_sendsOneReleaseWithTombstoneToEachNode() throws Exception {
        fixture.leases.giveBack(List.of(new LeaseShare(heldLock(), false)));
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
    void acquire_heldByAnother_endsExactlyWithTheWaitTimeout() throws Exception {
        everyNode(new Reply.Held(5_000));
        long before = time.nanoTime();

        assertThat(acquire(300)).isInstanceOf(AcquireResult.TimedOut.class);
        assertThat(MILLISECONDS.convert(time.nanoTime() - before, NANOSECONDS)).isBetween(300L, 301L);
    }

    @Test
    void acquire_whileContended_pausesLongerAndLonger() throws Exception {
        everyNode(new Reply.Held(5_000));
        acquire(1_000);
        assertThat(attempts()).isBetween(15, 25); // pauses of 4, 8, 15, 30, then 60 ms
    }

    @Test
    void acquire_withoutWaiting_asksOnce() throws Exception {
        everyNode(new Reply.Held(5_000));
        assertThat(acquire(0)).isInstanceOf(AcquireResult.TimedOut.class);
        assertThat(nodes.sent(Command.Acquire.class)).hasSize(3);
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

        fixture.leases.giveBack(List.of(new LeaseShare(heldLock(), false)));
        fixture.leases.giveBack(List.of(new LeaseShare(heldLock(), false)));
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
    void acquire_quorumMissingToTheEnd_tellsWhatEachNodeSaid() throws Exception {
        node(0, command -> new Reply.NotSent("refused"));
        node(1, command -> new Reply.NotSent("refused"));
        assertThat(acquire(200))
                .asInstanceOf(type(AcquireResult.Unavailable.class))
                .extracting(AcquireResult.Unavailable::failures)
                .isEqualTo(java.util.Map.of("node-0", "refused", "node-1", "refused"));
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
    void renewByHand_ofALeaseThatIsNotRenewed_isWatchedToItsNewEnd() throws Exception {
        HeldLock heldLock = ((AcquireResult.Held) fixture.acquire(
                        nodes,
                        fixture.request(0).fixedTtl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS)),
                        List.of(Holder.thread())))
                .heldLock();
        time.passMillis(600);
        assertThat(fixture.leases.renew(heldLock)).isTrue();
        boolean[] told = new boolean[1];
        heldLock.onLost(loss -> told[0] = true);
        time.passMillis(600);
        fixture.renewals.sweep(service);
        assertThat(heldLock.isHeld(time.nanoTime())).isTrue();
        time.passMillis(400);
        fixture.renewals.sweep(service);
        fixture.runNotifications();
        assertThat(told[0]).isTrue();
    }

    @Test
    void renewal_ofOneLeaseThatGoesWrong_leavesTheOthersToBeRenewed() throws Exception {
        heldLock();
        HeldLock other = ((AcquireResult.Held) fixture.acquire(
                        nodes,
                        org.holdfast.LockRequest.of("b")
                                .waitTimeout(java.time.Duration.ZERO)
                                .ttl(java.time.Duration.ofMillis(2_000)),
                        List.of(Holder.thread())))
                .heldLock();
        service.node(0, command -> {
            if (((Command.OfClaim) command).claim().target().name().equals("a")) {
                throw new IllegalStateException("a bug of the test");
            }
            return ScriptedNodes.agree(command);
        });
        for (int i = 0; i < 60; i++) {
            time.passMillis(50);
            try {
                fixture.renewals.sweep(service);
            } catch (IllegalStateException e) {
                // the heartbeat logs it and continues
            }
        }
        assertThat(other.isHeld(time.nanoTime())).isTrue();
    }

    @Test
    void close_withManyLeases_releasesThemAll() throws Exception {
        HeldLock heldLock = heldLock();
        fixture.engine.close(time.nanoTime() + 1_000_000_000);
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
        assertThat(service.sent(Command.Release.class)).hasSize(3);
    }

    @Test
    void renewal_isDueAfterAThirdOfTheTtl_andExtends() throws Exception {
        HeldLock heldLock = heldLock();
        time.passMillis(315);
        fixture.renewals.sweep(service);
        assertThat(service.sent).isEmpty();

        time.passMillis(25);
        fixture.renewals.sweep(service);
        assertThat(service.sent(Command.Renew.class)).hasSize(3);
        assertThat(fixture.leases.remaining(heldLock)).isGreaterThan(Duration.ofMillis(950));
    }

    @Test
    void renewal_ofALeaseThatWasLongInComing_isDueAThirdOfTheTtlAfterItsRequest() throws Exception {
        nodes.sendingTakes(300);
        heldLock();
        time.passMillis(40);
        fixture.renewals.sweep(service);
        assertThat(service.sent(Command.Renew.class)).hasSize(3);
    }

    @Test
    void renewal_afterRelease_isNotSent() throws Exception {
        fixture.leases.giveBack(List.of(new LeaseShare(heldLock(), false)));
        time.passMillis(500);
        fixture.renewals.sweep(service);
        assertThat(service.sent(Command.Renew.class)).isEmpty();
    }

    @Test
    void renewal_thatIsLongInSending_waitsForItsAnswersAllTheSame() throws Exception {
        HeldLock heldLock = heldLock();
        service.sendingTakes(60); // longer than a node may take to answer
        time.passMillis(340);
        fixture.renewals.sweep(service);
        time.passMillis(800);
        assertThat(fixture.leases.isHeld(heldLock)).isTrue();
    }

    @Test
    void renewal_thatFails_isTriedAgainUntilItSucceeds() throws Exception {
        HeldLock heldLock = heldLock();
        service.node(0, new Reply.NotSent("refused")).node(1, new Reply.NotSent("refused"));
        for (int i = 0; i < 20; i++) {
            time.passMillis(40);
            fixture.renewals.sweep(service);
        }
        assertThat(heldLock.isHeld(time.nanoTime())).isTrue();
        service.node(0, ScriptedNodes::agree);
        time.passMillis(40);
        fixture.renewals.sweep(service);
        assertThat(fixture.leases.remaining(heldLock)).isGreaterThan(Duration.ofMillis(900));
    }

    @Test
    void renewal_thatIsBrokenOff_isTriedAgainSoon() throws Exception {
        HeldLock heldLock = heldLock();
        service.node(0, command -> {
            throw new UnsupportedOperationException("on purpose");
        });
        fixture.time.passMillis(ProtocolFixture.TTL_MILLIS / 3 + 1);
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> fixture.renewals.sweep(service));
        service.node(0, ScriptedNodes::agree);
        fixture.time.passMillis(ProtocolFixture.TTL_MILLIS / 30 + 1);
        fixture.renewals.sweep(service);
        assertThat(fixture.leases.remaining(heldLock))
                .isGreaterThan(Duration.ofMillis(ProtocolFixture.TTL_MILLIS * 9 / 10));
    }

    @Test
    void renewal_thatFailsToTheEnd_isALossToldNoLaterThanTheEnd() throws Exception {
        HeldLock heldLock = heldLock();
        for (int node = 0; node < 3; node++) {
            service.node(node, new Reply.NoAnswer("silence"));
        }
        long end = LeaseBridge.validUntil(heldLock);
        boolean[] told = new boolean[1];
        heldLock.onLost(loss -> told[0] = true);
        while (time.nanoTime() - end < 0) {
            time.passMillis(20);
            fixture.renewals.sweep(service);
        }
        fixture.runNotifications();
        assertThat(told[0]).isTrue();
        assertThat(heldLock.loss().reason()).contains("node-0=silence");
    }

    @Test
    void renewal_refusedByAQuorum_isALossAtOnce() throws Exception {
        HeldLock heldLock = heldLock();
        service.node(0, new Reply.TokenTooSmall(Long.MAX_VALUE)).node(1, new Reply.Held(500));
        time.passMillis(340);
        fixture.renewals.sweep(service);
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
        assertThat(heldLock.loss().reason()).contains("later lease");
    }

    @Test
    void renewal_answeredAfterTheEnd_doesNotBringTheLeaseBack() throws Exception {
        HeldLock heldLock = heldLock();
        service.node(0, command -> {
            time.passMillis(2_000); // the process pauses while the renewal is under way
            return ScriptedNodes.agree(command);
        });
        time.passMillis(340);
        fixture.renewals.sweep(service);
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
    }

    private void acquireFive() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            fixture.acquire(
                    nodes,
                    org.holdfast.LockRequest.of("lock-" + i)
                            .waitTimeout(java.time.Duration.ZERO)
                            .ttl(java.time.Duration.ofMillis(1_000)),
                    List.of(Holder.thread()));
        }
    }

    @Test
    void renewals_dueTogether_areSentInOneGo() throws Exception {
        acquireFive();
        service.latency(0, 50).latency(1, 40).latency(2, 40);
        time.passMillis(340);
        long before = time.nanoTime();
        fixture.renewals.sweep(service);
        assertThat(service.sent(Command.Renew.class)).hasSize(15);
        assertThat(time.nanoTime() - before).as("the time of one round").isEqualTo(MILLISECONDS.toNanos(40));
    }

    @Test
    void sweep_whileAQuorumHangs_blocksForOneNodeTimeout() throws Exception {
        acquireFive();
        service.latency(0, 60_000).latency(1, 60_000);
        time.passMillis(340);
        long before = time.nanoTime();
        fixture.renewals.sweep(service);
        assertThat(time.nanoTime() - before)
                .isEqualTo(fixture.timing.nodeTimeout().toNanos());
    }

    @Test
    void maxHold_endsRenewals_tellsTheHolder_andTakesTheLockBackOnTheNodes() throws Exception {
        HeldLock heldLock = ((AcquireResult.Held) fixture.acquire(
                        nodes,
                        fixture.request(0).maxHold(java.time.Duration.ofMillis(1_500)),
                        List.of(Holder.thread())))
                .heldLock();
        boolean[] told = new boolean[1];
        heldLock.onLost(loss -> told[0] = true);
        for (int i = 0; i < 74; i++) {
            time.passMillis(20);
            fixture.renewals.sweep(service);
            assertThat(heldLock.isHeld(time.nanoTime())).isTrue();
        }
        int renewals = service.sent(Command.Renew.class).size();
        time.passMillis(40);
        fixture.renewals.sweep(service);
        fixture.runNotifications();
        assertThat(told[0]).isTrue();

        fixture.unfinished.retry(service, time.nanoTime() + 1_000_000);
        assertThat(service.sent(Command.Renew.class)).hasSize(renewals);
        assertThat(service.sent(Command.Release.class)).hasSize(3).allSatisfy(sent -> assertThat(
                        ((Command.Release) sent.command()).tombstone())
                .isTrue());
    }

    @Test
    void clockThatStoodStill_endsEveryLease() throws Exception {
        HeldLock heldLock = heldLock();
        fixture.engine.clockStoodStill(MILLISECONDS.toNanos(5_000));
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
        assertThat(heldLock.loss().reason()).contains("stood still for 5000 ms");
    }

    @Test
    void renewal_answeredAfterTheRelease_neitherExtendsNorReportsIt() throws Exception {
        HeldLock heldLock = heldLock();
        long validUntil = LeaseBridge.validUntil(heldLock);
        boolean[] told = new boolean[1];
        heldLock.onLost(loss -> told[0] = true);
        service.node(2, command -> {
            if (command instanceof Command.Renew) {
                fixture.leases.giveBack(
                        List.of(new LeaseShare(heldLock, false))); // by another thread, while the renewal is under way
            }
            return ScriptedNodes.agree(command);
        });
        assertThat(fixture.leases.renew(heldLock)).isFalse();
        time.passMillis(2_000);
        fixture.renewals.sweep(service);
        fixture.runNotifications();
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
        assertThat(LeaseBridge.validUntil(heldLock)).isEqualTo(validUntil);
        assertThat(heldLock.loss()).isNull();
        assertThat(told[0]).isFalse();
    }

    @Test
    void acquire_ofALockWhoseReleaseWillBeHeard_asksSeldom() throws Exception {
        everyNode(new Reply.Held(30_000));
        fixture.notifications.heard = true;
        acquire(5_000);
        assertThat(attempts()).isBetween(6, 15);
        assertThat(fixture.notifications.listening).isEmpty();
    }

    @Test
    void acquire_ofALockThatIsHeard_asksWhenItsHolderMayHaveExpired() throws Exception {
        everyNode(new Reply.Held(40));
        fixture.notifications.heard = true;
        long before = time.nanoTime();
        for (int node = 0; node < 2; node++) {
            node(
                    node,
                    command -> time.nanoTime() - before > MILLISECONDS.toNanos(41)
                            ? ScriptedNodes.agree(command)
                            : new Reply.Held(40));
        }
        assertThat(acquire(5_000)).isInstanceOf(AcquireResult.Held.class);
        assertThat(time.nanoTime() - before).isLessThan(MILLISECONDS.toNanos(100));
    }

    @Test
    void acquire_announcedBeforeTheWaitBegins_isNotMissed() throws Exception {
        fixture.notifications.heard = true;
        releasedDuringAttempt(1);
        long before = time.nanoTime();
        assertThat(acquire(5_000)).isInstanceOf(AcquireResult.Held.class);
        assertThat(time.nanoTime() - before).isLessThan(MILLISECONDS.toNanos(5));
    }

    @Test
    void acquire_announcedWhileItAsks_asksAgainAtOnce() throws Exception {
        fixture.notifications.heard = true;
        releasedDuringAttempt(6);
        acquire(5_000);
        assertThat(attempts()).isEqualTo(7);
        assertThat(time.nanoTime() - begun).isLessThan(MILLISECONDS.toNanos(3_200));
    }

    /** The holder releases just when it has refused that attempt. */
    private void releasedDuringAttempt(int attempt) {
        boolean[] released = new boolean[1];
        for (int node = 0; node < 3; node++) {
            node(node, command -> {
                if (released[0] || command instanceof Command.Release) {
                    return ScriptedNodes.agree(command);
                }
                if (attempts() == attempt) {
                    released[0] = true;
                    fixture.notifications.announce("a");
                }
                return new Reply.Held(30_000);
            });
        }
    }

    @Test
    void acquire_thatHasToWait_givesItsConnectionsBackOnceAndUsesThemNoMore() throws Exception {
        everyNode(new Reply.Held(5_000));
        NodesConnection connection = connection();
        assertThat(connection.tryAcquire(fixture.request(1_000))).isEmpty();
        assertThat(connection.waits).isOne();
        assertThat(nodes.sent(Command.Acquire.class)).hasSize(3);
        assertThat(attempts()).isGreaterThan(2);
    }

    @Test
    void acquire_thatDoesNotWait_keepsItsConnections() throws Exception {
        NodesConnection connection = connection();
        connection.acquire(fixture.request(1_000));
        assertThat(connection.waits).isZero();
    }

    private NodesConnection connection() {
        return new NodesConnection(fixture.session(Transactions.NONE), nodes);
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

    /** After a split vote no release will be announced: a caller that stopped asking would leave the lock idle. */
    @Test
    void acquire_whenContendersHaveSplitTheVotes_goesOnAskingAtShortIntervals() throws Exception {
        fixture.notifications.heard = true;
        long free = begun + MILLISECONDS.toNanos(60);
        for (int node = 0; node < 3; node++) {
            node(node, command -> time.nanoTime() - free < 0 ? new Reply.Held(30_000) : ScriptedNodes.agree(command));
        }
        assertThat(acquire(5_000)).isInstanceOf(AcquireResult.Held.class);
        assertThat(MILLISECONDS.convert(time.nanoTime() - begun, NANOSECONDS)).isLessThan(250);
    }
}
