// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.survey;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.holdfast.LockException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.env.Time;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.script.LockKey;
import org.holdfast.redis.script.LockScript;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeConnection;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Walks over the keys of each node to find locks, and counts the waiters of a lock, node by node.
 *
 * <p>A node that cannot be asked is left out as long as a majority answers.
 */
public final class LockScan {

    /** So many keys a node looks at in one step, during which it serves no other client. */
    private static final int STEP = 1_000;

    /** So many locks are asked about in one go. */
    private static final int BATCH = 100;

    private static final String FIRST = "0";

    private final AskedNodes nodes;
    private final VoterConnector connector;
    private final String keyPrefix;
    private final Time time;

    /** @param keyPrefix what every key on the nodes begins with */
    public LockScan(AskedNodes nodes, VoterConnector connector, String keyPrefix, Time time) {
        this.nodes = nodes;
        this.connector = connector;
        this.keyPrefix = keyPrefix;
        this.time = time;
    }

    /** What is asked of one node. */
    private interface Question {
        void ask(int node, NodeConnection connection);
    }

    /**
     * Adds the locks whose keys are on the nodes.
     *
     * @param found receives them
     * @param longestNanos when to leave a node, however many keys are left
     * @throws QuorumUnavailableException if too few nodes answered
     * @throws LockException if a user may not do that
     */
    public void find(FoundLocks found, long longestNanos) {
        eachNode("the list of locks", (node, connection) -> walk(connection, found, longestNanos));
    }

    private void walk(NodeConnection connection, FoundLocks found, long longestNanos) {
        long begun = time.nanoTime();
        String cursor = FIRST;
        do {
            Object reply = connection.executeCommand(new CommandArguments(Command.SCAN)
                    .add(cursor)
                    .add("MATCH")
                    .add(LockKey.pattern(keyPrefix))
                    .add("COUNT")
                    .add(STEP));
            if (!(reply instanceof List<?> step && step.size() == 2 && step.get(1) instanceof List<?> keys)) {
                throw new JedisDataException("the node returned no list of keys");
            }
            keys.forEach(key -> LockKey.parse(keyPrefix, text(key)).ifPresent(found::add));
            cursor = text(step.get(0));
            if (time.nanoTime() - begun > longestNanos) {
                found.leaveRest();
            }
        } while (!cursor.equals(FIRST) && found.isComplete());
    }

    private static String text(Object reply) {
        return reply instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(reply);
    }

    /**
     * Returns how many callers wait for each of some locks.
     *
     * @throws QuorumUnavailableException if too few nodes answered
     * @throws LockException if a user may not do that
     */
    public List<Waiting> waiting(List<String> names) {
        Waiting[] waiting = new Waiting[names.size()];
        Arrays.fill(waiting, Waiting.NONE);
        if (!names.isEmpty()) {
            eachNode("the waiters of '" + names.get(0) + "'", (node, connection) -> {
                String asked = howToAsk(node, connection);
                for (int from = 0; from < names.size(); from += BATCH) {
                    List<String> some = names.subList(from, Math.min(from + BATCH, names.size()));
                    count(node, connection, asked, some, from, waiting);
                }
            });
        }
        return List.of(waiting);
    }

    /** Releases are published in the shard where the node can. */
    private String howToAsk(int node, NodeConnection connection) {
        if (!nodes.codec(node).isOfShard()) {
            return "NUMSUB";
        }
        Object how = connection.executeCommand(new CommandArguments(Command.EVAL)
                .add(LockScript.HOW_PUBLISHED.source())
                .add(0));
        return text(how).equals("SPUBLISH") ? "SHARDNUMSUB" : "NUMSUB";
    }

    private void count(
            int node, NodeConnection connection, String asked, List<String> names, int from, Waiting[] waiting) {
        ScriptCodec codec = nodes.codec(node);
        for (String name : names) {
            connection.sendCommand(new CommandArguments(Command.ZCARD)
                    .add(codec.keys().tickets(name).getBytes(StandardCharsets.UTF_8)));
            connection.sendCommand(new CommandArguments(Command.PUBSUB)
                    .add(asked)
                    .add(codec.keys().channel(name).getBytes(StandardCharsets.UTF_8)));
        }
        List<Object> replies = connection.getMany(2 * names.size());
        for (int i = 0; i < names.size(); i++) {
            Object counted = replies.get(2 * i + 1);
            int listening = counted instanceof List<?> list && list.size() == 2 ? number(list.get(1)) : number(counted);
            waiting[from + i] = waiting[from + i].or(new Waiting(number(replies.get(2 * i)), listening));
        }
    }

    /** A key of another type holds no tickets, and the slot of a lock may be on another node by now. */
    private static int number(Object reply) {
        if (reply instanceof JedisAccessControlException refused) {
            throw refused;
        }
        return reply instanceof Long number ? (int) Math.max(0, Math.min(number, Integer.MAX_VALUE)) : 0;
    }

    private void eachNode(String what, Question question) {
        long begun = time.nanoTime();
        Map<String, String> failures = new TreeMap<>();
        List<String> refusals = new ArrayList<>();
        for (int node = 0; node < nodes.size(); node++) {
            String address = nodes.address(node).toString();
            try {
                ask(node, question);
            } catch (JedisException e) {
                if (lacksPermission(e)) {
                    refusals.add(address + ": " + Failures.describe(e));
                } else {
                    failures.put(address, connector.describe(node, e));
                }
            }
        }
        if (!refusals.isEmpty()) {
            throw MissingPermissions.of(what, refusals);
        }
        if (failures.size() > nodes.size() / 2) {
            Duration waited = Duration.ofNanos(time.nanoTime() - begun);
            throw MissingPermissions.explain(
                    what, nodes.size(), QuorumUnavailableException.of(what, nodes.size(), waited, failures));
        }
    }

    /** A node that does not let the user in, by a wrong password for example, is one that cannot be asked. */
    private static boolean lacksPermission(JedisException failure) {
        return failure instanceof JedisAccessControlException
                && String.valueOf(failure.getMessage()).startsWith("NOPERM");
    }

    private void ask(int node, Question question) {
        NodeConnection connection = nodes.visit(node, connector.deadline());
        try {
            question.ask(node, connection);
        } finally {
            connection.abandon();
        }
    }
}
