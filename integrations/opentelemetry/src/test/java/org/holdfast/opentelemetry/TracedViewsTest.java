// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LeaseLock;
import org.holdfast.LeaseSemaphore;
import org.holdfast.LockRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which span ends when threads share the views of one connection, and one of them releases or loses what it holds. */
@Timeout(120)
class TracedViewsTest extends TracedNodes {

    private final ExecutorService first = Executors.newSingleThreadExecutor();
    private final ExecutorService second = Executors.newSingleThreadExecutor();

    @AfterEach
    void stopThreads() {
        first.shutdownNow();
        second.shutdownNow();
    }

    private static <T> T on(ExecutorService thread, Callable<T> work) throws Exception {
        return thread.submit(work).get(60, TimeUnit.SECONDS);
    }

    private static long acquire(ExecutorService thread, LeaseSemaphore permits) throws Exception {
        return on(thread, () -> {
            permits.acquire();
            return permits.lease().token();
        });
    }

    private static void release(ExecutorService thread, LeaseSemaphore permits) throws Exception {
        on(thread, () -> {
            permits.release();
            return true;
        });
    }

    private List<SpanData> holds() {
        return spans("holdfast hold");
    }

    private List<Long> tokens() {
        return holds().stream()
                .map(span -> span.getAttributes().get(Tracing.TOKEN))
                .toList();
    }

    private static void assertLost(SpanData span) {
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(span.getEvents()).singleElement().satisfies(event -> assertThat(event.getName())
                .isEqualTo("lost"));
    }

    @Test
    void permit_thatIsLostAfterAnotherThreadReleasedItsOwn_isALossOfItsOwnSpan() throws Exception {
        LeaseSemaphore permits = connection.semaphore("lost-second", 3);
        long released = acquire(first, permits);
        long lost = acquire(second, permits);
        release(first, permits);
        assertThat(tokens()).containsExactly(released);
        assertThat(holds().get(0).getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);

        plain.forceRelease(LockRequest.semaphore("lost-second", 3), lost, "a test");
        await().atMost(60, TimeUnit.SECONDS).until(() -> holds().size() == 2);
        assertThat(tokens()).containsExactly(released, lost);
        assertLost(holds().get(1));
    }

    @Test
    void permit_ofNoThreadOfTheCaller_isTheOneThatWasAcquiredLast() throws Exception {
        LeaseSemaphore permits = connection.semaphore("of-others", 3);
        long early = acquire(first, permits);
        long late = acquire(second, permits);
        permits.release();
        assertThat(tokens()).containsExactly(late);
        permits.release();
        assertThat(tokens()).containsExactly(late, early);
    }

    @Test
    void permits_ofWhichOneIsLost_endTheirOwnSpansWhenTheirThreadsReleaseThem() throws Exception {
        LeaseSemaphore permits = connection.semaphore("lost-own", 3);
        long kept = acquire(first, permits);
        long lost = acquire(second, permits);
        plain.forceRelease(LockRequest.semaphore("lost-own", 3), lost, "a test");
        await().atMost(60, TimeUnit.SECONDS).until(() -> !holds().isEmpty());
        release(first, permits); // the other thread has not seen its loss yet
        assertThat(tokens()).containsExactly(lost, kept);
        assertThat(holds().get(1).getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> release(second, permits))
                .withCauseInstanceOf(IllegalMonitorStateException.class);

        long next = acquire(first, permits);
        long after = acquire(second, permits);
        plain.forceRelease(LockRequest.semaphore("lost-own", 3), next, "a test");
        assertThatExceptionOfType(ExecutionException.class) // at once, before or after the listener
                .isThrownBy(() -> release(first, permits))
                .withCauseInstanceOf(IllegalMonitorStateException.class);
        assertThat(tokens()).containsExactly(lost, kept, next);
        assertThat(holds().get(2).getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        release(second, permits);
        assertThat(tokens()).endsWith(after);
    }

    @Test
    void lock_onSeveralNames_isTheSameInEachOrder() {
        LeaseLock oneOrder = connection.lock(LockRequest.allOf("left", "right"));
        oneOrder.lock();
        connection.lock(LockRequest.allOf("right", "left")).unlock();
        assertThat(holds()).hasSize(1);
    }

    /** Its loss is known before its listener has run: the span must not end as if nothing had happened. */
    @Test
    void lease_thatIsReleasedAfterItsLoss_hasTheLossInItsSpan() throws Exception {
        for (int i = 0; i < 20; i++) {
            Lease lease = connection.acquire("lost-" + i);
            LeaseLock view = connection.lock("view-" + i);
            view.lock();
            Lease held = view.lease();
            plain.forceRelease("lost-" + i);
            plain.forceRelease("view-" + i);
            while (lease.isHeld() || held.isHeld()) {
                Thread.onSpinWait();
            }
            lease.release();
            assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock);
        }
        assertThat(holds()).hasSize(40).allSatisfy(TracedViewsTest::assertLost);
    }

    @Test
    void waitTimeout_aboveWhatALongHasOfMillis_hasASpan() throws Exception {
        connection
                .acquire(LockRequest.of("for-ever").waitTimeout(Duration.ofSeconds(Long.MAX_VALUE)))
                .release();
        assertThat(exporter.getFinishedSpanItems())
                .extracting(SpanData::getName)
                .containsExactly("holdfast acquire", "holdfast hold");
        assertThat(exporter.getFinishedSpanItems().get(0).getAttributes().get(Tracing.WAIT))
                .isEqualTo(Long.MAX_VALUE);
    }
}
