// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.guard.AcceptedSettings;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.guard.MarkChange;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.guard.NodeGuard;
import org.holdfast.protocol.guard.NodeProbe;
import org.holdfast.redis.cluster.HomeSearch;
import org.holdfast.redis.cluster.ReplicationIds;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.cluster.SlotRecord;
import org.holdfast.redis.script.NodeKeys;
import org.holdfast.redis.script.ScriptBridge;

/** A node as clients see it that look at it: its birth mark, where it keeps what it knows of itself, and its slots. */
final class NodeProbes {

    private final SimulatedNode node;
    private final MemoryRedis redis;

    NodeProbes(SimulatedNode node, MemoryRedis redis) {
        this.node = node;
        this.redis = redis;
    }

    /**
     * Clients have used it for long.
     *
     * @param acceptedSettings their settings
     * @param appointed how it came to be the voter, if it may be replaced
     */
    void haveBeenUsed(AcceptedSettings acceptedSettings, Optional<NodeFacts.Appointment> appointed, NodeKeys keys) {
        new Probe(appointed, keys, Optional.empty())
                .write(new MarkChange(
                        "",
                        SimulatedNode.BOOT_MICROS - 3_600_000_000L,
                        0,
                        SimulatedNode.BOOT_MICROS - 3_600_000_000L,
                        node.facts(appointed).process(),
                        0,
                        0,
                        acceptedSettings,
                        acceptedSettings.heartbeat().toMillis(),
                        0,
                        SimulatedNode.BOOT_MICROS,
                        ""));
    }

    /** Has the sign that clients find first. */
    void haveFoundItsHome(String id, NodeKeys keys) {
        String tag = keys.own().tag().orElseThrow();
        redis.eval(ScriptBridge.door(
                keys, tag, "", "here " + id + "@" + node.role.dataSet().present(), false));
    }

    /** Has the list that mark.lua begins. */
    void haveUsedNoSlot(NodeKeys keys) {
        redis.eval(new ScriptCall(
                "return redis.call('ZADD', KEYS[1], 0, 'all')",
                List.of(keys.own().usedSlots()),
                List.of()));
    }

    /**
     * A look at a node that is to be used.
     *
     * @param lead what leads to its birth mark
     * @param isBehindOthers whether others may know more of it than is noted
     */
    record Look(NodeGuard.Admission.Admitted admitted, Optional<HomeSearch.Lead> lead, boolean isBehindOthers) {}

    /**
     * Is looked at when a client connects, as the real one is; empty if it is not to be used.
     *
     * @param lead what leads to its birth mark; empty if it is no shard, or nothing is known to lead there
     */
    Optional<Look> admit(
            NodeGuard guard,
            Optional<NodeFacts.Appointment> appointment,
            NodeKeys keys,
            Optional<HomeSearch.Lead> lead) {
        Probe probe = new Probe(appointment, keys, lead);
        return guard.admit(probe) instanceof NodeGuard.Admission.Admitted admitted
                ? Optional.of(new Look(admitted, lead, probe.isBehindOthers))
                : Optional.empty();
    }

    /** Begins a quarantine that a client has asked for. */
    void quarantine(NodeGuard guard, Optional<NodeFacts.Appointment> appointment, NodeKeys keys) {
        guard.quarantine(new Probe(appointment, keys, Optional.empty()), "a client says so");
    }

    /** Returns what a client finds the birth mark with, as the real one does at each look. */
    HomeSearch search(NodeKeys keys, Shard shard) {
        return new HomeSearch(shard, new Doors(keys));
    }

    private final class Doors implements HomeSearch.Doors {

        private final NodeKeys keys;

        Doors(NodeKeys keys) {
            this.keys = keys;
        }

        @Override
        public Optional<String> sign(String tag) {
            String key = keys.door(tag);
            return isBeingMoved(key) ? Optional.empty() : Optional.of(Objects.requireNonNullElse(redis.get(key), ""));
        }

        @Override
        public List<Optional<String>> signs(List<String> tags) {
            return tags.stream().map(this::sign).toList();
        }

        @Override
        public ReplicationIds ids() {
            return node.role.dataSet();
        }

        @Override
        public RuntimeException unreadable(String tag) {
            return new MemoryRedis.ErrorReply("the slot of " + tag + " is being moved");
        }

