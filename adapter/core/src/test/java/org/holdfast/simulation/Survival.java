// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.holdfast.memory.MemoryRedis;

/** What a renewed lease must survive, with any waiters: one node after the other, with time to heal. */
enum Survival {
    /** One node is restarted and comes back empty. */
    RESTART,
    /** One node does not answer for a while. */
    PAUSE,
    /** One node's clock is set ahead by less than what is left of the lease. */
    CLOCK_STEP,
    /** Each node is restarted and comes back empty, one when the other has healed. */
    ROLLING_RESTART,
    /** No node has memory left for a while. */
    FULL_MEMORY;

    private static final long MILLI = 1_000_000L;
    private static final Duration LONG_TTL = Duration.ofSeconds(4);

    /** So long at the most until the clients look at a node. */
    private static final long LOOK = 1_500 * MILLI;

    static Survival draw(Random random) {
        return values()[random.nextInt(values().length)];
    }

    /** Draws how many nodes there are: where only one is wrong it must not be needed. */
    int drawNodes(Random random) {
        boolean needsOthers = this != CLOCK_STEP && this != FULL_MEMORY;
        return needsOthers || random.nextBoolean() ? 3 + 2 * random.nextInt(2) : 1;
    }

    /** Returns how long it takes at the most. */
    long duration(Setting setting) {
        return switch (this) {
            case ROLLING_RESTART -> setting.nodes() * pause(setting);
            case CLOCK_STEP -> 2 * LONG_TTL.toNanos();
            default -> 3_000 * MILLI;
        };
    }

    /** Draws the longest TTL, which is how long a node is in quarantine. */
    Duration drawMaxTtl(Random random) {
        return this == CLOCK_STEP
                ? LONG_TTL.plusMillis(random.nextInt(500))
                : Duration.ofMillis(700 + random.nextInt(500));
    }

    /**
     * Returns the TTL of the lease: it must last until it is known whose clock jumped, for which a node is not asked.
     */
    Duration ttl() {
        return this == CLOCK_STEP ? LONG_TTL : Duration.ofMillis(600);
    }

    private static long pause(Setting setting) {
        return setting.acceptedSettings().widest().quarantine().toNanos() + LOOK;
    }

    /** Lets it happen. */
    void begin(World world, Setting setting, List<SimulatedNode> nodes) {
        Random random = world.random;
        SimulatedNode one = nodes.get(random.nextInt(nodes.size()));
        long begin = 800 * MILLI + (long) (random.nextDouble() * 500 * MILLI);
        switch (this) {
            case RESTART -> world.at(begin, () -> one.restartEmpty((long) (random.nextDouble() * 1_000 * MILLI)));
            case PAUSE -> world.at(begin, () -> one.pause((long) (random.nextDouble() * 1_500 * MILLI)));
            case CLOCK_STEP -> world.at(begin, () -> one.clock.step(false));
            case ROLLING_RESTART -> {
                for (int i = 0; i < nodes.size(); i++) {
                    SimulatedNode next = nodes.get(i);
                    world.at(begin + i * pause(setting), () -> next.restartEmpty(100 * MILLI));
                }
            }
            case FULL_MEMORY ->
                world.at(begin, () -> nodes.forEach(node -> node.refuse(MemoryRedis.Refusing.GROWTH, 1_200 * MILLI)));
        }
    }
}
