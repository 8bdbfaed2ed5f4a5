// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.NodesConnection;
import org.junit.jupiter.api.Test;

/** Transactions whose server does not call the adapter when they have ended. */
class UntoldTransactionTest extends SessionInTransaction {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final AskedTransaction asked = new AskedTransaction();

    private static final class AskedTransaction implements Transactions.Binding {
        boolean isOver;
        boolean isForgotten;

        @Override
        public boolean isOver() {
            return isOver;
        }

        @Override
        public void forget() {
            isForgotten = true;
        }
    }

    private void acquireInTransaction() throws InterruptedException {
        transactions.current = "tx";
        transactions.binding = asked;
        acquireForLong();
    }

    private void acquireForLong() throws InterruptedException {
        new NodesConnection(session, fixture.nodes).acquire(fixture.request(0).ttl(Duration.ofMinutes(1)));
    }

    private void lookAfter(long nanos) {
        time.pass(nanos);
        kept.sweep();
    }

    @Test
    void lease_ofATransactionThatHasEndedWithoutACall_isReleasedAtTheSecondLookOnAnotherThread() throws Exception {
        acquireInTransaction();
        asked.isOver = true;
        lookAfter(SECOND);
        fixture.runNotifications();
        assertThat(releases()).as("it may be about to call").isZero();
        lookAfter(SECOND);
        assertThat(releases()).as("the sweep waits for no node").isZero();
        fixture.runNotifications();
        assertThat(releases()).isEqualTo(3);
        assertThat(asked.isForgotten).isTrue();
        assertThat(kept.heldLocks()).isEmpty();
    }

    @Test
    void looks_thatComeSoonerThanASecondApart_countOnce() throws Exception {
        acquireInTransaction();
        asked.isOver = true;
        lookAfter(SECOND);
        for (int i = 0; i < 9; i++) {
            lookAfter(SECOND / 10);
        }
        fixture.runNotifications();
        assertThat(releases()).isZero();
        lookAfter(SECOND / 10);
        fixture.runNotifications();
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void lease_ofATransactionThatIsOpenAtEverySecondLook_stays() throws Exception {
        acquireInTransaction();
        for (int i = 0; i < 10; i++) {
            asked.isOver = i % 2 == 0;
            lookAfter(SECOND);
        }
        fixture.runNotifications();
        assertThat(releases()).isZero();
    }

    @Test
    void transaction_thatCallsLate_endsOnce() throws Exception {
        acquireInTransaction();
        asked.isOver = true;
        lookAfter(SECOND);
        lookAfter(SECOND);
        transactions.complete(); // before the thread has begun that was asked to release
        assertThat(releases()).isEqualTo(3);
        fixture.runNotifications();
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void transaction_thatCallsWhenItsLeasesWereReleased_takesNothingFromTheNextOne() throws Exception {
        acquireInTransaction();
        Transactions.Completion late = transactions.completions.remove(0);
        asked.isOver = true;
        lookAfter(SECOND);
        lookAfter(SECOND);
        fixture.runNotifications();
        asked.isOver = false;
        acquireForLong();
        late.completed();
        assertThat(kept.heldLocks()).hasSize(1);
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void release_forWhichThereIsNoThread_comesWithALaterLook() throws Exception {
        acquireInTransaction();
        asked.isOver = true;
        fixture.threads = task -> {
            throw new RejectedExecutionException("busy");
        };
        for (int i = 0; i < 3; i++) {
            lookAfter(SECOND);
        }
        assertThat(releases()).isZero();
        fixture.threads = Runnable::run;
        lookAfter(SECOND);
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void look_isAskedForAsLongAsATransactionThatCanBeAskedKeepsALease() throws Exception {
        acquireInTransaction();
        assertThat(fixture.wakeUps).contains(SECOND);
        fixture.wakeUps.clear();
        kept.sweep();
        assertThat(fixture.wakeUps).containsExactly(SECOND);
        transactions.complete();
        fixture.wakeUps.clear();
        kept.sweep();
        assertThat(fixture.wakeUps).isEmpty();
    }

    @Test
    void look_isNotAskedForWhereTransactionsCannotBeAsked() throws Exception {
        transactions.current = "tx";
        acquire();
        fixture.wakeUps.clear();
        kept.sweep();
        assertThat(fixture.wakeUps).isEmpty();
    }
}
