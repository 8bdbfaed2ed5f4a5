// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.util.List;
import org.holdfast.LockException;
import org.holdfast.LockHolder;
import org.holdfast.LockMode;
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

/** Which holders operators see, and with which token a lock is taken from them. */
class HoldersTest {

    private static final LockRequest A = LockRequest.of("a");
    private static final HolderEntry A_HOLDER = new HolderEntry(0, false, "somebody", 9);
    private static final Reply SILENCE = new Reply.NoAnswer("silence");

    /** Larger than any token that a right clock has proposed. */
    private static final long ABSURD = (1L << 53) - 1;

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final ScriptedNodes nodes = fixture.nodes;
    private final LockAdmin lockAdmin = fixture.lockAdmin;
    private final long now = fixture.time.epochMicros();

    private void everyNode(Reply reply) {
        for (int node = 0; node < 3; node++) {
            nodes.node(node, reply);
        }
    }

    private static Reply seen(long lastToken) {
        return new Reply.Seen(lastToken, List.of(A_HOLDER));
    }

    /** Each node answers an inspection so, and silently does what is asked for otherwise. */
    private void everyNodeReports(Reply ofInspection, Reply ofRelease) {
        for (int node = 0; node < 3; node++) {
            nodes.node(node, command -> command instanceof Command.Inspect ? ofInspection : ofRelease);
        }
    }

    private HeldLock heldHere(LockRequest request) throws InterruptedException {
        everyNode(new Reply.Granted());
        AcquireResult done = fixture.acquire(nodes, request, List.of(Holder.thread()));
        return ((AcquireResult.Held) done).heldLock();
    }

    private LockHolder onlyHolder(HolderEntry... reported) {
        everyNode(new Reply.Seen(7, List.of(reported)));
        List<LockHolder> holders = lockAdmin.holders(nodes, A);
        assertThat(holders).hasSize(1);
        return holders.get(0);
    }

    @Test
    void holder_ofThisProcess_isShownAsItIs() throws Exception {
        HeldLock own = heldHere(fixture.request(0));
        assertThat(onlyHolder(new HolderEntry(0, false, own.claim().owner().value(), 9)))
                .satisfies(holder -> {
                    assertThat(holder.here()).isTrue();
                    assertThat(holder.thread()).isEqualTo(Thread.currentThread().getName());
                    assertThat(holder.mode()).isEqualTo(LockMode.EXCLUSIVE);
                });
        assertThat(onlyHolder(A_HOLDER)).satisfies(holder -> {
            assertThat(holder.here()).isFalse();
            assertThat(holder.thread()).isEqualTo(LockHolder.UNKNOWN);
        });
    }

    /** Nodes may not know yet that it only reads. */
    @Test
    void holder_thatReads_isAReader_whereverThatIsKnown() throws Exception {
        HeldLock own = heldHere(fixture.request(0).mode(LockMode.READ));
        HolderEntry asWriter = new HolderEntry(0, false, own.claim().owner().value(), 9);
        assertThat(onlyHolder(asWriter).mode()).isEqualTo(LockMode.READ);
        HolderEntry reader = new HolderEntry(0, true, "somebody", 9);
        assertThat(onlyHolder(reader, A_HOLDER).mode()).isEqualTo(LockMode.READ);
        assertThat(onlyHolder(A_HOLDER, reader).mode()).isEqualTo(LockMode.READ);
        assertThat(onlyHolder(A_HOLDER, A_HOLDER).mode()).isEqualTo(LockMode.EXCLUSIVE);
    }

    @Test
    void forcedReleaseOfASemaphore_leavesTheLockOfTheSameName() throws Exception {
        HeldLock own = heldHere(fixture.request(0));
        everyNode(seen(7));
        lockAdmin.forceRelease(nodes, LockRequest.semaphore("a", 2), "");
        assertThat(own.isHeld(fixture.time.nanoTime())).isTrue();
        lockAdmin.forceRelease(nodes, A, "");
        assertThat(own.isHeld(fixture.time.nanoTime())).isFalse();
    }

    private long forcedWith() {
        return ((Command.ForceRelease)
                        nodes.sent(Command.ForceRelease.class).get(0).command())
                .token();
    }

    @Test
    void forcedRelease_whereOneNodeMakesUpAToken_isSent_whicheverNodeThatIs() {
        for (int faulty = 0; faulty < 3; faulty++) {
            everyNode(seen(7));
            nodes.node(faulty, seen(ABSURD));
            assertThatNoException().isThrownBy(() -> lockAdmin.forceRelease(nodes, A, ""));
        }
        assertThat(forcedWith()).isBetween(8L, now + 1_000_000);
    }

    /** The clock of this machine is behind by so much: the made up token must not hide theirs. */
    @Test
    void forcedRelease_whereOneNodeMakesUpAToken_exceedsThoseOfTheOthers() {
        everyNode(seen(now + 5_000_000));
        nodes.node(0, seen(ABSURD));
        lockAdmin.forceRelease(nodes, A, "");
        assertThat(forcedWith()).isGreaterThan(now + 5_000_000);
    }

    /** A smaller token would remove no holder, and the operator would believe that it did. */
    @Test
    void forcedRelease_whereABareQuorumKnowsATokenThatNoRightClockHasProposed_isNotSent() {
        everyNode(seen(ABSURD));
        nodes.node(2, SILENCE);
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> lockAdmin.forceRelease(nodes, A, ""))
                .withMessageStartingWith("HF0216:");
        assertThat(nodes.sent(Command.ForceRelease.class)).isEmpty();
    }

    @Test
    void forcedRelease_thatReachesTooFewNodes_isInTheAuditLog() {
        LogLines log = LogLines.of("org.holdfast");
        try {
            everyNodeReports(seen(7), SILENCE);
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> lockAdmin.forceRelease(nodes, A, ""));
            assertThat(log.beginningWith("HF0214"))
                    .singleElement()
                    .asString()
                    .contains("removed: on some nodes perhaps, ")
                    .contains("silence");
        } finally {
            log.close();
        }
    }

    @Test
    void token_drawnByAWrongClock_isForgottenWhenNodesRefuseIt() {
        fixture.time.setEpochMicros(now + 400_000_000);
        everyNodeReports(seen(7), new Reply.TokenSkewed(400_000));
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> lockAdmin.forceRelease(nodes, A, ""))
                .withMessageStartingWith("HF0205:");
        fixture.time.setEpochMicros(now);
        assertThat(fixture.tokens.next(0)).isEqualTo(now);
    }

    @Test
    void nodes_thatDoNotAnswer_areWaitedForAsLongAsIsSaid() {
        everyNode(new Reply.Granted());
        nodes.latency(0, 60).latency(1, 60);
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> lockAdmin.holders(nodes, A))
                .withMessageContaining(" 50 ms");
    }
}
