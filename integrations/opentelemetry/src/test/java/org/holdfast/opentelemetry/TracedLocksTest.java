// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LeaseLock;
import org.holdfast.LeaseReadWriteLock;
import org.holdfast.LeaseScope;
import org.holdfast.LeaseSemaphore;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Spans of locks on real nodes, as an exporter gets them. */
@Timeout(120)
class TracedLocksTest extends TracedNodes {

    private SpanData only(String name) {
        assertThat(spans(name)).hasSize(1);
        return spans(name).get(0);
    }

    private SpanData acquire() {
        return only("holdfast acquire");
    }

    private SpanData hold() {
        return only("holdfast hold");
    }

    private static String outcome(SpanData span) {
        return span.getAttributes().get(Tracing.OUTCOME);
    }

    @Test
    void acquire_andRelease_makeTwoSpansOfTheCallersTrace() throws Exception {
        Span caller = telemetry.getTracer("test").spanBuilder("caller").startSpan();
        Lease lease;
        try (Scope scope = caller.makeCurrent()) {
            assertThat(scope).isNotNull();
            lease = connection.acquire(LockRequest.of("order-42").waitTimeout(ofMillis(500)));
            assertThat(Span.current()).isSameAs(caller);
        }
        assertThat(spans("holdfast hold")).isEmpty();
        CompletableFuture.runAsync(lease::release).get(30, TimeUnit.SECONDS); // on another thread

        assertThat(acquire().getParentSpanId())
                .isEqualTo(caller.getSpanContext().getSpanId());
        assertThat(outcome(acquire())).isEqualTo("HELD");
        assertThat(acquire().getAttributes().get(Tracing.NAME)).isEqualTo("order-42");
        assertThat(acquire().getAttributes().get(Tracing.MODE)).isEqualTo("EXCLUSIVE");
        assertThat(acquire().getAttributes().get(Tracing.WAIT)).isEqualTo(500);
        assertThat(hold().getParentSpanId()).isEqualTo(caller.getSpanContext().getSpanId());
        assertThat(hold().getTraceId()).isEqualTo(acquire().getTraceId());
        assertThat(hold().getLinks().get(0).getSpanContext().getSpanId())
                .isEqualTo(acquire().getSpanId());
        assertThat(hold().getAttributes().get(Tracing.TOKEN)).isEqualTo(lease.token());
        assertThat(hold().getAttributes().get(Tracing.RELEASE)).isEqualTo("RELEASED");
        assertThat(hold().getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    }

    @Test
    void tryAcquire_ofALockThatAnotherHas_isBusyAndNoError() throws Exception {
        try (LockConnection other = plain.getConnection();
                Lease held = other.acquire(LockRequest.of("busy").scope(LeaseScope.DETACHED))) {
            assertThat(held.isHeld()).isTrue();
            assertThat(connection.tryAcquire("busy")).isEmpty();
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> connection.acquire(LockRequest.of("busy").waitTimeout(ofMillis(20))));
            assertThat(connection.lock("busy").tryLock()).isFalse();
        }
        assertThat(spans("holdfast acquire")).hasSize(3).allSatisfy(span -> {
            assertThat(outcome(span)).isEqualTo("BUSY");
            assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        });
        assertThat(spans("holdfast hold")).isEmpty();
    }