        @Override
        public boolean write(String tag, String seen, String sign, boolean voids) {
            if (isBeingMoved(keys.door(tag))) {
                return false;
            }
            Object reply = redis.eval(ScriptBridge.door(keys, tag, seen, sign, voids));
            node.remember();
            return reply.equals(List.of(1L));
        }

        private boolean isBeingMoved(String key) {
            Optional<String> error = node.gate().refusal(List.of(key), List.of());
            error.filter(text -> !text.startsWith("ASK") && !text.startsWith("TRYAGAIN"))
                    .ifPresent(text -> {
                        throw new MemoryRedis.ErrorReply(text);
                    });
            return error.isPresent();
        }
    }

    /**
     * A client notes since when it has its slots, as the real one does after each look.
     *
     * @param forgets whether a quarantine began just now
     * @param led whether a sign leads all clients there
     * @param inheritedAfterMicros for how long the node before must have had a slot that counts here, if writes survive
     */
    void noteSlots(
            NodeKeys keys,
            boolean forgets,
            boolean led,
            long inheritedAfterMicros,
            Function<SlotRecord.Sight, Optional<Shard.Update>> updates) {
        node.gate().require(keys.own().slots());
        String seen = Objects.requireNonNullElse(redis.get(keys.own().slots()), "");
        long inheritedBefore = node.isDurable() ? node.clock.micros() - inheritedAfterMicros : 0;
        String tag = keys.own().tag().orElseThrow();
        SlotRecord.Sight sight = new SlotRecord.Sight(
                tag, seen, node.role.dataSet(), node.clock.micros(), inheritedBefore, forgets, led);
        Shard.Update update = updates.apply(sight).orElseThrow();
        if (update.text().equals(seen)
                || redis.eval(ScriptBridge.slots(keys, seen, update.text())).equals(List.of(1L))) {
            update.isWritten();
        }
        node.remember();
    }

    /** Returns the birth mark, if there is one, and the node has its slot. */
    Optional<BirthMark> mark(NodeKeys keys) {
        boolean refused =
                node.gate().refusal(List.of(keys.own().mark()), List.of()).isPresent();
        String mark = refused ? null : redis.get(keys.own().mark());
        return mark == null ? Optional.empty() : BirthMark.parse(mark);
    }

    /**
     * A client looks at once here: what lies between its look and its change is simulated by other clients' looks
     * alone.
     */
    private final class Probe implements NodeProbe {

        private final Optional<NodeFacts.Appointment> appointment;
        private final NodeKeys keys;

        private final Optional<HomeSearch.Lead> lead;
        private boolean isBehindOthers;

        Probe(Optional<NodeFacts.Appointment> appointment, NodeKeys keys, Optional<HomeSearch.Lead> lead) {
            this.appointment = appointment;
            this.keys = keys;
            this.lead = lead.filter(it -> keys.own().tag().equals(Optional.of(it.home())));
        }

        @Override
        public boolean mayNote() {
            return !keys.own().ofShard() || lead.isPresent();
        }

        @Override
        public long heardSince() {
            return keys.shard().map(Shard::heardSince).orElse(Long.MIN_VALUE / 2);
        }

        @Override
        public boolean hasWatchedSince(long moment) {
            return keys.shard().filter(shard -> !shard.hasWatchedSince(moment)).isEmpty();
        }

        @Override
        public void letOthersGoFirst() {
            isBehindOthers = true;
        }

        @Override
        public NodeProbe.Sight look() {
            node.gate().require(keys.own().mark());
            if (keys.own().ofShard()) {
                node.gate().require(keys.own().slots());
            }
            String mark = redis.get(keys.own().mark());
            boolean heartbeat = redis.get(keys.own().heartbeat()) != null;
            return new NodeProbe.Sight(node.facts(appointment), mark == null ? "" : mark, heartbeat);
        }

        @Override
        public Optional<Long> write(MarkChange change) {
            node.gate()
                    .refusal(List.of(keys.own().mark(), keys.own().heartbeat()), List.of())
                    .ifPresent(error -> {
                        throw new MemoryRedis.ErrorReply(error);
                    });
            Object reply = redis.eval(ScriptBridge.mark(keys, change, lead));
            node.remember();
            return ScriptBridge.markedAt(reply);
        }
    }
}
