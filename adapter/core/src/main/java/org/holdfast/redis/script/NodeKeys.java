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

    /**
     * Returns the keys in which the node keeps what it knows of itself. Those of a shard are all in one slot, the one
     * of this moment: so a call or a look reads them once.
     */
    public OwnKeys own() {
        return new OwnKeys(prefix, shard.flatMap(Shard::homeTag), shard.isPresent());
    }

    /**
     * The keys in which a node keeps what it knows of itself.
     *
     * @param prefix what every key begins with
     * @param tag the hash tag of their slot; empty if the node is no shard, or has no slots
     * @param ofShard whether it is one
     */
    public record OwnKeys(String prefix, Optional<String> tag, boolean ofShard) {

        /** Returns the key of the birth mark. */
        public String mark() {
            return base() + "birth";
        }

        /** Returns the key of the heartbeat. */
        public String heartbeat() {
            return base() + "heartbeat";
        }

        /** Returns the key where a shard of a cluster keeps since when it has its slots. */
        public String slots() {
            return base() + "slots";
        }

        /** Returns the key where a shard of a cluster keeps in which slots a script has run. */
        public String usedSlots() {
            return base() + "used";
        }

        /** Returns the same key; empty if the node is no shard. */
        public String listOfSlots() {
            return ofShard ? usedSlots() : "";
        }

        private String base() {
            return prefix + tag.map(slot -> ":{" + slot + "}:").orElse(":");
        }
    }

    /** Returns the key of a slot of a cluster: it is deleted with all keys of the slot. */
    public String ofSlot(int slot) {
        return prefix + ":{" + Slot.tag(slot) + "}:kept";
    }

    /** Returns the key where a client looks in which slot a shard of a cluster keeps the others. */
    public String door(String tag) {
        return prefix + ":{" + tag + "}:home";
    }

    /** Returns the key of a birth mark that is kept in the slot of a hash tag. */
    public String markAt(String tag) {
        return new OwnKeys(prefix, Optional.of(tag), true).mark();
    }

    /** Returns a name below which nothing is taken, for a look. */
    public String nameForLooks() {
        return shard.flatMap(Shard::homeTag).orElse("check");
    }

    /** Returns the slot of a lock in a cluster: all its keys are in one. */
    public int slot(String lock) {
        return Slot.of(ShapeCodec.base(prefix, lock));
    }

    /** Returns the key of the tickets of all callers that wait in line for a lock. */
    public String tickets(String lock) {
        return ShapeCodec.base(prefix, lock) + "tickets";
    }

    /** Returns the channel on which the release of a lock is published. */
    public String channel(String lock) {
        return ShapeCodec.base(prefix, lock) + "released";
    }
}