    @Test
    void lease_thatIsLost_endsItsSpanWithTheReason() throws Exception {
        try (RedisServers own = RedisServers.start(3);
                LockConnectionFactory traced = TracedLocks.of(connect(own), telemetry);
                LockConnection its = traced.getConnection()) {
            Lease lease = its.acquire("lost");
            own.get(0).kill();
            own.get(1).kill();
            await().atMost(30, TimeUnit.SECONDS)
                    .until(() -> !spans("holdfast hold").isEmpty());
            assertThat(hold().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            assertThat(hold().getEvents()).singleElement().satisfies(event -> {
                assertThat(event.getName()).isEqualTo("lost");
                assertThat(event.getAttributes().get(Tracing.REASON)).contains("too few nodes");
            });
            lease.release();
            assertThat(hold().getAttributes().get(Tracing.RELEASE)).isNull(); // ended once

            assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(() -> its.tryAcquire("more"));
            SpanData refused = spans("holdfast acquire").get(1);
            assertThat(outcome(refused)).isEqualTo("UNAVAILABLE");
            assertThat(refused.getStatus().getDescription()).contains(own.get(0).uri());
        }
    }

    @Test
    void close_ofTheConnection_endsTheSpansOfItsLeasesOnly() throws Exception {
        Lease detached;
        try (LockConnection its = locks.getConnection()) {
            assertThat(its.acquire("of-the-connection").isHeld()).isTrue();
            detached = its.acquire(LockRequest.of("detached").scope(LeaseScope.DETACHED));
            its.lock("view").lock();
        }
        assertThat(spans("holdfast hold"))
                .extracting(span -> span.getAttributes().get(Tracing.NAME))
                .containsExactlyInAnyOrder("of-the-connection", "view");
        detached.release();
        assertThat(spans("holdfast hold")).hasSize(3);
    }

    @Test
    void close_ofTheFactory_endsTheSpansOfAllThatItReleases() throws Exception {
        LockConnectionFactory traced = TracedLocks.of(connect(redis), telemetry);
        LockConnection its = traced.getConnection(); // stays open
        its.acquire("of-the-connection-that-is-open");
        its.acquire(LockRequest.of("detached-and-left").scope(LeaseScope.DETACHED));
        its.acquireAsync("asynchronous").get(30, TimeUnit.SECONDS);
        its.lock("view").lock();
        its.semaphore("permit", 2).acquire();
        assertThat(spans("holdfast hold")).isEmpty();
        traced.close();
        assertThat(spans("holdfast hold"))
                .hasSize(5)
                .allSatisfy(span -> assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET));
    }

    @Test
    void close_ofTheFactory_whichGoesOnInAContainer_endsNoSpanOfALeaseThatIsHeld() throws Exception {
        Tracing tracing = new Tracing(telemetry.getTracer("test"), name -> name);
        try (LockConnection its = plain.getConnection()) {
            Lease lease = its.acquire("in-a-container");
            HoldSpan span = tracing.granted(tracing.begin(LockRequest.of("in-a-container")), lease);
            tracing.endReleased();
            assertThat(spans("holdfast hold")).isEmpty();
            span.released(lease.release());
            assertThat(hold().getAttributes().get(Tracing.RELEASE)).isEqualTo("RELEASED");
        }
    }

    @Test
    void hold_thatIsLostBeforeItsLeaseIsSeen_endsTheSpanOfItsRequest() {
        TracedHolds holds = new TracedHolds(new Tracing(telemetry.getTracer("test"), name -> name));
        assertThat(holds.<RuntimeException>take(LockRequest.of("lost-at-once"), () -> true, () -> {
                    throw new IllegalMonitorStateException("it was lost");
                }))
                .isTrue();
        assertThat(outcome(acquire())).isEqualTo("HELD");
        assertThat(acquire().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    }

    @Test
    void acquireAsync_makesSpansOfTheCallersTrace() throws Exception {
        Span caller = telemetry.getTracer("test").spanBuilder("caller").startSpan();
        CompletableFuture<Lease> asked;
        try (Scope scope = caller.makeCurrent()) {
            assertThat(scope).isNotNull();
            asked = connection.acquireAsync("later");
        }
        asked.thenAccept(Lease::release).get(30, TimeUnit.SECONDS);
        assertThat(outcome(acquire())).isEqualTo("HELD");
        assertThat(acquire().getParentSpanId())
                .isEqualTo(caller.getSpanContext().getSpanId());
        assertThat(hold().getParentSpanId()).isEqualTo(caller.getSpanContext().getSpanId());
    }

    @Test
    void acquireAsync_thatIsWithdrawn_leavesNoLockBehind() throws Exception {
        try (LockConnection other = plain.getConnection()) {
            Lease held = other.acquire(LockRequest.of("withdrawn").scope(LeaseScope.DETACHED));
            CompletableFuture<Lease> cancelled =
                    connection.acquireAsync(LockRequest.of("withdrawn").waitTimeout(ofMillis(60_000)));
            CompletableFuture<Lease> timedOut = connection
                    .acquireAsync(LockRequest.of("withdrawn").waitTimeout(ofMillis(60_000)))
                    .orTimeout(10, TimeUnit.MILLISECONDS);
            assertThat(cancelled.cancel(true)).isTrue();
            assertThat(cancelled).isCancelled();
            assertThat(timedOut).failsWithin(java.time.Duration.ofSeconds(30));
            held.release();
            assertThat(other.tryAcquire(LockRequest.of("withdrawn").waitTimeout(ofMillis(20_000))))
                    .isPresent();
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> spans("holdfast acquire").size() == 2);
            assertThat(spans("holdfast acquire")).allMatch(span -> outcome(span).equals("CANCELLED"));
            assertThat(spans("holdfast hold")).isEmpty();
        }
    }

