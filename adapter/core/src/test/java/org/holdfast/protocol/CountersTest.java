// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.protocol.lease.Counters;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.protocol.waiting.AcquireResult;
import org.holdfast.protocol.waiting.Acquiring;
import org.holdfast.protocol.waiting.WaitingBridge;
import org.junit.jupiter.api.Test;

/** What operators see of the work of a process: each event is counted once, and as what it was. */
class CountersTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final Counters counters = fixture.engine.counters();

    private NodesConnection connection() {
        return new NodesConnection(fixture.session(Transactions.NONE), fixture.nodes);
    }

    private LockRequest request() {
        return fixture.request(0).scope(LeaseScope.HOLDER);
    }

    private void everyNode(Reply reply) {
        for (int node = 0; node < 3; node++) {
            fixture.nodes.node(node, reply);
        }
    }

    private List<Long> all() {
        return List.of(
                counters.acquired(),
                counters.reentered(),
                counters.handedOff(),
                counters.timedOut(),
                counters.unavailable(),
                counters.released(),
                counters.renewed(),
                counters.renewalsFailed(),
                counters.lost());
    }

    @Test
    void leases_areCountedAsWhatTheyWere() throws Exception {
        Lease lease = connection().acquire(request());
        assertThat(all()).containsExactly(1L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
        Lease again = connection().acquire(request());
        assertThat(all()).containsExactly(1L, 1L, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
        again.release();
        lease.release();
        assertThat(all()).containsExactly(1L, 1L, 0L, 0L, 0L, 1L, 0L, 0L, 0L);
        everyNode(new Reply.Held(5_000));
        assertThat(connection().tryAcquire(request())).isEmpty();
        assertThat(all()).containsExactly(1L, 1L, 0L, 1L, 0L, 1L, 0L, 0L, 0L);
        everyNode(new Reply.NotSent("refused"));
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> connection().tryAcquire(request()));
        assertThat(all()).containsExactly(1L, 1L, 0L, 1L, 1L, 1L, 0L, 0L, 0L);
    }

    @Test
    void renewals_areCountedAsWhatTheyWere() throws Exception {
        AcquireResult held = fixture.acquire(fixture.nodes, fixture.request(0), List.of(Holder.thread()));
        HeldLock heldLock = ((AcquireResult.Held) held).heldLock();
        fixture.leases.renew(heldLock);
        assertThat(all()).containsExactly(1L, 0L, 0L, 0L, 0L, 0L, 1L, 0L, 0L);
        fixture.service.node(0, new Reply.NotSent("refused")).node(1, new Reply.NotSent("refused"));
        fixture.leases.renew(heldLock);
        assertThat(all()).containsExactly(1L, 0L, 0L, 0L, 0L, 0L, 1L, 1L, 0L);
        fixture.engine.clockStoodStill(1);
        assertThat(all()).containsExactly(1L, 0L, 0L, 0L, 0L, 0L, 1L, 1L, 1L);
    }

    @Test
    void lock_thatIsHandedOff_isCountedAsThat_andAsReleasedWhenTheNodesAreTold() throws Exception {
        AcquireResult held = fixture.acquire(fixture.nodes, fixture.request(0), List.of(Holder.thread()));
        Acquiring next = fixture.acquirer.begin(fixture.request(10_000), Holder.transaction("next"));
        WaitingBridge.enter(next);
        fixture.leases.giveBack(LeaseShare.of(((AcquireResult.Held) held).heldLock(), false));
        assertThat(WaitingBridge.step(next)).isInstanceOf(AcquireResult.Held.class);
        assertThat(counters.handedOff()).isOne();
        assertThat(counters.released()).isZero();
        LockRequest kept = LockRequest.of("b")
                .waitTimeout(Duration.ZERO)
                .ttl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS))
                .atLeast(Duration.ofMillis(500));
        AcquireResult other = fixture.acquire(fixture.nodes, kept, List.of(Holder.thread()));
        fixture.leases.giveBack(LeaseShare.of(((AcquireResult.Held) other).heldLock(), false));
        assertThat(counters.released()).isOne();
        WaitingBridge.leave(next);
    }
}
