// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.quarkus;

import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.Release;

/** Works under a lock, in the three ways that an application on Quarkus has. */
@ApplicationScoped
class Orders {

    private final LockConnectionFactory locks;
    private final Shop shop;

    @Inject
    Orders(LockConnectionFactory locks, Shop shop) {
        this.locks = locks;
        this.shop = shop;
    }

    String ship(String order) throws InterruptedException {
        try (LockConnection connection = locks.getConnection();
                Lease lease = connection.acquire("order-" + order)) {
            String shipped = shop.work("shipped", order);
            lease.requireHeld(); // before what cannot be undone
            return shipped;
        }
    }

    Uni<String> bill(String order) {
        LockRequest request =
                LockRequest.of("order-" + order).release(Release.ASYNC).maxHold(Duration.ofMinutes(1));
        return Uni.createFrom().deferred(() -> {
            LockConnection connection = locks.getConnection();
            return Uni.createFrom()
                    .publisher(connection.acquirePublisher(request))
                    .onItem()
                    .transformToUni(lease -> Uni.createFrom()
                            .deferred(
                                    () -> shop.workLater("billed", order)) // also if this throws, the lease is released
                            .onTermination()
                            .invoke(lease::release))
                    .onTermination()
                    .invoke(connection::close);
        });
    }

    @OneAtATime("packing")
    String pack(String order) throws InterruptedException {
        return shop.work("packed", "any"); // one packs, whatever the order is
    }

    @OneAtATime("packing")
    Uni<String> packLater(String order) {
        return shop.workLater("packed", order);
    }
}
