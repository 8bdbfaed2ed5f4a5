// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.node.Command;
import org.junit.jupiter.api.Test;

/** A lock that no other holder is to have for some time, however early it is released. */
class AtLeastTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final ScriptedNodes service = fixture.service;
    private final LockSession session = fixture.session(Transactions.NONE);

    private static LockRequest request(long atLeastMillis) {
        return LockRequest.of("a").waitTimeout(Duration.ZERO).atLeast(Duration.ofMillis(atLeastMillis));
    }

    private Lease acquire(LockRequest request) throws InterruptedException {
        return new NodesConnection(session, fixture.nodes).acquire(request);
    }

    private long ttlAskedFor() {
        ScriptedNodes.Sent last = fixture.nodes.sent.get(fixture.nodes.sent.size() - 1);
        return ((Command.Acquire) last.command()).claim().ttlMillis();
    }

    @Test
    void lock_isTakenForAtLeastAsLong_soThatNobodyNeedsToRenewIt() throws Exception {
        acquire(request(5_000));
        assertThat(ttlAskedFor()).isEqualTo(5_000);
        acquire(LockRequest.of("b").atLeast(Duration.ofMillis(500)));
        assertThat(ttlAskedFor()).isEqualTo(ProtocolFixture.TTL_MILLIS);
    }

    @Test
    void release_tooEarly_leavesTheLockToTheNodesForTheRest() throws Exception {
        Lease lease = acquire(request(5_000));
        fixture.time.passMillis(1_200);
        lease.release();
        assertThat(lease.isHeld()).isFalse();
        assertThat(service.sent(Command.Release.class)).isEmpty();
        assertThat(service.sent(Command.Renew.class)).hasSize(3).allSatisfy(sent -> assertThat(
                        ((Command.Renew) sent.command()).claim().ttlMillis())
                .isBetween(3_800L, 3_801L));
        assertThat(EngineBridge.remembered(fixture.engine)).isZero();

        int sent = service.sent.size();
        fixture.time.passMillis(10_000);
        fixture.renewals.sweep(service);
        assertThat(service.sent).as("nothing is renewed any more").hasSize(sent);
    }

    @Test
    void release_lateEnough_freesTheLock() throws Exception {
        Lease lease = acquire(request(5_000));
        fixture.time.passMillis(2_000);
        fixture.renewals.sweep(service);
        fixture.time.passMillis(3_000);
        lease.release();
        assertThat(service.sent(Command.Release.class)).hasSize(3);
    }

    @Test
    void stop_ofTheService_leavesTheLockToTheNodesToo() throws Exception {
        acquire(request(5_000));
        fixture.engine.close(fixture.time.nanoTime() + 1_000_000_000L);
        assertThat(service.sent(Command.Release.class)).isEmpty();
    }

    @Test
    void loss_doesNotFreeTheLockBefore() throws Exception {
        Lease lease = acquire(request(5_000));
        fixture.engine.clockStoodStill(1_000_000_000L);
        assertThat(lease.isHeld()).isFalse();
        fixture.unfinished.retry(service, fixture.time.nanoTime() + 1_000_000);
        assertThat(service.sent(Command.Release.class)).isEmpty();
    }

    @Test
    void holder_withoutTheMinimum_isRefusedIt_andAnyOtherTakesItOnceMore() throws Exception {
        Lease without = acquire(LockRequest.of("a").waitTimeout(Duration.ZERO));
        assertThatIllegalStateException()
                .isThrownBy(() -> acquire(request(500)))
                .withMessageContaining("not for at least PT0.5S");
        without.release();
        Lease with = acquire(request(500));
        assertThat(acquire(request(500)).token()).isEqualTo(with.token());
        assertThat(acquire(LockRequest.of("a")).token()).isEqualTo(with.token());
    }

    @Test
    void request_beyondTheLongestTtl_isRefused() {
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(() -> acquire(request(60_001)))
                .withMessageContaining(
                        "atLeast must be at most maxLeaseTtlMillis = 60000 ms, was PT1M0.001S (lock 'a')");
        Duration tooLong = Duration.ofMillis(60_001);
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(() -> acquire(LockRequest.of("a").ttl(tooLong)))
                .withMessageContaining("ttl must be at most maxLeaseTtlMillis = 60000 ms, was PT1M0.001S")
                .withMessageContaining("up to its maxHold");
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(() -> acquire(LockRequest.of("a").fixedTtl(tooLong)))
                .withMessageContaining("fixedTtl must be at most maxLeaseTtlMillis = 60000 ms, was PT1M0.001S");
    }
}
