// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.quarkus;

import io.smallrye.mutiny.Uni;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the locks are for: it fails where two callers work for one order at the same time. An order that begins with a
 * question mark does not exist.
 */
@Singleton
class Shop {

    /** Long enough that a second caller falls into it. */
    private static final Duration WORK = Duration.ofMillis(20);

    private final Set<String> atWork = ConcurrentHashMap.newKeySet();

    String work(String done, String order) throws InterruptedException {
        begin(order);
        try {
            Thread.sleep(WORK.toMillis());
            return done + " " + order;
        } finally {
            atWork.remove(order);
        }
    }

    /** Does the same, and blocks no thread. */
    Uni<String> workLater(String done, String order) {
        begin(order);
        return Uni.createFrom()
                .item(done + " " + order)
                .onItem()
                .delayIt()
                .by(WORK)
                .onTermination()
                .invoke(() -> atWork.remove(order));
    }

    private void begin(String order) {
        if (order.startsWith("?")) {
            throw new IllegalArgumentException("no order " + order);
        }
        if (!atWork.add(order)) {
            throw new IllegalStateException("two at once for order " + order);
        }
    }
}
