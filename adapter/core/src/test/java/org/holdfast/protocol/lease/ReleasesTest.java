// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.holdfast.LockRequest;
import org.holdfast.Release;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.waiting.AcquireResult;
import org.junit.jupiter.api.Test;

/** Releases that this process fails to send: its waiters must not find the lock held here for ever. */
class ReleasesTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final ScriptedNodes own = fixture.nodes;

    private LeaseShare take(LockRequest request) throws InterruptedException {
        AcquireResult got = fixture.acquire(own, request, List.of(Holder.thread()));
        return LeaseShare.of(((AcquireResult.Held) got).heldLock(), false);
    }

    private void fails(ThrowingCallable release) {
        fixture.service.node(0, command -> {
            throw new IllegalStateException("broken");
        });
        assertThatIllegalStateException().isThrownBy(release).withMessage("broken");
    }

    private void isWhole() {
        fixture.service.node(
                0, command -> command instanceof Command.Release ? new Reply.Released(0) : new Reply.Granted());
    }

    @Test
    void release_thatCannotBeSent_isSentLaterToAllNodes_andLeavesNoLockBehind() throws Exception {
        LeaseShare share = take(fixture.request(0));
        fails(() -> fixture.leases.giveBack(share));
        assertThat(fixture.unfinished.size()).isEqualTo(3);
        assertThat(fixture.heldLocks.size()).isZero();
    }

    @Test
    void releases_atOnceThatCannotBeSent_areSentLaterToAllNodes_andLeaveNoLockBehind() throws Exception {
        List<LeaseShare> shares = List.of(
                take(fixture.request(0)),
                take(LockRequest.of("b").waitTimeout(Duration.ZERO).ttl(Duration.ofSeconds(1))));
        fails(() -> fixture.leases.giveBack(shares));
        assertThat(fixture.unfinished.size()).isEqualTo(6);
        assertThat(fixture.heldLocks.size()).isZero();
    }

    /** As where there is no memory: what is done about the failure fails too. */
    @Test
    void releases_thatCanNeitherBeSentNorNoted_leaveNoLockBehind() throws Exception {
        fixture.whenUnfinished = nanos -> {
            throw new IllegalStateException("broken too");
        };
        LeaseShare share = take(fixture.request(0));
        fails(() -> fixture.leases.giveBack(share));
        assertThat(fixture.heldLocks.size()).isZero();

        isWhole();
        LeaseShare unawaited = take(fixture.request(0).release(Release.ASYNC));
        fails(() -> fixture.leases.giveBack(unawaited));
        assertThat(fixture.heldLocks.size()).as("not waited for").isZero();

        isWhole();
        List<LeaseShare> shares = List.of(
                take(fixture.request(0)),
                take(LockRequest.of("b").waitTimeout(Duration.ZERO).ttl(Duration.ofSeconds(1))));
        fails(() -> fixture.leases.giveBack(shares));
        assertThat(fixture.heldLocks.size()).as("at once").isZero();
    }

    /** Nodes keep it until its TTL ends: other holders are not to have it before. */
    @Test
    void release_ofALockWithAMinimumThatCannotBeSent_isNotSentLater_andLeavesNoLockBehind() throws Exception {
        LeaseShare share = take(fixture.request(0).atLeast(Duration.ofMillis(500)));
        fails(() -> fixture.leases.giveBack(share));
        assertThat(fixture.unfinished.size()).isZero();
        assertThat(fixture.heldLocks.size()).isZero();
    }
}
