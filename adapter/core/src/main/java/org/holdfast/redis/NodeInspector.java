// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.holdfast.protocol.BirthMark;
import org.holdfast.protocol.Clocks;
import org.holdfast.protocol.NodeFacts;
import org.holdfast.protocol.NodeGuard;
import org.holdfast.protocol.NodeGuard.Verdict;
import org.holdfast.protocol.Throttle;
import org.holdfast.protocol.Time;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Looks at one node on each new connection, before it is asked for anything, and once a second: sets its birth mark right,
 * and compares its clock.
 *
 * <p>One round trip where the mark is right. An open connection proves that the process is the same; that its memory is
 * whole, its scripts see by the mark. Safe for use by any number of threads, each with a connection of its own.
 */
final class NodeInspector {

    private static final System.Logger LOG = System.getLogger(NodeInspector.class.getName());

    /** Somebody else may set the mark at the same time; more often than this it is something else. */
    private static final int MOST_ROUNDS = 5;

    private static final long SECOND_MICROS = 1_000_000;

    /** What always fits. */
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    /** More in microseconds would not fit. */
    private static final long MOST_SECONDS = 1_000_000_000_000L;

    /** What mark.lua returns when it has set the mark. */
    private static final long MARK_SET = 8;

    private final int node;
    private final NodeAddress address;
    private final byte[] markKey;
    private final long memoryMicros;
    private final Clocks clocks;
    private final Time time;
    private final Throttle throttle;

    /** Which process the node was when it was last admitted; null if it never was. */
    private volatile Looked last;

    /**
     * @param memoryMicros how long a forgotten lock may last
     * @param throttle of what the log says of marks
     */
    NodeInspector(
            int node,
            NodeAddress address,
            String markKey,
            long memoryMicros,
            Clocks clocks,
            Time time,
            Throttle throttle) {
        this.node = node;
        this.address = address;
        this.markKey = markKey.getBytes(StandardCharsets.UTF_8);
        this.memoryMicros = memoryMicros;
        this.clocks = clocks;
        this.time = time;
        this.throttle = throttle;
    }

    /**
     * A node may be asked.
     *
     * @param runId which process it is; null if nobody has looked
     * @param quarantineNanos how long it grants nothing new; 0 if it votes
     * @param reason why a quarantine was begun just now; null if it was not
     */
    record Admission(String runId, long quarantineNanos, String reason) {
        static final Admission TRUSTED = new Admission(null, 0, null);
    }

    /** A node is not to be used. */
    static final class RefusedException extends JedisException {
        private static final long serialVersionUID = 1L;

        RefusedException(String reason) {
            super("refused: " + reason);
        }
    }

