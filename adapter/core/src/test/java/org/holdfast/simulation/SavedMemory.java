// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.holdfast.memory.MemoryRedis;

/** What a node had in memory at moments of the last second: a crash may lose what came since. */
final class SavedMemory {

    private static final long SECOND = 1_000_000_000L;

    private final World world;
    private final MemoryRedis redis;

    private record Remembered(long at, Map<String, MemoryRedis.Entry> memory) {}

    /** What was in memory at moments of the last second. */
    private final Deque<Remembered> history = new ArrayDeque<>();

    /** What was in memory before that. */
    private Map<String, MemoryRedis.Entry> longAgo = Map.of();

    SavedMemory(World world, MemoryRedis redis) {
        this.world = world;
        this.redis = redis;
    }

    /** Something has changed. */
    void remember() {
        history.addLast(new Remembered(world.now(), redis.snapshot()));
        while (history.peekFirst().at() < world.now() - SECOND) {
            longAgo = history.removeFirst().memory();
        }
    }

    /** Returns what was in memory so long ago, a second at the most. */
    Map<String, MemoryRedis.Entry> ago(long nanos) {
        Map<String, MemoryRedis.Entry> memory = longAgo;
        for (Remembered remembered : history) {
            memory = remembered.at() <= world.now() - nanos ? remembered.memory() : memory;
        }
        return memory;
    }

    /** The node has this from now on, and has never had anything else. */
    void begin(Map<String, MemoryRedis.Entry> memory) {
        redis.restore(memory);
        history.clear();
        longAgo = memory;
    }

    /** The node has crashed: it loses everything, or what it received in the last second. */
    void loseSome() {
        Map<String, MemoryRedis.Entry> saved = ago((long) (world.random.nextDouble() * SECOND));
        begin(world.random.nextBoolean() ? Map.of() : saved);
    }
}
