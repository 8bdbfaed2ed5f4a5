// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.Map;
import java.util.Optional;
import org.holdfast.memory.MemoryRedis;
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
 */
record NodeMemory(String owner, long ends, long expiresMicros, long before, long last, long lease) {

    /** Reads it without deleting what has expired. */
    static NodeMemory of(SimulatedNode node, String lock) {
        String key = ScriptBridge.lockKey(SimulatedNode.PREFIX, lock);
        Optional<MemoryRedis.Entry> held = live(node, key);
        String[] fence = live(node, key.substring(0, key.lastIndexOf(':')) + ":fence")
                .map(entry -> entry.value().toString().split(" "))
                .orElse(new String[] {"0"});
        long last = Long.parseLong(fence[0]);
        long lease = fence.length > 1 ? Long.parseLong(fence[1]) : last;
        if (held.isEmpty()) {
            return new NodeMemory("", 0, 0, 0, last, lease);
        }
        String written = held.get().value().toString();
        LockValue value = LockValue.parse(written);
        long ends = node.clock.worldMoment(held.get().expiresAtMicros() - value.lingersMicros());
        long before = Long.parseLong(written.split(" ", 3)[1]);
        return new NodeMemory(value.owner(), ModelTime.tick(ends), held.get().expiresAtMicros(), before, last, lease);
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
        return new NodeMemory("", 0, 0, 0, last, lease);
    }
}
