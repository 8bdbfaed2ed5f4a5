// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.util.List;
import java.util.Optional;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.redis.cluster.ReplicationIds;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.cluster.SlotSight;
import org.holdfast.redis.script.LockScript;
import org.holdfast.redis.script.NodeKeys;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.NodeConnection;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

/**
 * What stands on a shard of a cluster besides its birth mark: in which of its slots that is, the same one for all
 * clients, and since when it has its slots.
 *
 * <p>Safe for use by any number of threads, each with a connection of its own.
 */
final class ShardNotes {

    /** So often a note is compared and written; then not before the next look. */
    private static final int MOST_ROUNDS = 3;

    /** What a script returns that has written a note. */
    private static final Long WRITTEN = 1L;

    private final int node;
    private final VoterConnector connector;
    private final ScriptCodec codec;

    /** For how long the node before must have had a slot that counts here; 0 if writes do not survive a failover. */
    private final long inheritedAfterMicros;

    ShardNotes(int node, VoterConnector connector, ScriptCodec codec, long inheritedAfterMicros) {
        this.node = node;
        this.connector = connector;
        this.codec = codec;
        this.inheritedAfterMicros = inheritedAfterMicros;
    }

    /**
     * Finds in which slot the birth mark is, and has all clients look there.
     *
     * @return a birth mark that is void by now: clients kept it where this one has looked; empty if there is none
     */
    Optional<BirthMark> findHome(NodeConnection connection, Shard shard) {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Optional<String> door = shard.doorTag();
            if (door.isEmpty()) {
                break; // its slots have gone in this moment
            }
            String seen = signAt(connection, door.get());
            String sign = shard.follow(door.get(), seen);
            if (sign.equals(seen)) {
                break;
            }
            Object reply = connection.executeCommand(new CommandArguments(Command.EVAL)
                    .add(LockScript.DOOR.source())
                    .add(1)
                    .add(codec.keys().door(door.get()))
                    .add(InspectionDecoder.keptBytes(seen))
                    .add(InspectionDecoder.keptBytes(sign))
                    .add(codec.keys().markAtDoor(door.get())));
            if (reply instanceof List<?> words && WRITTEN.equals(words.get(0))) {
                return words.get(1) instanceof byte[] mark
                        ? BirthMark.parse(InspectionDecoder.keptText(mark))
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private String signAt(NodeConnection connection, String door) {
        CommandArguments call =
                new CommandArguments(Command.GET).add(codec.keys().door(door));
        return connection.executeCommand(call) instanceof byte[] sign ? InspectionDecoder.keptText(sign) : "";
    }

    /**
     * Writes down since when the shard has its slots.
     *
     * @param own where its birth mark was found at this look
     * @param ids of its data
     * @param lookedMicros its clock at this look
     * @param forgets whether a quarantine began just now
     */
    void noteSlots(
            NodeConnection connection, NodeKeys.OwnKeys own, ReplicationIds ids, long lookedMicros, boolean forgets) {
        connector.hearSlots(node, connection);
        int left = MOST_ROUNDS;
        while (left > 0 && !areSlotsNoted(connection, own, ids, lookedMicros, forgets)) {
            left--;
        }
    }

    /** Returns false if another client has written meanwhile, or the birth mark is elsewhere by now. */
    private boolean areSlotsNoted(
            NodeConnection connection, NodeKeys.OwnKeys own, ReplicationIds ids, long lookedMicros, boolean forgets) {
        connection.sendCommand(new CommandArguments(Command.GET).add(own.slots()));
        connection.sendCommand(new CommandArguments(Command.TIME));
        List<Object> replies = connection.getMany(2);
        String seen = replies.get(0) == null
                ? ""
                : InspectionDecoder.keptText(InspectionDecoder.requiredReply(replies.get(0), "GET"));
        long now = InspectionDecoder.micros(replies.get(1));
        if (now < lookedMicros) { // the next look begins a quarantine: then moments may be earlier
            throw new JedisException("its clock was set back in this moment");
        }
        SlotSight sight = new SlotSight(own.tag().orElse(""), seen, ids, now, inheritedBeforeMicros(now), forgets);
        Optional<Shard.Update> update = connector.slots(node, sight);
        if (update.isEmpty()) {
            return false;
        }
        boolean isNoted = update.get().text().equals(seen)
                || isWritten(connection, own.slots(), seen, update.get().text());
        if (isNoted) {
            update.get().isWritten();
        }
        return isNoted;
    }

    /**
     * Returns the moment before which a slot was another node's for long enough, where the operator vouches that this
     * one has all that was acknowledged there. The other's heartbeat was there when its mark was taken over: so its
     * clock was behind by no more than that lasts.
     */
    private long inheritedBeforeMicros(long nowMicros) {
        return inheritedAfterMicros > 0 ? nowMicros - inheritedAfterMicros : 0;
    }

    private static boolean isWritten(NodeConnection connection, String key, String seen, String text) {
        Object reply = connection.executeCommand(new CommandArguments(Command.EVAL)
                .add(LockScript.SLOTS.source())
                .add(1)
                .add(key)
                .add(InspectionDecoder.keptBytes(seen))
                .add(InspectionDecoder.keptBytes(text)));
        return WRITTEN.equals(reply);
    }
}
