// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.LeaseLock;
import org.holdfast.LeaseLostException;
import org.holdfast.LeaseReadWriteLock;
import org.holdfast.LeaseScope;
import org.holdfast.LockRequest;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Locks in the shape of the JDK's: what a caller sees, and interrupts, which need no node. */
class JdkLockInVirtualTimeTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final LockSession session = fixture.session(Transactions.NONE);
    private final NodesConnection connection = new NodesConnection(session, fixture.nodes);
    private final LeaseLock lock =
            connection.lock(LockRequest.of("a").ttl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS)));

    @AfterEach
    void forgetInterrupts() {
        Thread.interrupted();
    }

    private void othersHoldIt() {
        for (int node = 0; node < 3; node++) {
            fixture.nodes.node(node, new Reply.Held(60_000));
            fixture.service.node(node, new Reply.Held(60_000));
        }
    }

    private int releases() {
        return fixture.service.sent(Command.Release.class).size() / 3;
    }

    @Test
    void lock_isHeldUntilTheLastUnlock() throws Exception {
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        lock.lock();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(4);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.isLocked()).isTrue();
        assertThat(lock.lease().name()).isEqualTo("a");
        assertThat(lock.lease().names()).containsExactly("a");
        assertThat(lock).hasToString("lock 'a'");
        for (int holds = 3; holds > 0; holds--) {
            lock.unlock();
            assertThat(lock.getHoldCount()).isEqualTo(holds);
        }
        assertThat(releases()).isZero();
        lock.unlock();
        assertThat(releases()).isOne();
        assertThat(lock.getHoldCount()).isZero();
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withMessageContaining("HF0231");
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::lease);
    }

    @Test
    void lock_withoutAHolder_isNotLocked() {
        for (int node = 0; node < 3; node++) {
            fixture.nodes.node(node, new Reply.Seen(7, List.of()));
        }
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void lockOfAnother_isNotHad_andTakesItsTime() throws Exception {
        othersHoldIt();
        long before = fixture.time.nanoTime();
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryLock(300, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(fixture.time.nanoTime() - before).isBetween(300_000_000L, 303_000_000L);
        assertThat(lock.getHoldCount()).isZero();
    }

    @Test
    void unlock_afterTheLoss_saysSo() {
        lock.lock();
        fixture.engine.clockStoodStill(1);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withCauseInstanceOf(LeaseLostException.class);
        assertThat(lock.getHoldCount()).isZero();
    }

    /** It was released by force, and no renewal has shown that yet. */
    @Test
    void unlock_ofALockThatTheNodesHaveNotAnyMore_saysSo() {
        lock.lock();
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.Gone());
        }
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withMessageContaining("HF0232");
    }

    @Test
    void lock_onAnInterruptedThread_isTaken_andTheInterruptIsKept() {
        Thread.currentThread().interrupt();
        lock.lock();
        assertThat(Thread.interrupted()).isTrue();
        Thread.currentThread().interrupt();
        assertThat(lock.tryLock()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(2);
        Thread.currentThread().interrupt();
        assertThat(lock.isLocked()).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void lock_thatMayBeInterrupted_isNotTakenOnAnInterruptedThread() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> connection.acquire(fixture.request(0)));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(fixture.nodes.sent).isEmpty();
    }

    @Test
    void writeLock_ofAThreadThatReads_isNotFree_andReadersStayWhenTheWriterGoes() throws Exception {
        LeaseReadWriteLock both = connection.readWriteLock("b");
        both.readLock().lock();
        assertThat(both.writeLock().tryLock()).isFalse();
        long before = fixture.time.nanoTime();
        assertThat(both.writeLock().tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(fixture.time.nanoTime() - before).isEqualTo(200_000_000L);
        both.readLock().unlock();

        both.writeLock().lock();
        both.readLock().lock();
        both.writeLock().unlock();
        assertThat(fixture.service.sent(Command.Renew.class)).hasSize(3).allSatisfy(sent -> assertThat(
                        ((Command.Renew) sent.command()).claim().target().isShared())
                .isTrue());
        both.readLock().unlock();
    }

    @Test
    void lock_whoseScopeIsNoConnections_isRefused() {
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(() -> connection.lock(LockRequest.of("a").scope(LeaseScope.DETACHED)));
    }

    @Test
    void close_releasesWhatTheViewsHaveTaken_andTheyHoldNothingAfterwards() {
        lock.lock();
        assertThat(session.hasLeases()).isTrue();
        assertThat(session.remembered()).isOne();
        connection.close();
        assertThat(releases()).isOne();
        assertThat(lock.getHoldCount()).isZero();
        assertThat(session.hasLeases()).isFalse();
        assertThat(session.remembered()).isZero();
    }
}
