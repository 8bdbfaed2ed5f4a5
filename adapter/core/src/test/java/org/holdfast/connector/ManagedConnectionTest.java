// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.holdfast.connector.RunningAdapter.handle;

import jakarta.resource.NotSupportedException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ManagedConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.redis.NodeConnections;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a container does with a connection of its pool. */
@Timeout(60)
class ManagedConnectionTest {

    private static RedisServers redis;
    private RunningAdapter running;
    private ManagedConnection managed;
    private final ConnectionEvents events = new ConnectionEvents();

    @BeforeAll
    static void startNodes() {
        redis = RedisServers.start(1);
    }

    @AfterAll
    static void stopNodes() {
        redis.close();
    }

    @BeforeEach
    void start() throws Exception {
        running = new RunningAdapter(redis.uris());
        managed = running.managed();
        managed.addConnectionEventListener(events);
    }

    @AfterEach
    void stop() {
        running.close();
        await().until(() -> sockets().isEmpty()); // the node may be late to see that they are closed
    }

    /** Returns what the node calls the sockets of adapters. Those that look at it may come and go at any time. */
    private static Set<String> sockets() throws IOException {
        return redis.get(0)
                .command("CLIENT LIST")
                .lines()
                .filter(line -> line.contains("name=holdfast"))
                .map(line -> line.split(" ", 2)[0])
                .collect(Collectors.toSet());
    }

    @Test
    void connection_thatWasNeverUsed_opensNoSocket() throws Exception {
        List<ManagedConnection> unused = new ArrayList<>();
        for (int i = 0; i < 20; i++) { // many more than the service has itself
            unused.add(running.managed());
        }
        for (ManagedConnection each : unused) {
            each.cleanup();
        }
        assertThat(sockets()).hasSizeLessThan(unused.size());
        for (ManagedConnection each : unused) {
            each.destroy();
        }
        assertThat(sockets()).hasSizeLessThan(unused.size());
    }

    @Test
    void cleanup_withoutAHandleAndTwice_doesNothing() throws Exception {
        managed.cleanup();
        managed.cleanup();
        assertThat(handle(managed).acquire("still").isHeld()).isTrue();
    }

