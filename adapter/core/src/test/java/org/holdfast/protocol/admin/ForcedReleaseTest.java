// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.holdfast.LockException;
import org.holdfast.LockHolder;
import org.holdfast.LockRequest;
import org.holdfast.LogLines;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.HolderEntry;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.waiting.AcquireResult;
import org.junit.jupiter.api.Test;

/** What operators see and do over nodes that may send any reply. */
class ForcedReleaseTest {

    private static final LockRequest A = LockRequest.of("a");
    private static final Reply NO_HOLDER = new Reply.Seen(0, List.of());
    private static final HolderEntry A_HOLDER = new HolderEntry(0, false, "somebody", 9);

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final ScriptedNodes nodes = fixture.nodes;
    private final LockAdmin lockAdmin = fixture.lockAdmin;

    private void everyNode(Reply reply) {
        for (int node = 0; node < 3; node++) {
            nodes.node(node, reply);
        }
    }

    @Test
    void node_thatTellsOfAHolderTwice_countsOnce() {
        everyNode(NO_HOLDER);
        nodes.node(1, new Reply.Seen(7, List.of(A_HOLDER, A_HOLDER, new HolderEntry(0, true, "somebody", 5))));
        assertThat(lockAdmin.holders(nodes, A)).singleElement().satisfies(seen -> {
            assertThat(seen.nodeCount()).isEqualTo(1);
            assertThat(seen.remaining()).hasMillis(9);
        });
    }

    @Test
    void node_thatMakesUpALock_isNotBelieved() {
        everyNode(NO_HOLDER);
        nodes.node(1, new Reply.Seen(7, List.of(new HolderEntry(1, false, "somebody", 9), A_HOLDER)));
        assertThat(lockAdmin.holders(nodes, A)).extracting(LockHolder::name).containsExactly("a");
    }

    @Test
    void node_thatIsSlow_isWaitedForAsItMayKnowMore() {
        everyNode(NO_HOLDER);
        nodes.node(2, new Reply.Seen(7, List.of(A_HOLDER))).latency(2, 45);
        assertThat(lockAdmin.holders(nodes, A)).hasSize(1);
        nodes.latency(2, 55); // longer than the node timeout
        assertThat(lockAdmin.holders(nodes, A)).isEmpty();
    }

    @Test
    void holdersOfManyLocks_areAskedForInOneGo() {
        everyNode(new Reply.Seen(7, List.of(A_HOLDER)));
        nodes.latency(2, 45);
        long begun = fixture.time.nanoTime();
        List<LockRequest> many =
                IntStream.range(0, 50).mapToObj(i -> LockRequest.of("n" + i)).toList();
        List<List<LockHolder>> holders = lockAdmin.holdersOfEach(nodes, many).stream()
                .map(Optional::orElseThrow)
                .toList();
        assertThat(Duration.ofNanos(fixture.time.nanoTime() - begun)).isLessThan(Duration.ofMillis(90));
        assertThat(holders).hasSize(50).allSatisfy(each -> assertThat(each)
                .singleElement()
                .satisfies(holder -> assertThat(holder.nodeCount()).isEqualTo(3)));
        assertThat(holders.get(49).get(0).name()).isEqualTo("n49");
        assertThat(nodes.roundsNotLeft()).isZero();
    }

    @Test
    void forceRelease_isSentWithATokenLargerThanAnyOnRecord() {
        long ahead = fixture.time.epochMicros() + 1_000_000;
        everyNode(new Reply.Seen(7, List.of(A_HOLDER)));
        nodes.node(2, new Reply.Seen(ahead, List.of()));
        lockAdmin.forceRelease(nodes, A, "");
        assertThat(nodes.sent(Command.ForceRelease.class)).hasSize(3).allSatisfy(sent -> assertThat(
                        ((Command.ForceRelease) sent.command()).token())
                .isGreaterThan(ahead));
    }

    @Test
    void forceRelease_isNotSentWithATokenThatOneNodeMakesUp() {
        everyNode(new Reply.Seen(7, List.of(A_HOLDER)));
        nodes.node(2, new Reply.Seen((1L << 53) - 1, List.of()));
        lockAdmin.forceRelease(nodes, A, "");
        assertThat(nodes.sent(Command.ForceRelease.class)).hasSize(3).allSatisfy(sent -> assertThat(
                        ((Command.ForceRelease) sent.command()).token())
                .isBetween(8L, fixture.time.epochMicros()));
    }

