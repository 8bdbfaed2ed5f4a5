// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.runtime.Processes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Of a thread that has locked nothing is left with it: a server may have ten thousand. */
@Timeout(60)
class ThreadMemoryTest {

    private static final int THREADS = 40;

    @Test
    void threads_thatHaveLocked_keepNoBuffers() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS); // they live until the end
        try (Processes processes = Processes.start(3, 1, Map.of())) {
            LockConnection connection = processes.factory(0).getConnection();
            lock(connection, "first"); // makes the connections
            long before = buffers();
            for (int i = 0; i < THREADS; i++) {
                String name = "of-" + i;
                Future<?> locked = threads.submit(() -> lock(connection, name)); // the pool starts a thread for each
                locked.get();
            }
            assertThat(buffers() - before).isLessThan(THREADS / 2);
        } finally {
            threads.shutdownNow();
        }
    }

    private static Void lock(LockConnection connection, String name) throws InterruptedException {
        connection.acquire(LockRequest.of(name)).release();
        return null;
    }

    /** Returns how many buffers there are outside of the heap: for each thread one, had it written from the heap. */
    private static long buffers() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getCount)
                .sum();
    }
}
