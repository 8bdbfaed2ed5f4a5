// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.LogLines;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/** What a transaction does to its leases before it commits, and what it refuses from then on. */
class CommitCheckTest extends SessionInTransaction {

    @Test
    void commit_withALostLease_isTakenAwayAndTheLossIsTold() throws Exception {
        transactions.current = "tx";
        Lease lease = acquire();
        confirm();
        time.passMillis(1_000);
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(this::confirm)
                .satisfies(e -> assertThat(e.loss().token()).isEqualTo(lease.token()));
    }

    /** The resources were preparing meanwhile: nothing can stop the commit then. */
    @Test
    void commit_onALockThatIsLostBehindTheCheck_isLoggedOnce() throws Exception {
        try (LogLines log = LogLines.of("org.holdfast.protocol")) {
            transactions.current = "tx";
            Lease lease = acquire();
            acquire();
            confirm();
            time.passMillis(1_500);
            transactions.completions.get(0).committed();
            assertThat(log.beginningWith("HF0238")).singleElement().satisfies(line -> assertThat(line)
                    .contains("'a'", "token " + lease.token() + " ")
                    .containsPattern("5[0-9]{2} ms before"));
        }
    }

    @Test
    void commit_onALockThatIsHeldByThen_isNotLogged() throws Exception {
        try (LogLines log = LogLines.of("org.holdfast.protocol")) {
            transactions.current = "tx";
            acquire();
            confirm();
            transactions.completions.get(0).committed();
            assertThat(log.beginningWith("HF0238")).isEmpty();
        }
    }

    /** Another synchronization takes locks before completion, when ours has run. */
    @Test
    void lock_takenWhenTheTransactionHasCheckedItsLocks_isRefusedAndReleased() throws Exception {
        transactions.current = "tx";
        acquire();
        confirm();
        LockRequest late = LockRequest.of("late").waitTimeout(Duration.ZERO);
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> new NodesConnection(session, fixture.nodes).acquire(late))
                .withMessageStartingWith("HF0208")
                .withRootCauseInstanceOf(IllegalStateException.class);
        assertThat(releases()).isEqualTo(3);
    }

    @Test
    void lockOfTheTransaction_takenOnceMoreWhenThatHasCheckedIt_isShared() throws Exception {
        transactions.current = "tx";
        Lease first = acquire();
        confirm();
        assertThat(acquire().token()).isEqualTo(first.token());
        transactions.complete();
        assertThat(releases()).isEqualTo(3);
    }

    /** Names may come from any user of the application. */
    @Test
    void nameWithALineBreak_beginsNoLineInTheLog() throws Exception {
        try (LogLines log = LogLines.withDetails("org.holdfast.protocol")) {
            transactions.current = "tx";
            Lease lease = new NodesConnection(session, fixture.nodes).acquire(LockRequest.of("a\nforged"));
            lease.onLost(loss -> {
                throw new UnsupportedOperationException("on purpose");
            });
            time.passMillis(1_000);
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(this::confirm);
            fixture.runNotifications();
            assertThat(log.beginningWith("")).hasSize(3).allSatisfy(line -> assertThat(line)
                    .matches("HF0\\d{3}: .*'a\\?forged'.*"));
        }
    }

    @Test
    void commit_withALostLeaseAndNoMargin_isTakenAwayAllTheSame() throws Exception {
        ProtocolFixture withoutMargin = new ProtocolFixture(3, Duration.ZERO);
        transactions.current = "tx";
        new NodesConnection(withoutMargin.session(transactions), withoutMargin.nodes).acquire(withoutMargin.request(0));
        confirm();
        withoutMargin.time.passMillis(1_000);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(this::confirm);
    }

    @Test
    void commit_withALeaseAboutToEnd_renewsItFirst() throws Exception {
        transactions.current = "tx";
        acquire();
        time.passMillis(700);
        confirm();
        assertThat(fixture.service.sent(Command.Renew.class)).hasSize(3);
    }

    @Test
    void commit_withALeaseAboutToEndThatCannotBeRenewed_isTakenAwayAndTheReasonIsTold() throws Exception {
        transactions.current = "tx";
        acquire();
        time.passMillis(700);
        fixture.service.node(0, new Reply.NotSent("refused")).node(1, new Reply.NotSent("refused"));
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(this::confirm)
                .withMessageContaining("'a' is about to end and could not be renewed")
                .withMessageContaining("refused");
    }
}
