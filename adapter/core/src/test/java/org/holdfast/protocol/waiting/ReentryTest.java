// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.List;
import org.holdfast.LockRequest;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.session.Transactions;
import org.junit.jupiter.api.Test;

/** Locks that the caller has already, or another holder in the same process. */
class ReentryTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);

    private static LockRequest now(LockRequest request) {
        return request.waitTimeout(Duration.ZERO).ttl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS));
    }

    private HeldLock heldLock(LockRequest request, Holder holder) throws InterruptedException {
        return ((AcquireResult.Held) fixture.acquire(fixture.nodes, now(request), List.of(holder))).heldLock();
    }

    @Test
    void severalLocks_thatWereTakenTogether_areTakenOnceMoreTogether() throws Exception {
        HeldLock first = heldLock(LockRequest.allOf("a", "b"), Holder.thread());
        assertThat(heldLock(LockRequest.allOf("b", "a"), Holder.thread())).isSameAs(first);
        assertThat(fixture.nodes.sent(Command.Acquire.class)).hasSize(3);
    }

    @Test
    void severalLocks_ofWhichTheHolderHasSome_areRefused() throws Exception {
        heldLock(LockRequest.of("a"), Holder.thread());
        assertThatIllegalStateException()
                .isThrownBy(() -> heldLock(LockRequest.allOf("a", "b"), Holder.thread()))
                .withMessageStartingWith("HF0227:");
        heldLock(LockRequest.of("b"), Holder.thread());
        assertThatIllegalStateException()
                .isThrownBy(() -> heldLock(LockRequest.allOf("a", "b"), Holder.thread()))
                .withMessageStartingWith("HF0227:");
    }

    @Test
    void severalLocks_ofWhichTheHolderHasNone_areTaken() throws Exception {
        heldLock(LockRequest.allOf("a", "b"), Holder.thread());
        assertThat(heldLock(LockRequest.allOf("c", "d"), Holder.thread()).isHeld(fixture.time.nanoTime()))
                .isTrue();
        assertThat(fixture.acquire(
                        fixture.nodes, now(LockRequest.allOf("a", "b")), List.of(Holder.transaction("other"))))
                .as("another holder has them")
                .isInstanceOf(AcquireResult.TimedOut.class);
    }

    /** It waits as any other caller does, however long that holder may keep the lock. */
    @Test
    void terms_ofAnotherHolder_areNoReasonToRefuseARequest() throws Exception {
        heldLock(LockRequest.of("a"), Holder.transaction("other"));
        NodesConnection connection = new NodesConnection(fixture.session(Transactions.NONE), fixture.nodes);
        assertThat(connection.tryAcquire(
                        LockRequest.of("a").waitTimeout(Duration.ZERO).maxHold(Duration.ofSeconds(1))))
                .isEmpty();
    }
}
