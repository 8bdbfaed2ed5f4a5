// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SimulationTest {

    private static final long SEEDS = Long.getLong("simulation.seeds", 5_000);
    private static final long FIRST = Long.getLong("simulation.first", 0);

    @Test
    void protocol_underEveryFault_keepsItsPromises() {
        AtomicLong next = new AtomicLong(FIRST);
        AtomicLong acquisitions = new AtomicLong();
        AtomicLong losses = new AtomicLong();
        List<Thread> workers = IntStream.range(0, Runtime.getRuntime().availableProcessors())
                .mapToObj(i -> new Thread(() -> {
                    Simulation.Engine engine = new Simulation.Engine();
                    long seed;
                    while ((seed = next.getAndIncrement()) < FIRST + SEEDS) {
                        Simulation.Result result = engine.run(seed);
                        acquisitions.addAndGet(result.acquisitions());
                        losses.addAndGet(result.losses());
                    }
                }))
                .toList();
        AtomicReferenceFailure failure = new AtomicReferenceFailure();
        workers.forEach(worker -> {
            worker.setUncaughtExceptionHandler((thread, e) -> {
                failure.set(e);
                next.set(Long.MAX_VALUE / 2);
            });
            worker.start();
        });
        workers.forEach(worker -> {
            try {
                worker.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        failure.rethrow();
        System.getLogger("simulation")
                .log(
                        System.Logger.Level.INFO,
                        SEEDS + " seeds, " + acquisitions + " acquisitions, " + losses + " leases lost");
        assertThat(acquisitions.get()).isGreaterThan(10 * SEEDS);
    }

    private static final class AtomicReferenceFailure {
        private Throwable first;

        synchronized void set(Throwable e) {
            first = first == null ? e : first;
        }

        synchronized void rethrow() {
            if (first != null) {
                throw new AssertionError(first.getMessage(), first);
            }
        }
    }
}
