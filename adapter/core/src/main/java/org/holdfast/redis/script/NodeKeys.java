// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.util.Optional;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.cluster.Slot;

/**
 * What keys on one node are called, besides those of locks.
 *
 * @param prefix what every key begins with
 * @param shard what the node is, if that is a shard of a cluster: then they are in one of its slots
 */
public record NodeKeys(String prefix, Optional<Shard> shard) {

    /** Returns the key of the birth mark. */
    public String mark() {
        return home() + "birth";
    }

    /** Returns the key of the heartbeat. */
    public String heartbeat() {
        return home() + "heartbeat";
    }

    /** Returns the key where a shard of a cluster keeps since when it has its slots. */
    public String slots() {
        return home() + "slots";
    }

    /** Returns the key where a shard of a cluster keeps in which slots a script has run. */
    public String usedSlots() {
        return home() + "used";
    }

    /** Returns the same key; empty if the node is no shard. */
    public String listOfSlots() {
        return shard.isPresent() ? usedSlots() : "";
    }

    /** Returns the key of a slot of a cluster: it is deleted with all keys of the slot. */
    public String ofSlot(int slot) {
        return prefix + ":{" + Slot.tag(slot) + "}:kept";
    }

    /** Returns the key where a client looks in which slot a shard of a cluster keeps the others. */
    public String door(String tag) {
        return prefix + ":{" + tag + "}:home";
    }

    private String home() {
        return prefix
                + shard.flatMap(Shard::homeTag).map(tag -> ":{" + tag + "}:").orElse(":");
    }

    /** Returns a name below which nothing is taken, for a look. */
    public String nameForLooks() {
        return shard.flatMap(Shard::homeTag).orElse("check");
    }

    /** Returns the slot of a lock in a cluster: all its keys are in one. */
    public int slot(String lock) {
        return Slot.of(ShapeCodec.base(prefix, lock));
    }

    /** Returns the channel on which the release of a lock is published. */
    public String channel(String lock) {
        return ShapeCodec.base(prefix, lock) + "released";
    }
}
