// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.holdfast.Lease;
import org.holdfast.LeaseSemaphore;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.Release;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Mono;

/** The code of docs/reactive.md. */
@ExtendWith(HoldfastExtension.class)
@Timeout(60)
class ReactiveTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Mono<String> ship(LockConnection connection, String order) {
        LockRequest request = LockRequest.of("order-" + order).release(Release.ASYNC);
        return Mono.usingWhen(
                JdkFlowAdapter.flowPublisherToFlux(connection.acquirePublisher(request)),
                lease -> work(order, lease),
                lease -> Mono.fromRunnable(lease::release));
    }

    private static Mono<String> work(String order, Lease lease) {
        return Mono.fromSupplier(() -> {
            lease.requireHeld(); // before what cannot be undone
            return "shipped " + order;
        });
    }

    private Uni<String> bill(LockConnection connection, String order) {
        LockRequest request =
                LockRequest.of("order-" + order).release(Release.ASYNC).maxHold(Duration.ofMinutes(1));
        return Uni.createFrom()
                .publisher(connection.acquirePublisher(request))
                .onItem()
                .transformToUni(lease -> Uni.createFrom()
                        .deferred(() -> invoice(order)) // also if this throws, the lease is released
                        .onTermination()
                        .invoke(lease::release));
    }

    private static Uni<String> invoice(String order) {
        if (order.equals("?")) {
            throw new IllegalStateException("before there is a Uni");
        }
        return order.isEmpty()
                ? Uni.createFrom().failure(new IllegalArgumentException("no order"))
                : Uni.createFrom().item("billed " + order);
    }

    private static void assertFree(LockConnection connection, String name) throws InterruptedException {
        connection
                .acquire(LockRequest.of(name).detached().waitTimeout(PATIENCE))
                .release();
    }

    @Test
    void reactor_worksUnderTheLockAndReleasesIt(LockConnectionFactory factory) throws Exception {
        try (LockConnection connection = factory.getConnection()) {
            assertThat(ship(connection, "42").block(PATIENCE)).isEqualTo("shipped 42");
            assertFree(connection, "order-42");
        }
    }

    @Test
    void reactor_thatIsCancelledWhileItWaits_getsNoLockAndLeavesNone(LockConnectionFactory factory) throws Exception {
        try (LockConnection connection = factory.getConnection()) {
            Lease held = connection.acquire(LockRequest.of("order-42").detached());
            ship(connection, "42").subscribe().dispose();
            held.release();
            assertFree(connection, "order-42");
        }
    }

    @Test
    void mutiny_worksUnderTheLockAndReleasesIt_alsoIfTheWorkFails(LockConnectionFactory factory) throws Exception {
        try (LockConnection connection = factory.getConnection()) {
            assertThat(bill(connection, "42").await().atMost(PATIENCE)).isEqualTo("billed 42");
            assertFree(connection, "order-42");
            for (String wrong : List.of("", "?")) {
                assertThat(bill(connection, wrong)
                                .onFailure()
                                .recoverWithItem("none")
                                .await()
                                .atMost(PATIENCE))
                        .isEqualTo("none");
                assertFree(connection, "order-" + wrong);
            }
        }
    }

    @Test
    void semaphore_hasTheShapeOfTheJdks(LockConnectionFactory factory) throws Exception {
        assertThat(List.of(Semaphore.class.getMethods()).stream().map(method -> method.getName()))
                .contains("acquire", "acquireUninterruptibly", "tryAcquire", "release", "availablePermits");
        try (LockConnection connection = factory.getConnection()) {
            LeaseSemaphore engines = connection.semaphore("report-engine", 3);
            engines.acquire();
            try {
                assertThat(engines.availablePermits()).isEqualTo(2);
            } finally {
                engines.release();
            }
            assertThat(engines.availablePermits()).isEqualTo(3);
        }
    }
}
