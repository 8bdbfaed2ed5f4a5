// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeErrors;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** Translates what a node answers to an inspection into facts for the guard, and rejects what no Redis answers. */
final class InspectionDecoder {

    private static final long SECOND_MICROS = 1_000_000;

    /** What always fits. */
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    /** What a run id or a replication id looks like: 40 hexadecimal digits, or what a service has in their place. */
    private static final Pattern ID = Pattern.compile("[!-~]{1,64}");

    /** The replication id of a process that was never promoted. */
    private static final Pattern NO_ID = Pattern.compile("0*");

    /** Where a client is, in what CLIENT INFO tells. */
    private static final Pattern SEEN = Pattern.compile("(?:^| )addr=(\\S*)(?= |$)");

    /** More in microseconds would not fit. */
    private static final long MOST_SECONDS = 1_000_000_000_000L;

    private InspectionDecoder() {}

    /**
     * Returns what the guard must know of a node.
     *
     * @param now the node's clock
     * @param appointment by which it is the voter; what its mark says of a promotion then has the epoch of that
     * @throws NodeRefusedException if it is too old, or does not say which process it is
     */
    static NodeFacts facts(
            Map<String, String> info,
            long now,
            Optional<String> durabilityFault,
            Optional<NodeFacts.Appointment> appointment) {
        NodeErrors.tooOld(info.get("redis_version")).ifPresent(reason -> {
            throw new NodeRefusedException(reason);
        });
        boolean limited = !"0".equals(info.getOrDefault("maxmemory", "0"));
        boolean evicts = limited && !"noeviction".equals(info.get("maxmemory_policy"));
        String replaced = info.getOrDefault("master_replid2", "");
        String promotion = NO_ID.matcher(replaced).matches() ? BirthMark.Process.NEVER_PROMOTED : id(replaced);
        BirthMark.Process process = new BirthMark.Process(
                runId(info),
                number(info.getOrDefault("evicted_keys", "0")),
                appointment.map(by -> id(by.ofMark(promotion))).orElse(promotion),
                loaded(info));
        return new NodeFacts(
                process,
                "master".equals(need(info, "role")),
                "1".equals(info.get("cluster_enabled")),
                evicts,
                durabilityFault,
                now,
                appointment);
    }

    /** Returns which process the node is. */
    static String runId(Map<String, String> info) {
        return id(need(info, "run_id"));
    }

    /** Redis counts since 7.0 what it has loaded: at its start, from its primary as a replica, or by a command. */
    private static String loaded(Map<String, String> info) {
        String keys = info.get("rdb_last_load_keys_loaded");
        return keys == null
                ? BirthMark.Process.LOADED_UNKNOWN
                : number(keys) + "+" + number(info.getOrDefault("rdb_last_load_keys_expired", "0"));
    }

    /**
     * Returns which setting of a node lets it forget what it has acknowledged.
     *
     * <p>A service that is durable by design does not show its configuration: then the operator's word must do.
     *
     * @param sync the reply to CONFIG GET appendfsync
     * @param syncOnRewrite the reply to CONFIG GET no-appendfsync-on-rewrite
     */
    static Optional<String> durabilityFault(Map<String, String> info, Object sync, Object syncOnRewrite) {
        Optional<String> policy = setting(sync);
        if (policy.isPresent() && !"1".equals(info.get("aof_enabled"))) {
            return Optional.of("appendonly is no: set it to yes");
        }
        if (policy.isPresent() && !policy.get().equals("always")) {
            return Optional.of("appendfsync is " + policy.get() + ": set it to always");
        }
        return setting(syncOnRewrite)
                .filter("yes"::equals)
                .map(yes -> "no-appendfsync-on-rewrite is yes: set it to no");
    }

    private static Optional<String> setting(Object reply) {
        return reply instanceof List<?> pair && pair.size() == 2 ? Optional.of(text(pair.get(1))) : Optional.empty();
    }

    private static String id(String text) {
        if (!ID.matcher(text).matches()) {
            throw nonsense();
        }
        return text;
    }

    private static String need(Map<String, String> info, String field) {
        String value = info.get(field);
        if (value == null) {
            throw new NodeRefusedException("INFO does not tell " + field);
        }
        return value;
    }

    /**
     * Returns the text of a birth mark; empty if there is none, or what is there is no text.
     *
     * @throws NodeRefusedException if the user may not read it: that it is missing is not known then
     */
    static String mark(Object reply) {
        Object readable = reply instanceof JedisAccessControlException ? requiredReply(reply, "GET") : reply;
        return readable instanceof byte[] bytes ? keptText(bytes) : "";
    }

    /**
     * Returns what a node's clock says.
     *
     * @throws NodeRefusedException if the node does not tell it
     */
    static long micros(Object reply) {
        if (requiredReply(reply, "TIME") instanceof List<?> parts && parts.size() == 2) {
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

    static long number(String text) {
        if (!NUMBER.matcher(text).matches()) {
            throw nonsense();
        }
        return Long.parseLong(text);
    }

    /**
     * Returns whether the node sees a connection as coming from the port or by the file that it comes from. It does not
     * if a proxy has a connection of its own to the node, or if addresses are translated in between. It does not say
     * before Redis 6.2.
     *
     * @param reply the reply to CLIENT INFO
     * @param end see {@link NodeConnection#ownEnd()}
     */
    static boolean sees(Object reply, String end) {
        return reply instanceof byte[] bytes
                && SEEN.matcher(text(bytes))
                        .results()
                        .map(seen -> seen.group(1))
                        .anyMatch(seen -> seen.equals(end) || end.startsWith(":") && seen.endsWith(end));
    }

    /** Says nothing of what it was: that may be of any length, and gets into a log. */
    private static JedisException nonsense() {
        return new JedisConnectionException("the guard is told what no Redis tells");
    }

    static Object requiredReply(Object reply, String command) {
        if (reply instanceof JedisDataException e) {
            throw new NodeRefusedException(NodeErrors.explainLook(command, Failures.describe(e)));
        }
        return reply;
    }

    /**
     * Returns the fields of INFO.
     *
     * @throws NodeRefusedException if the node does not tell them
     */
    static Map<String, String> info(Object reply) {
        Map<String, String> into = new HashMap<>();
        text(requiredReply(reply, "INFO"))
                .lines()
                .filter(line -> line.indexOf(':') > 0)
                .forEach(line -> {
                    int colon = line.indexOf(':');
                    into.put(line.substring(0, colon), line.substring(colon + 1).trim());
                });
        return into;
    }

    static String text(Object reply) {
        if (reply instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        throw nonsense();
    }

    /**
     * Returns what a node keeps in a key of ours, one character for each byte: it is compared with what stands there
     * before it is replaced, also when that is none of ours.
     */
    static String keptText(Object reply) {
        if (reply instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
        throw nonsense();
    }

    /** Returns the bytes of a text that is kept so. */
    static byte[] keptBytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
