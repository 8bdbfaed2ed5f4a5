// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.holdfast.LockRequest;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.waiting.AcquireResult;
import org.junit.jupiter.api.Test;

/** Sweeps come when they were asked for: what is due is reported when it becomes known, and by each sweep. */
class DueReportsTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);

    /** Returns the earliest moment since it was called last, in milliseconds from when it was reported. */
    private long reportedMillis() {
        long earliest = Collections.min(fixture.wakeUps);
        fixture.wakeUps.clear();
        return NANOSECONDS.toMillis(earliest);
    }

    private HeldLock heldLock(LockRequest request) throws InterruptedException {
        return ((AcquireResult.Held) fixture.acquire(fixture.nodes, request, List.of(Holder.thread()))).heldLock();
    }

    private LockRequest lasting(long millis) {
        return LockRequest.of("a").waitTimeout(Duration.ZERO).ttl(Duration.ofMillis(millis));
    }

    @Test
    void idleEngine_reportsNothing() {
        fixture.engine.renew();
        fixture.engine.sweep();
        fixture.unfinished.retry(fixture.service, fixture.time.nanoTime());
        assertThat(fixture.wakeUps).isEmpty();
    }

    @Test
    void lease_isReportedForItsRenewals_untilItIsReleased() throws Exception {
        HeldLock held = heldLock(lasting(3_000));
        assertThat(reportedMillis()).isBetween(900L, 1_000L);
        fixture.time.passMillis(500);
        fixture.engine.renew(); // for another lease, or another reason
        assertThat(reportedMillis()).isBetween(400L, 500L);
        fixture.time.passMillis(500);
        fixture.engine.renew();
        assertThat(fixture.service.sent(Command.Renew.class)).isNotEmpty();
        assertThat(reportedMillis()).isBetween(100L, 1_000L);
        fixture.engine.renew();
        assertThat(reportedMillis()).isBetween(900L, 1_000L);
        fixture.leases.giveBack(List.of(LeaseShare.of(held, false)));
        fixture.wakeUps.clear();
        fixture.engine.renew();
        fixture.engine.sweep();
        assertThat(fixture.wakeUps).isEmpty();
    }

    /** A listener is called then, though no thread checks the lease. */
    @Test
    void lease_thatNoNodeRenews_isReportedForItsEnd() throws Exception {
        long end = fixture.time.nanoTime() + MILLISECONDS.toNanos(3_000);
        HeldLock held = heldLock(lasting(3_000));
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, command -> new Reply.NoAnswer("cut off"));
        }
        while (held.isHeld(fixture.time.nanoTime())) {
            fixture.time.pass(Math.max(1, MILLISECONDS.toNanos(reportedMillis())));
            fixture.engine.renew();
        }
        assertThat(fixture.time.nanoTime() - end)
                .isLessThan(MILLISECONDS.toNanos(60)); // a node timeout, for the last try
        assertThat(held.loss()).isNotNull();
    }

    @Test
    void release_thatNoNodeConfirms_isReportedUntilOneDoes() throws Exception {
        HeldLock held = heldLock(lasting(3_000));
        fixture.service.node(0, command -> new Reply.NoAnswer("cut off"));
        fixture.wakeUps.clear();
        fixture.leases.giveBack(List.of(LeaseShare.of(held, false)));
        assertThat(reportedMillis()).isBetween(1L, 20L);
        fixture.unfinished.retry(fixture.service, fixture.time.nanoTime() + 1_000_000);
        assertThat(reportedMillis()).isBetween(1L, 100L);
        fixture.service.node(0, command -> new Reply.Released(0));
        fixture.unfinished.retry(fixture.service, fixture.time.nanoTime() + 1_000_000);
        assertThat(fixture.wakeUps).isEmpty();
    }
}