    @Test
    void cleanup_withOpenHandles_endsThemAndKeepsTheSocket() throws Exception {
        LockConnection one = handle(managed);
        LockConnection two = handle(managed);
        one.acquire("warm").release(); // opens what the service has besides
        Lease lease = one.acquire("cleanup");
        Set<String> sockets = sockets();
        managed.cleanup();
        managed.cleanup();

        assertThat(lease.isHeld()).isFalse();
        assertThatIllegalStateException().isThrownBy(() -> one.acquire("a")).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> two.acquire("a")).withMessageContaining("closed");
        one.close();
        assertThat(events.closed)
                .as("the container has taken the handles itself")
                .isEmpty();
        assertThat(handle(managed).acquire("another").isHeld()).isTrue();
        assertThat(sockets()).containsAll(sockets);
    }

    @Test
    void destroy_closesTheSocketAndGivesNoHandleAnyMore() throws Exception {
        LockConnection handle = handle(managed);
        handle.acquire("warm").release(); // opens what the service has besides
        Set<String> before = sockets();
        managed.destroy();
        managed.destroy();
        await().until(() -> !sockets().containsAll(before));
        before.removeAll(sockets());
        assertThat(before).as("the one that was closed").hasSize(1);
        assertThatIllegalStateException().isThrownBy(() -> handle.acquire("destroy"));
        assertThatExceptionOfType(ResourceException.class)
                .isThrownBy(() -> managed.getConnection(null, null))
                .withMessageContaining("destroyed");
    }

    @Test
    void associate_movesTheHandleAndTheOldConnectionForgetsIt() throws Exception {
        ManagedConnection other = running.managed();
        ConnectionEvents othersEvents = new ConnectionEvents();
        other.addConnectionEventListener(othersEvents);
        LockConnection handle = handle(managed);
        Lease lease = handle.acquire("moved");
        other.associateConnection(handle);
        managed.cleanup();
        managed.destroy();
        assertThat(lease.isHeld()).isTrue();
        assertThat(handle.acquire("more").isHeld()).isTrue();

        handle.close();
        assertThat(lease.isHeld()).isFalse();
        assertThat(othersEvents.closed).containsExactly(handle);
        assertThat(events.closed).isEmpty();
    }

    @Test
    void associate_thenCleanupOfTheNewConnection_endsTheHandle() throws Exception {
        ManagedConnection other = running.managed();
        LockConnection handle = handle(managed);
        other.associateConnection(handle);
        other.cleanup();
        assertThatIllegalStateException().isThrownBy(() -> handle.acquire("moved"));
    }

    @Test
    void associate_withItsOwnConnection_changesNothing() throws Exception {
        LockConnection handle = handle(managed);
        managed.associateConnection(handle);
        assertThat(handle.acquire("own").isHeld()).isTrue();
        managed.cleanup();
        assertThatIllegalStateException().isThrownBy(() -> handle.acquire("own"));
    }

    @Test
    void associate_withWhatDoesNotBelongHere_isRefused() throws Exception {
        LockConnection closed = handle(managed);
        closed.close();
        LockManagedConnectionFactory otherSpace = running.newFactory();
        otherSpace.setKeyPrefix("elsewhere");
        LockConnection foreign = handle(otherSpace);
        for (Object refused : new Object[] {"foreign", null, closed, foreign}) {
            assertThatExceptionOfType(ResourceException.class)
                    .isThrownBy(() -> managed.associateConnection(refused))
                    .withMessageMatching(
                            "HF0414: only a LockConnectionHandle .*|HF0415: the handle is closed, or belongs to another .*");
        }
        assertThat(foreign.acquire("untouched").isHeld()).isTrue();
    }

    @Test
    void call_onAConnectionWhoseChannelWasClosed_failsAtOnceAndTellsTheContainerOnce() throws Exception {
        LockConnection handle = handle(managed);
        ((NodeConnections) ((LockManagedConnection) managed).nodes()).close();
        assertThatIllegalStateException()
                .isThrownBy(() -> handle.acquire("gone"))
                .withMessageContaining("cannot be used any more");
        assertThatIllegalStateException().isThrownBy(() -> handle.tryAcquire(LockRequest.of("gone")));
        assertThat(events.errors).singleElement().satisfies(event -> {
            assertThat(event.getId()).isEqualTo(ConnectionEvent.CONNECTION_ERROR_OCCURRED);
            assertThat(event.getSource()).isSameAs(managed);
            assertThat(event.getException()).hasMessageContaining("cannot be used any more");
        });
    }

    @Test
    void call_afterTheAdapterWasStopped_tellsTheContainer() throws Exception {
        LockConnection handle = handle(managed);
        running.adapter.stop();
        assertThatIllegalStateException().isThrownBy(() -> handle.acquire("stopped"));
        assertThatIllegalStateException()
                .isThrownBy(() -> handle.acquireAsync(LockRequest.of("stopped").detached()));
        assertThat(events.errors).hasSize(1);
    }

    @Test
    void call_whoseSelectorIsBroken_tellsTheContainerAndTheConnectionIsInvalid() throws Exception {
        LockManagedConnection broken = (LockManagedConnection) managed;
        broken.failed(new UncheckedIOException(new IOException("no descriptors")));
        assertThat(events.errors).hasSize(1);
        assertThat(running.invalid(managed)).containsExactly(managed);
    }

    @Test
    void call_thatFailsForAnotherReason_tellsTheContainerNothing() throws Exception {
        LockConnection handle = handle(managed);
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> handle.acquire(LockRequest.of("long").ttl(java.time.Duration.ofDays(2))));
        assertThat(events.errors).isEmpty();
        assertThat(handle.acquire("long").isHeld()).isTrue();
    }

    /** The container may destroy the connection while it receives the event. */
    @Test
    void errorEvent_whoseListenerDestroysTheConnection_endsTheHandle() throws Exception {
        LockConnection handle = handle(managed);
        managed.addConnectionEventListener(new Destroying(managed));
        running.adapter.stop();
        assertThatIllegalStateException().isThrownBy(() -> handle.acquire("a")).withMessageContaining("any more");
        assertThatIllegalStateException().isThrownBy(() -> handle.acquire("a")).withMessageContaining("closed");
    }

    private static final class Destroying extends ConnectionEvents {
        private final ManagedConnection managed;

        Destroying(ManagedConnection managed) {
            this.managed = managed;
        }

        @Override
        public void connectionErrorOccurred(ConnectionEvent event) {
            try {
                managed.destroy();
            } catch (ResourceException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** A node that has closed an idle socket costs nothing but a new one. */
    @Test
    void validation_ofAConnectionWhoseSocketsWereClosed_findsItGood() throws Exception {
        LockConnection handle = handle(managed);
        handle.acquire("idle").release();
        redis.get(0).command("CLIENT KILL TYPE normal");
        assertThat(running.invalid(managed)).isEmpty();
        assertThat(handle.acquire("idle").isHeld()).isTrue();
    }

    @Test
    void transactionsAsAResource_areRefusedWithAReason() {
        assertThatExceptionOfType(NotSupportedException.class)
                .isThrownBy(managed::getXAResource)
                .withMessageContaining("transaction support is NoTransaction");
        assertThatExceptionOfType(NotSupportedException.class)
                .isThrownBy(managed::getLocalTransaction)
                .withMessageContaining("transaction support is NoTransaction");
    }

    @Test
    void equality_isIdentity() throws Exception {
        assertThat(managed).isEqualTo(managed).isNotEqualTo(running.managed());
    }

    @Test
    void metaData_isThere() throws Exception {
        assertThat(managed.getMetaData().getEISProductName()).isEqualTo("Redis");
    }
}
