// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.time.Duration;
import java.util.Random;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.history.Kind;

/**
 * What a caller needs a lock for.
 *
 * @param request what it asks for
 * @param kind in which way it holds the lock
 * @param work how long it works under the lock
 */
record Errand(LockRequest request, Kind kind, Duration work) {

    static final int PERMITS = 2;
    static final Duration TTL = Duration.ofMillis(1_500);

    private static final Duration PATIENCE = Duration.ofMillis(500);

    /**
     * Returns any, of all shapes of locks; few of them last for longer than a TTL.
     *
     * @param others nearly all errands are for one of so many other locks; 0 for none of them
     */
    static Errand any(Random random, int others) {
        if (others > 0 && random.nextInt(16) > 0) {
            return of(LockRequest.of("lock-" + random.nextInt(others)), Kind.EXCLUSIVE, random);
        }
        Kind kind = Kind.EXCLUSIVE;
        LockRequest request =
                switch (random.nextInt(8)) {
                    case 0, 1 -> LockRequest.of("stock");
                    case 2 -> LockRequest.of("orders").fair(true);
                    case 3 -> LockRequest.of("prices").mode(LockMode.WRITE);
                    case 4, 5 -> {
                        kind = Kind.SHARED;
                        yield LockRequest.of("prices").mode(LockMode.READ);
                    }
                    case 6 -> LockRequest.allOf("stock", "orders");
                    default -> {
                        kind = Kind.PERMIT;
                        yield LockRequest.semaphore("pool", PERMITS);
                    }
                };
        return of(request, kind, random);
    }

    private static Errand of(LockRequest request, Kind kind, Random random) {
        return new Errand(request.ttl(TTL).waitTimeout(PATIENCE).detached(), kind, anyWork(random));
    }

    private static Duration anyWork(Random random) {
        int length = random.nextInt(100);
        int most = length == 0 ? 2_500 : length < 10 ? 100 : 5;
        return Duration.ofNanos((long) (random.nextDouble() * most * 1_000_000));
    }
}
