// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.operations;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.runtime.Processes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Of a hundred thousand names, a thousand of them contended, the heap keeps those of the figures about waiting, and the
 * nodes keep nothing but fences that expire.
 */
@Tag("thorough")
@Timeout(480)
class MemoryTest {

    private static final int NAMES = 100_000;
    private static final int THREADS = 4;

    /** The names that requests stood in line for most often and for longest are kept: 200 of each, and no more. */
    private static final int COMPARED_NAMES = 2 * 200;

    @Test
    void names_thatAreNeitherHeldNorWaitedFor_leaveNothing() throws Exception {
        try (Processes processes = Processes.start(1, 1, Map.of("fenceRetentionMillis", "600000"))) {
            List<FutureTask<List<WeakReference<String>>>> workers = new ArrayList<>();
            for (int worker = 0; worker < THREADS; worker++) {
                int first = worker;
                LockConnection connection = processes.factory(0).getConnection();
                workers.add(Processes.start(() -> lockAll(connection, first)));
            }
            List<WeakReference<String>> names = new ArrayList<>();
            for (FutureTask<List<WeakReference<String>>> worker : workers) {
                names.addAll(worker.get(420, TimeUnit.SECONDS));
            }
            assertThat(names).hasSize(NAMES);
            await().atMost(ofSeconds(20)).pollInterval(ofMillis(500)).until(() -> isGone(names));
            assertOnlyFencesThatExpire(processes);
        }
    }

    /** Some names are contended, and all shapes are there. */
    private static List<WeakReference<String>> lockAll(LockConnection connection, int first) throws Exception {
        List<WeakReference<String>> names = new ArrayList<>();
        for (int i = first; i < NAMES; i += THREADS) {
            String name = new String("name-" + i);
            names.add(new WeakReference<>(name));
            LockRequest request = shape(name, i);
            Lease lease = connection.acquire(request);
            if (i % 100 == 0 && request.permits() == 0) {
                assertThat(Processes.onAnotherThread(
                                () -> connection.tryAcquire(LockRequest.of(name).waitTimeout(ofMillis(20)))))
                        .isEmpty();
            }
            lease.release();
        }
        return names;
    }

    private static LockRequest shape(String name, int i) {
        return switch (i % 20) {
            case 1 -> LockRequest.of(name).fair(true);
            case 2 -> LockRequest.of(name).mode(LockMode.READ);
            case 3 -> LockRequest.of(name).mode(LockMode.WRITE);
            case 4 -> LockRequest.semaphore(name, 3);
            case 5 ->
                LockRequest.allOf(
                        name, "shared by all-" + Thread.currentThread().getId());
            default -> LockRequest.of(name);
        };
    }

    private static boolean isGone(List<WeakReference<String>> names) {
        System.gc();
        long left = names.stream().filter(name -> name.get() != null).count();
        return left <= COMPARED_NAMES + THREADS; // each thread may keep its last one
    }

    private static void assertOnlyFencesThatExpire(Processes processes) {
        Set<String> keys = processes.ask(0, jedis -> jedis.keys("*"));
        assertThat(keys).hasSizeBetween(NAMES, NAMES + THREADS).allMatch(key -> key.endsWith(":fence"));
        List<String> some = List.copyOf(keys).subList(0, 1_000);
        assertThat(some).allMatch(key -> processes.ask(0, jedis -> jedis.pttl(key)) > 0);
    }
}
