// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.holdfast.connector.RunningAdapter.handle;

import jakarta.resource.spi.ManagedConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What applications have: handles of their own, or several of one managed connection. */
@Timeout(60)
class ConnectionHandleTest {

    private static RedisServers redis;
    private RunningAdapter running;
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
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private ManagedConnection watched() throws Exception {
        ManagedConnection managed = running.managed();
        managed.addConnectionEventListener(events);
        return managed;
    }

    @Test
    void close_twice_tellsTheContainerOnceWithTheHandle() throws Exception {
        ManagedConnection managed = watched();
        LockConnection handle = handle(managed);
        handle.close();
        handle.close();
        assertThat(events.closed).containsExactly(handle);

        managed.removeConnectionEventListener(events);
        handle(managed).close();
        assertThat(events.closed).hasSize(1);
    }

    private LockConnectionHandle handleThatCannotEnd(ManagedConnection managed) {
        return new LockConnectionHandle((LockManagedConnection) managed, EngineBridge.sessionThatCannotEnd());
    }

    @Test
    void close_whoseReleasesFail_givesTheConnectionBackToTheContainer() throws Exception {
        LockConnectionHandle handle = handleThatCannotEnd(watched());
        assertThatNullPointerException().isThrownBy(handle::close);
        assertThat(events.closed).containsExactly(handle);
    }

    @Test
    void destroy_ofAConnectionWhoseReleasesFail_closesItsSockets() throws Exception {
        LockManagedConnection managed = (LockManagedConnection) watched();
        managed.attach(handleThatCannotEnd(managed));
        assertThatNullPointerException().isThrownBy(managed::destroy);
        assertThat(managed.isOpen()).isFalse();
    }

    @Test
    void cleanup_whereTheReleasesOfOneHandleFail_endsTheOthers() throws Exception {
        LockManagedConnection managed = (LockManagedConnection) watched();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 10; i++) { // in whatever order
            managed.attach(handleThatCannotEnd(managed));
            leases.add(handle(managed).acquire("cleanup-" + i));
        }
        assertThatNullPointerException().isThrownBy(managed::cleanup);
        assertThat(leases).noneMatch(Lease::isHeld);
    }

    /** As a container shares one managed connection in a transaction. */
    @Test
    void shareableHandles_haveTheirOwnLeasesAndEnds() throws Exception {
        ManagedConnection shared = watched();
        LockConnection one = handle(shared);
        LockConnection two = handle(shared);
        Lease ofOne = one.acquire("of-one");
        Lease ofTwo = two.acquire("of-two");
        one.close();
        assertThat(ofOne.isHeld()).isFalse();
        assertThat(ofTwo.isHeld()).isTrue();
        assertThat(events.closed).containsExactly(one);
        assertThat(two.acquire("more").isHeld()).isTrue();

        two.close();
        assertThat(ofTwo.isHeld()).isFalse();
        assertThat(events.closed).containsExactly(one, two);
    }

    @Test
    void shareableHandles_ofOneThread_shareItsLocks() throws Exception {
        ManagedConnection shared = watched();
        LockConnection one = handle(shared);
        LockConnection two = handle(shared);
        Lease first = one.acquire("shared");
        Lease second = two.acquire("shared");
        assertThat(second.token()).isEqualTo(first.token());
        one.close();
        assertThat(second.isHeld()).isTrue();
    }

    @Test
    void unshareableHandles_haveConnectionsOfTheirOwn() throws Exception {
        ManagedConnection first = watched();
        ManagedConnection second = running.managed();
        LockConnection one = handle(first);
        LockConnection two = handle(second);
        second.destroy();
        assertThat(one.acquire("unshared").isHeld()).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> two.acquire("unshared"));
        two.close();
        assertThat(events.closed).isEmpty();
    }

    @Test
    void use_afterClose_isRefused() throws Exception {
        LockConnection handle = handle(running.managed());
        Lock before = handle.lock("closed");
        handle.close();
        LockRequest request = LockRequest.of("closed");
        for (ThrowingCallable use : List.<ThrowingCallable>of(
                () -> handle.acquire("closed"),
                () -> handle.acquire(request),
                () -> handle.tryAcquire(request),
                () -> handle.acquireAsync(request.detached()),
                before::tryLock,
                before::lock,
                () -> handle.lock("closed").tryLock(),
                () -> handle.readWriteLock("closed").readLock().tryLock(),
                () -> handle.readWriteLock("closed").writeLock().tryLock())) {
            assertThatIllegalStateException()
                    .isThrownBy(use)
                    .withMessageStartingWith("HF0222: this lock connection is closed");
        }
    }
}
