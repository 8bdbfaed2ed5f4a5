// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;
import org.holdfast.LeaseScope;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/** What becomes of leases when their handle ends, or is taken away from its user. */
class LockSessionTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final List<LeaseLoss> told = new ArrayList<>();
    private final OneTransaction transactions = new OneTransaction();
    private final LockSession session = fixture.session(transactions);
    private final NodesConnection connection = new NodesConnection(session, fixture.nodes);

    private static final class OneTransaction implements Transactions {
        private Object current;
        private Completion bound;

        @Override
        public Object current() {
            return current;
        }

        @Override
        public boolean mayCommit() {
            return current != null;
        }

        @Override
        public Binding bind(Completion completion) {
            bound = completion;
            return Binding.SILENT;
        }
    }

    private Lease acquire(String name) throws InterruptedException {
        return connection.acquire(
                LockRequest.of(name).waitTimeout(Duration.ZERO).ttl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS)));
    }

    /** It may not be called again, and nothing else would release them. */
    @Test
    void leases_ofAHandleThatFailsToClose_areReleased() throws Exception {
        Lease one = acquire("a");
        acquire("b");
        session.closing().onRaise(() -> {
            throw new OutOfMemoryError("on purpose");
        });
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(session::close);
        assertThat(one.isHeld()).isFalse();
        assertThat(releases()).isEqualTo(2);
        assertThat(fixture.heldLocks.size()).isZero();
    }

    private int releases() {
        return fixture.service.sent(Command.Release.class).size() / 3;
    }

    /** The user may work on under them, so no other process may have them before their TTL is over. */
    @Test
    void leases_ofAHandleThatIsTakenAway_areLost_andTheNodesKeepTheLocks() throws Exception {
        Lease own = acquire("a");
        transactions.current = "tx";
        Lease kept = acquire("b");
        transactions.current = null;
        assertThat(session.loseAndLeave("a test", false)).isOne();
        assertThat(own.isHeld()).isFalse();
        assertThat(own.remaining()).isZero();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(own::renew);
        assertThat(kept.isHeld()).isTrue();
        assertThat(session.loseAndLeave("a test", true)).isOne();
        assertThat(kept.isHeld()).isFalse();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(transactions.bound::confirm);
        session.close();
        transactions.bound.completed();
        fixture.unfinished.retry(fixture.service, fixture.time.nanoTime() + 1_000_000);
        assertThat(releases()).isZero();
    }

    @Test
    void lease_thatIsGrantedWhenItsHandleIsTakenAway_isReleased() {
        fixture.nodes.node(2, command -> {
            session.loseAndLeave("a test", false);
            return ScriptedNodes.agree(command);
        });
        assertThatIllegalStateException().isThrownBy(() -> acquire("a"));
        assertThat(releases()).isOne();
    }

    @Test
    void lease_thatIsGrantedWhenItsHandleIsClosed_isReleased() {
        fixture.nodes.node(2, command -> {
            session.close();
            return ScriptedNodes.agree(command);
        });
        assertThatIllegalStateException().isThrownBy(() -> acquire("a"));
        assertThat(releases()).isOne();
    }

    @Test
    void lease_thatHasEnded_hearsOfNoLossOfTheLockThatItShared() throws Exception {
        Lease one = acquire("a");
        Lease other = acquire("a");
        one.onLost(told::add);
        one.release();
        assertThatIllegalStateException().isThrownBy(one::requireHeld).withMessageContaining("HF0225");
        assertThat(one.remaining()).isZero();
        one.onLost(told::add);
        fixture.engine.clockStoodStill(1);
        fixture.runNotifications();
        assertThat(told).isEmpty();
        assertThat(other.isHeld()).isFalse();
        other.onLost(told::add);
        fixture.runNotifications();
        assertThat(told).hasSize(1);
    }

    @Test
    void lease_renewedByHand_saysWhetherItWas() throws Exception {
        Lease lease = acquire("a");
        fixture.time.passMillis(500);
        assertThat(lease.renew()).isTrue();
        assertThat(lease.remaining()).isGreaterThan(Duration.ofMillis(900));
        assertThat(lease.names()).containsExactly("a");
        assertThat(lease).hasToString("lease on 'a' with token " + lease.token());
        fixture.service.node(0, new Reply.NotSent("refused")).node(1, new Reply.NotSent("refused"));
        assertThat(lease.renew()).isFalse();
        fixture.service.node(0, new Reply.TokenTooSmall(Long.MAX_VALUE)).node(1, new Reply.Held(500));
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::renew);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::joinTransaction);
    }

    @Test
    void leaseOfAHandle_thatInterrupts_endsNoInterruptOfAnother() throws Exception {
        LockRequest interrupting = fixture.request(0)
                .fixedTtl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS))
                .interruptOnLoss(true);
        transactions.current = "tx";
        connection.acquire(interrupting).release(); // the transaction keeps the lock
        connection.acquire(interrupting);
        session.close();
        fixture.engine.clockStoodStill(1);
        assertThat(Thread.interrupted()).isFalse();
    }

    /** The caller sees that it has the lock itself. */
    @Test
    void request_thatWaitsForItsOwnThread_saysSo() throws Exception {
        connection.acquire(fixture.request(0).scope(LeaseScope.DETACHED));
        assertThatExceptionOfType(LockTimeoutException.class)
                .isThrownBy(() -> acquire("a"))
                .withMessageContaining("the calling thread itself: it has taken a detached lease");
    }
}
