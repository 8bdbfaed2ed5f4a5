// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.memory.SortedSet;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.redis.script.ScriptBridge;

/**
 * What a node has stored of a lock, in the words of the model, with real tokens and owners.
 *
 * @param owner empty for none
 * @param ends the tick in which its lease ends; 0 for none
 * @param expiresMicros when its key goes, by the clock of the node; 0 for none
 * @param before the last token of a lease again, if the grant is undone
 * @param last the last token
 * @param lease the last one of a lease
 * @param reading what it has of readers while the lock is read; a word stands for the owner then, and {@code ends} is 0
 */
record NodeMemory(
        String owner, long ends, long expiresMicros, long before, long last, long lease, Optional<Reading> reading) {

    private static final String READERS = "readers ";

    /**
     * The readers of a lock.
     *
     * @param base the last token before the reading began
     * @param leased the last one of a lease before that
     * @param entries in which tick the lease of each reader ends, or has ended
     * @param graves the readers that have released their leases
     */
    record Reading(long base, long leased, Map<String, Long> entries, Set<String> graves) {

        private static Reading of(SimulatedNode node, String words, Optional<MemoryRedis.Entry> set) {
            String[] tokens = words.split(" ");
            Map<String, Long> entries = new TreeMap<>();
            Set<String> graves = new TreeSet<>();
            set.map(entry -> ((SortedSet) entry.value()).members())
                    .orElse(List.of())
                    .forEach(reader -> {
                        if (reader.score() < 0) {
                            graves.add(reader.name());
                        } else {
                            entries.put(
                                    reader.name(),
                                    ModelTime.tick(node.clock.worldMoment((long) reader.score() * 1_000)));
                        }
                    });
            return new Reading(Long.parseLong(tokens[0]), Long.parseLong(tokens[1]), entries, graves);
        }
    }

    /** Reads it without deleting what has expired. */
    static NodeMemory of(SimulatedNode node, String lock) {
        String key = ScriptBridge.lockKey(SimulatedNode.PREFIX, lock);
        String base = key.substring(0, key.lastIndexOf(':'));
        Optional<MemoryRedis.Entry> held = live(node, key);
        String[] fence = live(node, base + ":fence")
                .map(entry -> entry.value().toString().split(" "))
                .orElse(new String[] {"0"});
        long last = Long.parseLong(fence[0]);
        long lease = fence.length > 1 ? Long.parseLong(fence[1]) : last;
        if (held.isEmpty()) {
            return free(last, lease);
        }
        String written = held.get().value().toString();
        LockValue value = LockValue.parse(written);
        long ends = node.clock.worldMoment(held.get().expiresAtMicros() - value.lingersMicros());
        long before = Long.parseLong(written.split(" ", 3)[1]);
        long expires = held.get().expiresAtMicros();
        if (value.owner().startsWith(READERS)) {
            String words = value.owner().substring(READERS.length());
            Reading reading = Reading.of(node, words, live(node, base + ":readers"));
            return new NodeMemory(value.owner(), 0, expires, before, last, lease, Optional.of(reading));
        }
        return new NodeMemory(value.owner(), ModelTime.tick(ends), expires, before, last, lease, Optional.empty());
    }

    private static Optional<MemoryRedis.Entry> live(SimulatedNode node, String key) {
        Map<String, MemoryRedis.Entry> memory = node.redis().snapshot();
        return Optional.ofNullable(memory.get(key)).filter(entry -> entry.expiresAtMicros() > node.clock.micros());
    }

    /** Returns the birth mark of a node, if there is one. */
    static Optional<BirthMark> mark(SimulatedNode node) {
        return live(node, ScriptBridge.markKey(SimulatedNode.PREFIX))
                .flatMap(entry -> BirthMark.parse(entry.value().toString()));
    }

    /** Returns the same when the key of the lock has expired. */
    NodeMemory withoutOwner() {
        return free(last, lease);
    }

    private static NodeMemory free(long last, long lease) {
        return new NodeMemory("", 0, 0, 0, last, lease, Optional.empty());
    }
}