    @Test
    void locks_inTheShapeOfTheJdk_haveASpanForEachHold() throws Exception {
        LeaseLock lock = connection.lock("jdk");
        lock.lock();
        assertThat(connection.lock("jdk").tryLock()).isTrue(); // another view of the same lock
        lock.unlock();
        assertThat(spans("holdfast hold")).hasSize(1);
        connection.lock("jdk").unlock();
        assertThat(spans("holdfast hold")).hasSize(2);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);

        LeaseReadWriteLock both = connection.readWriteLock("prices");
        both.writeLock().lockInterruptibly();
        assertThat(both.readLock().tryLock(1, TimeUnit.SECONDS)).isTrue(); // downgrades
        both.writeLock().unlock();
        both.readLock().unlock();
        assertThat(spans("holdfast hold").stream().skip(2).map(span -> span.getAttributes()
                        .get(Tracing.MODE)))
                .containsExactly("WRITE", "READ");
    }

    @Test
    void semaphore_ofPermits_hasASpanForEach() throws Exception {
        LeaseSemaphore two = connection.semaphore("printers", 2);
        two.acquire();
        assertThat(two.tryAcquire()).isTrue();
        assertThat(two.tryAcquire()).isFalse();
        CompletableFuture.runAsync(two::release).get(30, TimeUnit.SECONDS); // on another thread
        assertThat(hold().getAttributes().get(Tracing.MODE)).isEqualTo("PERMIT");
        two.release();
        assertThat(spans("holdfast hold")).hasSize(2);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(two::release);
        assertThat(spans("holdfast acquire").stream().map(TracedLocksTest::outcome))
                .containsExactly("HELD", "HELD", "BUSY");
    }

    @Test
    void request_ofSeveralNames_hasTheFirstAndTheirNumber() throws Exception {
        connection.acquire(LockRequest.allOf("a", "b", "c")).release();
        assertThat(hold().getAttributes().get(Tracing.NAME)).isEqualTo("a");
        assertThat(hold().getAttributes().get(Tracing.NAMES)).isEqualTo(3);
    }

    @Test
    void names_thatAreNotToBeSeen_areInNoSpan() throws Exception {
        LockConnectionFactory locks = plain;
        LockConnectionFactory hidden = TracedLocks.of(locks, telemetry, name -> name.replaceAll("-\\d+$", ""));
        try (LockConnection its = hidden.getConnection()) {
            its.acquire("customer-4711").release();
            LeaseLock lock = its.lock("customer-4711");
            lock.lock();
            lock.unlock();
        }
        assertThatIllegalStateException().isThrownBy(() -> closedOf(hidden).acquire("customer-4711"));
        assertThat(exporter.getFinishedSpanItems()).hasSize(5);
        assertThat(exporter.getFinishedSpanItems().toString())
                .contains("customer")
                .doesNotContain("4711");
    }

    private static LockConnection closedOf(LockConnectionFactory factory) {
        LockConnection closed = factory.getConnection();
        closed.close();
        return closed;
    }

    @Test
    void factory_forwardsWhatOperatorsDo() throws Exception {
        try (Lease lease = connection.acquire("operated")) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(locks.nodeCount()).isEqualTo(3);
            assertThat(locks.check().isReady()).isTrue();
            assertThat(locks.holders("operated")).hasSize(1);
            assertThat(locks.forceRelease("operated")).hasSize(1);
        }
        await().atMost(60, TimeUnit.SECONDS).until(() -> !spans("holdfast hold").isEmpty());
        assertThat(hold().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    }
}
