// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.holdfast.redis.cluster.HomeSearch;
import org.holdfast.redis.cluster.ReplicationIds;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.cluster.Slot;
import org.holdfast.redis.cluster.SlotRecord;
import org.holdfast.redis.script.LockScript;
import org.holdfast.redis.script.NodeKeys;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeConnection;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
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

    /** So many keys are read at once. */
    private static final int MOST_AT_ONCE = 500;

    /** What a script returns that has written a note. */
    private static final Long WRITTEN = 1L;

    private final int node;
    private final VoterConnector connector;
    private final ScriptCodec codec;

    /** For how long the node before must have had a slot that counts here; 0 if writes do not survive a failover. */
    private final long inheritedAfterMicros;

    /** Whether this process leaves signs: one that takes no locks follows those of others. */
    private final boolean writes;

    ShardNotes(int node, VoterConnector connector, ScriptCodec codec, long inheritedAfterMicros, boolean writes) {
        this.node = node;
        this.connector = connector;
        this.codec = codec;
        this.inheritedAfterMicros = inheritedAfterMicros;
        this.writes = writes;
    }

    /** Finds in which slot the birth mark is, see {@link HomeSearch#search}. */
    Optional<HomeSearch.Lead> search(NodeConnection connection, Shard shard) {
        connector.hearSlots(node, connection);
        return new HomeSearch(shard, new Doors(connection)).search();
    }

    private final class Doors implements HomeSearch.Doors {

        private final NodeConnection connection;
        private ReplicationIds ids = ReplicationIds.UNKNOWN;

        Doors(NodeConnection connection) {
            this.connection = connection;
        }

        @Override
        public Optional<String> sign(String tag) {
            connection.sendCommand(
                    new CommandArguments(Command.GET).add(codec.keys().door(tag)));
            connection.sendCommand(new CommandArguments(Command.INFO).add("replication"));
            connection.sendCommand(VoterConnector.WHICH_NODE);
            List<Object> replies = connection.getMany(3);
            connector.requireNode(
                    node,
                    connection,
                    InspectionDecoder.text(InspectionDecoder.requiredReply(replies.get(2), "CLUSTER MYID")));
            ids = ReplicationIds.of(InspectionDecoder.info(replies.get(1)));
            return isElsewhere(replies.get(0)) ? Optional.empty() : Optional.of(text(replies.get(0)));
        }

        @Override
        public List<Optional<String>> signs(List<String> tags) {
            List<Optional<String>> signs = new ArrayList<>(tags.size());
            for (int from = 0; from < tags.size(); from += MOST_AT_ONCE) {
                List<String> some = tags.subList(from, Math.min(from + MOST_AT_ONCE, tags.size()));
                List<Object> replies = get(some);
                for (int i = 0; i < some.size(); i++) {
                    signs.add(signOnRecord(some.get(i), replies.get(i)));
                }
            }
            return signs;
        }

        private List<Object> get(List<String> tags) {
            tags.forEach(tag -> connection.sendCommand(
                    new CommandArguments(Command.GET).add(codec.keys().door(tag))));
            return connection.getMany(tags.size());
        }

        /** A slot is moved in some milliseconds, where it has few keys: then it is looked at once more. */
        private Optional<String> signOnRecord(String tag, @Nullable Object first) {
            Object reply = first;
            for (int round = 0; round < MOST_ROUNDS && isBeingMoved(reply); round++) {
                reply = get(List.of(tag)).get(0);
            }
            if (isBeingMoved(reply)) {
                return Optional.empty();
            }
            return Optional.of(isElsewhere(reply) ? "" : text(reply));
        }

        @Override
        public ReplicationIds ids() {
            return ids;
        }

        @Override
        public RuntimeException unreadable(String tag) {
            return new NodeRefusedException("its slot " + Slot.of(tag) + ", in which clients that start look, is being"
                    + " moved, and what may stand there has gone. End that move, or give it up: CLUSTER SETSLOT");
        }

        @Override
        public boolean write(String tag, String seen, String sign, boolean voids) {
            if (!writes) {
                return false;
            }
            connection.sendCommand(new CommandArguments(Command.EVAL)
                    .add(LockScript.DOOR.source())
                    .add(1)
                    .add(codec.keys().door(tag))
                    .add(InspectionDecoder.keptBytes(seen))
                    .add(InspectionDecoder.keptBytes(sign))
                    .add(voids ? codec.keys().markAt(tag) : ""));
            Object reply = connection.getMany(1).get(0);
            if (reply instanceof JedisDataException e && !isElsewhere(reply)) {
                throw new JedisDataException(LockScript.DOOR.explain(Failures.describe(e)));
            }
            return WRITTEN.equals(reply);
        }
    }

    /** Returns whether the node does not answer for a key: its slot is being moved, or is not there yet or any more. */
    private static boolean isElsewhere(@Nullable Object reply) {
        return isBeingMoved(reply)
                || reply instanceof JedisDataException e && Failures.describe(e).startsWith("MOVED ");
    }

    /**
     * Refuses a look that cannot read since when the node has its slots: what this client has seen of them could not be
     * noted there, and a mark that is kept up all the same would have others rely on what stands there.
     */
    static void requireThere(@Nullable Object record) {
        if (record instanceof JedisDataException e && isElsewhere(record)) {
            throw e;
        }
    }

    private static boolean isBeingMoved(@Nullable Object reply) {
        return reply instanceof JedisDataException e
                && Stream.of("ASK ", "TRYAGAIN ").anyMatch(Failures.describe(e)::startsWith);
    }

    /** Returns what a key holds; empty for none, and for another type, which is replaced when it is written. */
    private static String text(@Nullable Object reply) {
        if (reply == null) {
            return "";
        }
        boolean isOfAnotherType =
                reply instanceof JedisDataException e && Failures.describe(e).startsWith("WRONGTYPE ");
        return isOfAnotherType ? "" : InspectionDecoder.keptText(InspectionDecoder.requiredReply(reply, "GET"));
    }

    /**
     * Writes down since when the shard has its slots.
     *
     * @param own where its birth mark was found at this look
     * @param ids of its data
     * @param lookedMicros its clock at this look
     * @param forgets whether a quarantine began just now
     * @param led whether a sign leads all clients there
     */
    void noteSlots(
            NodeConnection connection,
            NodeKeys.OwnKeys own,
            ReplicationIds ids,
            long lookedMicros,
            boolean forgets,
            boolean led) {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            if (areSlotsNoted(connection, own, ids, lookedMicros, forgets, led)) {
                return;
            }
        }
    }

    /** Returns false if another client has written meanwhile. */
    private boolean areSlotsNoted(
            NodeConnection connection,
            NodeKeys.OwnKeys own,
            ReplicationIds ids,
            long lookedMicros,
            boolean forgets,
            boolean led) {
        connection.sendCommand(new CommandArguments(Command.GET).add(own.slots()));
        connection.sendCommand(new CommandArguments(Command.TIME));
        List<Object> replies = connection.getMany(2);
        String seen = text(replies.get(0));
        long now = InspectionDecoder.micros(replies.get(1));
        if (now < lookedMicros) { // the next look begins a quarantine: then moments may be earlier
            throw new JedisException("its clock was set back in this moment");
        }
        SlotRecord.Sight sight =
                new SlotRecord.Sight(own.tag().orElse(""), seen, ids, now, inheritedBeforeMicros(now), forgets, led);
        Optional<Shard.Update> update = connector.slots(node, sight);
        if (update.isEmpty()) {
            return true; // it is elsewhere by now: the next look is there
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