    @Test
    void forceRelease_whereAQuorumKnowsATokenThatNoRightClockHasProposed_isNotSentAndSaysSo() {
        long ahead = fixture.time.epochMicros() + 3_600_000_000L;
        everyNode(new Reply.Seen(ahead, List.of(A_HOLDER)));
        nodes.node(0, new Reply.Seen(7, List.of())); // it has missed that
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> lockAdmin.forceRelease(nodes, A, ""))
                .withMessageStartingWith("HF0216:")
                .withMessageContaining("3599 s ahead");
        assertThat(nodes.sent(Command.ForceRelease.class)).isEmpty();
    }

    @Test
    void forceRelease_withAWrongClock_isRefusedAndTheHolderHereStaysIn() throws Exception {
        HeldLock heldLock =
                ((AcquireResult.Held) fixture.acquire(nodes, fixture.request(0), List.of(Holder.thread()))).heldLock();
        for (int node = 0; node < 3; node++) {
            nodes.node(
                    node,
                    command -> command instanceof Command.Inspect
                            ? new Reply.Seen(7, List.of(A_HOLDER))
                            : new Reply.TokenSkewed(1_000_000));
        }
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> lockAdmin.forceRelease(nodes, A, ""))
                .withMessageStartingWith("HF0205:");
        assertThat(heldLock.isHeld(fixture.time.nanoTime())).isTrue();
    }

    @Test
    void forceRelease_whereNobodyHasTheLock_isNotSent() {
        everyNode(NO_HOLDER);
        assertThat(lockAdmin.forceRelease(nodes, A, "")).isEmpty();
        assertThat(nodes.sent(Command.ForceRelease.class)).isEmpty();
    }

    /** Its key may linger on nodes, where it keeps others out. */
    @Test
    void forceRelease_whereNoHolderIsSeenAndATokenIsOnRecord_isSentUnlessOneHolderIsMeant() {
        everyNode(NO_HOLDER);
        nodes.node(1, new Reply.Seen(7, List.of()));
        assertThat(lockAdmin.forceRelease(nodes, A, 7, "")).isEmpty();
        assertThat(nodes.sent(Command.ForceRelease.class)).isEmpty();
        assertThat(lockAdmin.forceRelease(nodes, A, "")).isEmpty();
        assertThat(nodes.sent(Command.ForceRelease.class)).hasSize(3);
    }

    @Test
    void forceRelease_thatReachesTooFewNodes_saysSoAndTheHolderHereIsOutAllTheSame() throws Exception {
        HeldLock heldLock =
                ((AcquireResult.Held) fixture.acquire(nodes, fixture.request(0), List.of(Holder.thread()))).heldLock();
        for (int node = 0; node < 3; node++) {
            nodes.node(
                    node,
                    command -> command instanceof Command.Inspect
                            ? new Reply.Seen(7, List.of(A_HOLDER))
                            : new Reply.NoAnswer("silence"));
        }
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> lockAdmin.forceRelease(nodes, A, ""))
                .withMessageContaining("silence");
        assertThat(heldLock.loss().reason()).contains("by force");
    }

    @Test
    void operators_ofAServiceThatWasStopped_areTurnedAway() {
        fixture.engine.close(fixture.time.nanoTime());
        assertThatIllegalStateException().isThrownBy(() -> lockAdmin.holders(nodes, A));
        assertThatIllegalStateException().isThrownBy(() -> lockAdmin.forceRelease(nodes, A, ""));
        assertThat(nodes.sent).isEmpty();
    }

    private HeldLock heldHere() throws InterruptedException {
        AcquireResult done = fixture.acquire(nodes, fixture.request(0), List.of(Holder.thread()));
        return ((AcquireResult.Held) done).heldLock();
    }

    /** It learns of it at once, and not at its next renewal. */
    @Test
    void forceRelease_ofALockThatIsHeldHere_endsThatLeaseAtOnce_andNoLaterOne() throws Exception {
        HeldLock heldLock = heldHere();
        everyNode(new Reply.Seen(7, List.of(A_HOLDER)));
        assertThat(lockAdmin.forceRelease(nodes, A, "")).hasSize(1);
        assertThat(heldLock.loss().reason())
                .isEqualTo("an operator released the lock by force"); // spans have it where names are hidden
        everyNode(new Reply.Granted());
        HeldLock later = heldHere();
        long present = fixture.time.epochMicros();
        fixture.time.setEpochMicros(present - 10_000_000); // so the next token is not larger than that of the holder
        everyNode(NO_HOLDER);
        lockAdmin.forceRelease(nodes, A, "");
        assertThat(later.isHeld(fixture.time.nanoTime())).isTrue();
    }

    @Test
    void forceRelease_isInTheAuditLog_withWhatItRemoved() {
        LogLines log = LogLines.of("org.holdfast");
        try {
            everyNode(NO_HOLDER);
            lockAdmin.forceRelease(nodes, A, "");
            assertThat(log.beginningWith("HF0214")).singleElement().asString().endsWith("removed: no holder had it");
            everyNode(new Reply.Seen(7, List.of(A_HOLDER)));
            lockAdmin.forceRelease(nodes, A, "");
            assertThat(log.beginningWith("HF0214"))
                    .last()
                    .asString()
                    .contains("of process 42 on host test-host; removed: EXCLUSIVE 'a' held by")
                    .endsWith("on 3 nodes");
            lockAdmin.forceRelease(nodes, A, "jane: hangs\nHF0214: forged " + "x".repeat(300));
            assertThat(log.beginningWith("HF0214"))
                    .last()
                    .asString()
                    .matches(".* on host test-host, because: 'jane: hangs\\?HF0214: forged x{273}'; removed: .*");
        } finally {
            log.close();
        }
    }

    @Test
    void reason_thatHasQuotes_imitatesNothingInTheAudit() {
        try (LogLines log = LogLines.of("org.holdfast")) {
            everyNode(new Reply.Seen(7, List.of(A_HOLDER)));
            lockAdmin.forceRelease(nodes, LockRequest.of("a' b"), "hangs'; removed: nothing \\' at all");
            assertThat(log.beginningWith("HF0214"))
                    .singleElement()
                    .asString()
                    .contains("forced release of 'a\\' b', asked")
                    .contains(
                            ", because: 'hangs\\'; removed: nothing \\\\\\' at all'; removed: EXCLUSIVE 'a\\' b' held");
        }
    }

    /** A process may be killed before the nodes have answered. */
    @Test
    void forceRelease_isInTheAuditLogBeforeItIsSent() {
        try (LogLines log = LogLines.of("org.holdfast")) {
            for (int node = 0; node < 3; node++) {
                nodes.node(node, command -> {
                    assertThat(log.beginningWith("HF0235")).hasSize(command instanceof Command.Inspect ? 0 : 1);
                    return new Reply.Seen(7, List.of(A_HOLDER));
                });
            }
            lockAdmin.forceRelease(nodes, A, "jane: hangs");
            assertThat(nodes.sent(Command.ForceRelease.class)).hasSize(3);
            assertThat(log.beginningWith("HF0235"))
                    .singleElement()
                    .asString()
                    .contains("because: 'jane: hangs'; held by: EXCLUSIVE 'a' held by");
        }
    }

    @Test
    void forceRelease_thatFailsByAWrongClock_isInTheAuditLog() {
        try (LogLines log = LogLines.of("org.holdfast")) {
            for (int node = 0; node < 3; node++) {
                nodes.node(
                        node,
                        command -> command instanceof Command.Inspect
                                ? new Reply.Seen(7, List.of(A_HOLDER))
                                : new Reply.TokenSkewed(1_000_000));
            }
            assertThatExceptionOfType(LockException.class).isThrownBy(() -> lockAdmin.forceRelease(nodes, A, ""));
            assertThat(log.beginningWith("HF0214"))
                    .singleElement()
                    .asString()
                    .contains("removed: on some nodes perhaps, HF0205:");
        }
    }

    private boolean isLocked(Reply... replies) {
        for (int node = 0; node < 3; node++) {
            nodes.node(node, replies[node]);
        }
        return lockAdmin.isLocked(nodes, A);
    }

    /** A node that does not answer may be the one that makes it a majority. */
    @Test
    void lock_isLocked_whereAMajorityMayKnowTheHolder() {
        Reply holder = new Reply.Seen(7, List.of(A_HOLDER));
        assertThat(isLocked(NO_HOLDER, NO_HOLDER, NO_HOLDER)).isFalse();
        assertThat(isLocked(holder, NO_HOLDER, NO_HOLDER)).isFalse();
        assertThat(isLocked(holder, holder, NO_HOLDER)).isTrue();
        assertThat(isLocked(holder, NO_HOLDER, new Reply.NoAnswer("silence"))).isTrue();
        assertThat(isLocked(NO_HOLDER, NO_HOLDER, new Reply.NoAnswer("silence")))
                .isFalse();
    }

    @Test
    void lock_thatIsHeldHere_isLocked_withoutTheNodes() throws Exception {
        HeldLock heldLock = heldHere();
        assertThat(isLocked(NO_HOLDER, NO_HOLDER, NO_HOLDER)).isTrue();
        assertThat(nodes.sent(Command.Inspect.class)).isEmpty();
        assertThat(lockAdmin.isLocked(nodes, LockRequest.of("b"))).isFalse();
        assertThat(lockAdmin.isLocked(nodes, LockRequest.semaphore("a", 2)))
                .as("which is another lock")
                .isFalse();
        heldLock.lose("a test", fixture.time.nanoTime());
        assertThat(lockAdmin.isLocked(nodes, A)).isFalse();
        assertThat(nodes.roundsNotLeft()).isZero();
    }
}