    /**
     * Looks, sets the mark right if need be, and compares the clock.
     *
     * @return for how long the node will grant nothing new
     * @throws RefusedException if the node is not to be used, or does not let us look
     * @throws JedisException if it does not answer
     */
    Admission inspect(NodeConnection connection) {
        long flushes = -1;
        String begun = null;
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Seen seen = look(connection);
            if (flushes >= 0 && seen.facts().flushes() != flushes) {
                set(connection, seen, 0, "it was flushed while it was looked at");
            }
            flushes = seen.facts().flushes();
            Verdict verdict = NodeGuard.judge(seen.facts(), BirthMark.parse(seen.mark()), before(seen));
            if (verdict instanceof Verdict.Trusted trusted) {
                last = new Looked(seen.facts().runId(), seen.at());
                long untilMicros = trusted.mark().sinceMicros() + memoryMicros;
                long micros = Math.max(0, untilMicros - seen.facts().nowMicros());
                return new Admission(seen.facts().runId(), TimeUnit.MICROSECONDS.toNanos(micros), begun);
            }
            if (verdict instanceof Verdict.Refused refused) {
                if (refused.forgets()) {
                    set(connection, seen, 0, refused.reason());
                }
                throw new RefusedException(refused.reason());
            }
            Verdict.SetMark set = (Verdict.SetMark) verdict;
            if (set(connection, seen, set.mark().sinceMicros(), set.reason())) {
                begun = set.reason();
            }
        }
        throw new JedisException("its birth mark keeps changing");
    }

    /** Begins a quarantine, whatever the mark says. */
    void quarantine(NodeConnection connection, String reason) {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            if (set(connection, look(connection), 0, reason)) {
                return;
            }
        }
        throw new JedisException("its birth mark keeps changing");
    }

    private Optional<NodeGuard.Before> before(Seen seen) {
        Looked known = last;
        return known == null
                ? Optional.empty()
                : Optional.of(new NodeGuard.Before(
                        known.runId(), TimeUnit.NANOSECONDS.toMicros(Math.max(0, seen.at() - known.at()))));
    }

    /** Which process it was, and when. */
    private record Looked(String runId, long at) {}

    private record Seen(NodeFacts facts, String mark, long at) {}

    private Seen look(NodeConnection connection) {
        long sentAt = time.nanoTime();
        connection.sendCommand(new CommandArguments(Command.GET).add(markKey));
        connection.sendCommand(new CommandArguments(Command.TIME));
        connection.sendCommand(new CommandArguments(Command.INFO));
        connection.sendCommand(new CommandArguments(Command.INFO).add("commandstats"));
        connection.sendCommand(new CommandArguments(Command.CONFIG).add("GET").add("appendfsync"));
        List<Object> replies = connection.getMany(5);
        String mark = replies.get(0) instanceof byte[] bytes ? text(bytes) : "";
        Map<String, String> info = new HashMap<>();
        parse(required(replies.get(2), "INFO"), info);
        parse(required(replies.get(3), "INFO"), info);
        long now = micros(requiredReply(replies.get(1), "TIME"));
        clocks.note(node, sentAt, time.nanoTime(), now);
        return new Seen(facts(info, now, alwaysSyncs(replies.get(4))), mark, sentAt);
    }

    private static NodeFacts facts(Map<String, String> info, long now, boolean syncsAlways) {
        boolean limited = !"0".equals(info.getOrDefault("maxmemory", "0"));
        boolean evicts = limited && !"noeviction".equals(info.get("maxmemory_policy"));
        long uptimeMicros = secondsInMicros(need(info, "uptime_in_seconds"));
        return new NodeFacts(
                need(info, "run_id"),
                need(info, "master_replid"),
                "master".equals(need(info, "role")),
                !info.getOrDefault("second_repl_offset", "-1").startsWith("-"),
                "1".equals(info.get("cluster_enabled")),
                evicts,
                "1".equals(info.get("aof_enabled")) && syncsAlways,
                number(info.getOrDefault("evicted_keys", "0")),
                calls(info, "flushall") + calls(info, "flushdb"),
                calls(info, "eval") + calls(info, "evalsha"),
                now - uptimeMicros,
                now);
    }

    private static String need(Map<String, String> info, String field) {
        String value = info.get(field);
        if (value == null) {
            throw new RefusedException("INFO does not tell " + field);
        }
        return value;
    }

    private static long calls(Map<String, String> info, String command) {
        String stats = info.getOrDefault("cmdstat_" + command, "calls=0,");
        int comma = stats.indexOf(',');
        if (!stats.startsWith("calls=") || comma < 0) {
            throw nonsense();
        }
        return number(stats.substring("calls=".length(), comma));
    }

    private static long micros(Object clock) {
        if (clock instanceof List<?> parts && parts.size() == 2) {
            return secondsInMicros(text(parts.get(0))) + number(text(parts.get(1)));
        }
        throw nonsense();
    }

    private static long secondsInMicros(String text) {
        long seconds = number(text);
        if (seconds > MOST_SECONDS) {
            throw nonsense();
        }
        return seconds * SECOND_MICROS;
    }

    private static long number(String text) {
        if (!NUMBER.matcher(text).matches()) {
            throw nonsense();
        }
        return Long.parseLong(text);
    }

    /** Says nothing of what it was: that may be of any length, and gets into a log. */
    private static JedisException nonsense() {
        return new JedisConnectionException("the guard is told what no Redis tells");
    }

    /** Where it cannot be asked the node is taken for one that loses its last writes. */
    private static boolean alwaysSyncs(Object reply) {
        return reply instanceof List<?> pair && pair.size() == 2 && "always".equals(text(pair.get(1)));
    }

    private static String required(Object reply, String command) {
        return text(requiredReply(reply, command));
    }

    private static Object requiredReply(Object reply, String command) {
        if (reply instanceof JedisDataException e) {
            throw new RefusedException("the guard cannot look at the node, allow " + command
                    + " to its user or set guard to OFF: " + e.getMessage());
        }
        return reply;
    }

    private static void parse(String info, Map<String, String> into) {
        info.lines().filter(line -> line.indexOf(':') > 0).forEach(line -> {
            int colon = line.indexOf(':');
            into.put(line.substring(0, colon), line.substring(colon + 1).trim());
        });
    }

    private static String text(Object reply) {
        if (reply instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        throw nonsense();
    }

    /**
     * @param since 0 for the moment at which the node does it
     * @return false if somebody else has set the mark since it was seen
     */
    private boolean set(NodeConnection connection, Seen seen, long since, String reason) {
        NodeFacts facts = seen.facts();
        String rest = new BirthMark(since, facts.runId(), facts.replicationId(), facts.evictions()).rest();
        Object reply = evaluate(
                connection,
                new CommandArguments(Command.EVAL)
                        .add(LockScript.MARK.source())
                        .add(1)
                        .add(markKey)
                        .add(seen.mark().getBytes(StandardCharsets.UTF_8))
                        .add(since)
                        .add(rest.getBytes(StandardCharsets.UTF_8)));
        if (!(reply instanceof List<?> list && list.size() == 3 && list.get(0) instanceof Long status)) {
            throw new JedisConnectionException("the node returned what no script of ours returns");
        }
        boolean set = status == MARK_SET;
        if (set) {
            tell(since == 0 ? "now" : (facts.nowMicros() - since) / SECOND_MICROS + " s ago", reason);
        }
        return set;
    }

    private void tell(String since, String reason) {
        String more = throttle.leave();
        if (more != null) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "HF0303: node " + address + " remembers everything since " + since + ": " + reason + more);
        }
    }

    private static Object evaluate(NodeConnection connection, CommandArguments call) {
        try {
            return connection.executeCommand(call);
        } catch (JedisDataException e) {
            throw new JedisDataException(LockScript.MARK.explain(e.getMessage()));
        }
    }
}
