// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.holdfast.LockRequest;
import org.holdfast.Release;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.waiting.AcquireResult;
import org.junit.jupiter.api.Test;

/** A release that no caller waits for. */
class UnawaitedReleaseTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final VirtualTime time = fixture.time;
    private final ScriptedNodes own = fixture.nodes;
    private final ScriptedNodes service = fixture.service;
    private final LockRequest request = fixture.request(0).release(Release.ASYNC);

    private HeldLock take(LockRequest asked) throws InterruptedException {
        return ((AcquireResult.Held) fixture.acquire(own, asked, List.of(Holder.thread()))).heldLock();
    }

    private ReleaseResult giveBack(HeldLock heldLock) {
        return fixture.leases.giveBack(new LeaseShare(heldLock, false));
    }

    @Test
    void caller_doesNotWait_andTheReleaseIsSentToAllNodes() throws Exception {
        HeldLock heldLock = take(request);
        service.latency(0, 40).latency(1, 40).latency(2, 40);
        long before = time.nanoTime();
        assertThat(giveBack(heldLock)).isEqualTo(ReleaseResult.UNCONFIRMED);
        assertThat(time.nanoTime()).isEqualTo(before);
        assertThat(service.sent(Command.Release.class)).hasSize(3);
        assertThat(fixture.heldLocks.size()).isZero();
    }

    @Test
    void caller_thatDoesNotSaySo_waits() throws Exception {
        assertThat(giveBack(take(request.release(Release.CONFIRMED)))).isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    void release_ofALeaseThatHasEnded_saysSo() throws Exception {
        HeldLock heldLock = take(request.fixedTtl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS)));
        time.passTo(heldLock.validUntil()); // and no thread has looked
        assertThat(giveBack(heldLock)).isEqualTo(ReleaseResult.NOT_HELD);
    }

    @Test
    void release_ofALockThatIsKeptForAMinimum_isWaitedFor() throws Exception {
        HeldLock heldLock = take(request.atLeast(Duration.ofMillis(500)));
        assertThat(giveBack(heldLock)).isEqualTo(ReleaseResult.RELEASED);
        assertThat(service.sent(Command.Release.class)).isEmpty();
    }

    @Test
    void release_thatANodeDoesNotConfirm_isSentAgain() throws Exception {
        HeldLock heldLock = take(request);
        service.node(2, new Reply.NoAnswer("the connection was lost"));
        giveBack(heldLock);
        assertThat(fixture.unfinished.size()).isOne();
    }

    @Test
    void nextRequest_forTheSameName_takesTheWayOfTheRelease_untilThatIsAnswered() throws Exception {
        service.keepsLateAnswers();
        giveBack(take(request));
        take(LockRequest.of("b").waitTimeout(Duration.ZERO).ttl(Duration.ofSeconds(1)));
        HeldLock second = take(request);
        assertThat(service.sent(Command.Acquire.class)).as("of a, and not of b").hasSize(3);
        service.lateAnswersCome(2); // a quorum
        fixture.leases.giveBack(new LeaseShare(second, false));
        service.lateAnswersCome(1 + 1 + 2); // the rest of the release, of the acquisition, and a quorum again
        take(request);
        assertThat(service.sent(Command.Acquire.class)).hasSize(3);
    }

    @Test
    void release_thatNoNodeConfirms_isUnderWayUntilEachHasAnswered() throws Exception {
        service.keepsLateAnswers();
        for (int node = 0; node < 3; node++) {
            service.node(node, new Reply.NoAnswer("the connection was lost"));
        }
        giveBack(take(request));
        service.lateAnswersCome(2);
        assertThat(fixture.leases.isBeingReleased(List.of("b", "a"))).isTrue();
        assertThat(fixture.leases.isBeingReleased(List.of("b"))).isFalse();
        service.lateAnswersCome(1);
        assertThat(fixture.leases.isBeingReleased(List.of("b", "a"))).isFalse();
    }
}
