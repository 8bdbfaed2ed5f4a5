// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
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
        return fixture.leases.giveBack(LeaseShare.of(heldLock, false));
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

    /** What is under way has to fit what the nodes, and the lines to them, take. */
    @Test
    void release_whileMuchIsUnderWay_isWaitedFor() throws Exception {
        service.keepsLateAnswers();
        for (int i = 0; i < 3; i++) {
            assertThat(giveBack(take(large(i)))).isEqualTo(ReleaseResult.UNCONFIRMED);
        }
        assertThat(giveBack(take(large(3)))).isEqualTo(ReleaseResult.RELEASED);
        service.lateAnswersCome(2);
        assertThat(giveBack(take(large(4)))).isEqualTo(ReleaseResult.UNCONFIRMED);
    }

    private static LockRequest large(int number) {
        String[] names = IntStream.range(0, LockRequest.MAX_NAMES)
                .mapToObj(each -> number + "-" + each + "-" + "x".repeat(1000))
                .toArray(String[]::new);
        return LockRequest.allOf(names)
                .ttl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS))
                .waitTimeout(Duration.ZERO)
                .release(Release.ASYNC);
    }

    @Test
    void release_thatANodeDoesNotConfirm_isSentAgain() throws Exception {
        HeldLock heldLock = take(request);
        service.node(2, new Reply.NoAnswer("the connection was lost"));
        giveBack(heldLock);
        assertThat(fixture.unfinished.size()).isOne();
    }

    /** It is not known before whether other processes wait for the lock, and go first. */
    @Test
    void nextRequest_forTheSameName_comesAfterTheRelease() throws Exception {
        service.keepsLateAnswers();
        giveBack(take(request));
        take(LockRequest.of("b").waitTimeout(Duration.ZERO).ttl(Duration.ofSeconds(1)));
        assertThat(service.awaitedLate).isZero();
        take(request);
        assertThat(service.awaitedLate).as("a quorum").isEqualTo(2);
    }

    @Test
    void nextRequest_whereTheReleaseIsAnswered_doesNotWait() throws Exception {
        service.keepsLateAnswers();
        giveBack(take(request));
        service.lateAnswersCome(2);
        take(request);
        assertThat(service.awaitedLate).isZero();
    }

    @Test
    void nextRequest_whereNoNodeConfirms_waitsUntilEachHasAnswered() throws Exception {
        service.keepsLateAnswers();
        for (int node = 0; node < 3; node++) {
            service.node(node, new Reply.NoAnswer("the connection was lost"));
        }
        giveBack(take(request));
        take(request);
        assertThat(service.awaitedLate).isEqualTo(3);
    }

    /** As without memory: else each later request for that name would wait for a node timeout. */
    @Test
    void requests_whereTheAnswersToTheReleaseAreLost_waitOnce() throws Exception {
        service.losesLateAnswers();
        giveBack(take(request));
        long before = time.nanoTime();
        fixture.leases.awaitReleases(request.names());
        long after = time.nanoTime();
        assertThat(after).isGreaterThan(before);
        fixture.leases.awaitReleases(request.names());
        assertThat(time.nanoTime()).isEqualTo(after);
    }

    /** Such as the selector, or memory. */
    @Test
    void release_thatCannotBeSent_isSentLater_andLeavesNothingBehind() throws Exception {
        HeldLock heldLock = take(request);
        service.node(0, command -> {
            throw new IllegalStateException("broken");
        });
        assertThatIllegalStateException().isThrownBy(() -> giveBack(heldLock)).withMessage("broken");
        assertThat(fixture.unfinished.size()).isEqualTo(3);
        assertThat(fixture.heldLocks.size()).isZero();
        take(request);
        assertThat(service.awaitedLate).isZero();
    }
}
