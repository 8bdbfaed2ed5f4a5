// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(QuietWorlds.class)
class SimulationTest {

    private static final long SEEDS = Long.getLong("simulation.seeds", 100);
    private static final long FIRST = Long.getLong("simulation.first", 0);

    /** What nodes that fail over meet beside. */
    private static final String FAILOVERS = "FAILOVER,FAILOVER_ONE_WAY,CUT_OFF,CLIENT_PAUSE,SLOW_SENDING";

    /** What clusters meet. */
    private static final String CLUSTERS = "SHARD_ISOLATED,SHARD_TAKES_EPOCH,SHARD_CRASH,SHARD_PAUSE,SHARD_REPLACED,"
            + "SHARD_SUPPLANTED,SHARD_THERE_AND_BACK,SHARD_UNHEARD,SHARD_DEAF,SLOT_MOVED,SLOT_TAKEN,"
            + "SLOT_THERE_AND_BACK,SLOT_AWAY_UNSEEN,SLOT_GIVEN_UP,SLOT_GIVEN_UP_UNSEEN,HOME_MOVED,HOME_MOVED_FIRST,"
            + "SLOT_AWAY_UNLISTED,SLOT_SOURCE_CRASH,CUT_OFF,CLIENT_PAUSE,SLOW_SENDING";

    @Test
    void protocol_underEveryFault_keepsItsPromises() throws Exception {
        simulate("", SEEDS);
    }

    @Test
    void protocol_whereNodesFailOver_keepsItsPromises() throws Exception {
        simulate(FAILOVERS, Math.max(1, SEEDS / 10));
    }

    @Test
    void protocol_whereAddressesLeadToTheProcessThatWasReplaced_keepsItsPromises() throws Exception {
        simulate("FAILOVER_ASTRAY,CUT_OFF,CLIENT_PAUSE", Math.max(1, SEEDS / 20));
    }

    @Test
    void protocol_whereAllWitnessesAreLost_keepsItsPromises() throws Exception {
        simulate("WITNESSES_LOST", Math.max(1, SEEDS / 20));
    }

    @Test
    void protocol_whereNodesAreClusters_keepsItsPromises() throws Exception {
        long heard = simulate(CLUSTERS, Math.max(1, SEEDS / 10));
        assertThat(heard).as("releases that clients have heard of").isGreaterThan(SEEDS / 10);
    }

    @Test
    void protocol_whereAddressesLeadToAnotherCluster_keepsItsPromises() throws Exception {
        simulate("ADDRESSES_OF_ANOTHER,SHARD_CRASH,CLIENT_PAUSE,CUT_OFF", Math.max(1, SEEDS / 20));
    }

    /** Returns of how many releases clients have heard, in clusters. */
    private static long simulate(String only, long seeds) throws Exception {
        AtomicLong next = new AtomicLong(FIRST);
        AtomicLong acquisitions = new AtomicLong();
        AtomicLong losses = new AtomicLong();
        AtomicLong heard = new AtomicLong();
        int workers = 2 * Runtime.getRuntime().availableProcessors(); // threads that hand over leave a processor idle
        ExecutorService threads = Executors.newFixedThreadPool(workers);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < workers; i++) {
                running.add(threads.submit(() -> {
                    Simulation.Engine engine = only.isEmpty() ? new Simulation.Engine() : new Simulation.Engine(only);
                    long seed;
                    while ((seed = next.getAndIncrement()) < FIRST + seeds) {
                        try {
                            Simulation.Result result = engine.run(seed);
                            acquisitions.addAndGet(result.acquisitions());
                            losses.addAndGet(result.losses());
                            heard.addAndGet(result.heard());
                        } catch (Throwable failure) {
                            next.set(FIRST + seeds); // one seed to replay is enough: the others stop too
                            throw failure;
                        }
                    }
                }));
            }
            for (Future<?> worker : running) {
                worker.get();
            }
        } finally {
            threads.shutdownNow();
        }
        System.getLogger("simulation")
                .log(
                        System.Logger.Level.INFO,
                        seeds + " seeds, " + acquisitions + " acquisitions, " + losses
                                + " renewed leases lost to faults");
        assertThat(acquisitions.get()).isGreaterThan(10 * seeds);
        return heard.get();
    }
}
