// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.protocol.term.Witnesses;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.wire.Failures;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** Translates what a Sentinel answers, and rejects what no Sentinel answers. */
final class SentinelReply {

    /** What always fits. */
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    private static final Pattern ID = Pattern.compile("[0-9a-f]{40}");

    private static final Pattern RUN_ID = Pattern.compile("(?m)^run_id:([0-9a-f]{40})\\r?$");

    private static final int MOST_SENTINELS = 10_000;

    private SentinelReply() {}

    /**
     * Returns what a Sentinel says of the primary.
     *
     * @param replies to SENTINEL GET-MASTER-ADDR-BY-NAME, SENTINEL MASTER, INFO server, SENTINEL REPLICAS, SENTINEL
     *     SENTINELS and SENTINEL MYID, which is an error before Redis 6.2
     * @throws JedisDataException if the Sentinel does not know it, or does not tell
     * @throws JedisConnectionException if this is no Sentinel
     */
    static Witnesses.Testimony testimony(String master, List<@Nullable Object> replies) {
        Object address = replies.get(0);
        Object details = replies.get(1);
        if (address == null) {
            throw new JedisDataException("it knows no primary of the name " + master);
        }
        requireNoError(address);
        requireNoError(details);
        requireNoError(replies.get(2));
        if (address instanceof List<?> pair && pair.size() == 2 && details instanceof List<?> list) {
            Map<String, String> fields = fields(list);
            String place = place(text(pair.get(0)), text(pair.get(1))).toString();
            Map<String, String> standbys = standbys(all(replies.get(3)));
            String runId = runId(text(replies.get(2)));
            String own = ownId(replies.get(5));
            return new Witnesses.Testimony(
                    own.isEmpty() ? runId : own, // which outlives a restart between two answers
                    place,
                    number(fields.get("config-epoch")),
                    1 + (int) Math.min(MOST_SENTINELS, number(fields.get("num-other-sentinels"))),
                    fellows(own, all(replies.get(4))),
                    isThere(fields, place) ? id(fields) : standbys.getOrDefault(place, ""),
                    standbys);
        }
        throw nonsense();
    }

    /**
     * A Sentinel that leads a failover names the next primary while the others are made its replicas. Until that has
     * ended its details are those of the former one, and the next one is a replica.
     */
    private static boolean isThere(Map<String, String> details, String place) {
        return usable(details.getOrDefault("ip", ""), details.getOrDefault("port", ""))
                .equals(Optional.of(place));
    }

    private static List<Map<String, String>> all(@Nullable Object reply) {
        requireNoError(reply);
        if (reply instanceof List<?> each) {
            return each.stream()
                    .limit(MOST_SENTINELS)
                    .map(one -> one instanceof List<?> list ? fields(list) : Map.<String, String>of())
                    .toList();
        }
        throw nonsense();
    }

    /** Leaves out what cannot be used: one that becomes the primary is refused then, and not now. */
    private static Map<String, String> standbys(List<Map<String, String>> replicas) {
        Map<String, String> standbys = new HashMap<>();
        for (Map<String, String> replica : replicas) {
            usable(replica.getOrDefault("ip", ""), replica.getOrDefault("port", ""))
                    .ifPresent(place -> standbys.put(place, id(replica)));
        }
        return standbys;
    }

    private static Optional<String> usable(String host, String port) {
        try {
            return Optional.of(place(host, port).toString());
        } catch (JedisException e) {
            return Optional.empty();
        }
    }

    private static Set<String> fellows(String own, List<Map<String, String>> others) {
        return Stream.concat(Stream.of(own), others.stream().map(other -> other.getOrDefault("runid", "")))
                .filter(id -> !id.isEmpty()) // of any form: it is a setting
                .collect(Collectors.toSet());
    }

    /** Returns the run id; empty where it is not known yet. */
    private static String id(Map<String, String> fields) {
        String id = fields.getOrDefault("runid", "");
        return ID.matcher(id).matches() ? id : "";
    }

    private static String ownId(@Nullable Object own) {
        boolean isUnknownCommand = own instanceof JedisDataException error
                && Failures.describe(error).startsWith("ERR Unknown");
        if (isUnknownCommand) {
            return "";
        }
        requireNoError(own);
        return text(own);
    }

    /** Returns where a primary is of which a Sentinel says this. */
    static HostPort place(String host, String port) {
        try {
            return HostPort.named(host, Integer.parseInt(port));
        } catch (NumberFormatException e) {
            throw nonsense();
        } catch (IllegalArgumentException e) {
            throw new JedisDataException("the address that it names for the primary cannot be used, as "
                    + e.getMessage() + ": a host is an IP address, or a name of letters, digits, . and -");
        }
    }

    /** Each Sentinel is a process of its own. */
    private static String runId(String info) {
        Matcher matcher = RUN_ID.matcher(info);
        if (!matcher.find()) {
            throw nonsense();
        }
        return matcher.group(1);
    }

    private static void requireNoError(@Nullable Object reply) {
        if (reply instanceof JedisDataException error) {
            throw error;
        }
    }

    private static Map<String, String> fields(List<?> list) {
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i + 1 < list.size(); i += 2) {
            fields.put(text(list.get(i)), text(list.get(i + 1)));
        }
        return fields;
    }

    private static long number(@Nullable String text) {
        if (text == null || !NUMBER.matcher(text).matches()) {
            throw nonsense();
        }
        return Long.parseLong(text);
    }

    private static String text(@Nullable Object reply) {
        if (reply instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        throw nonsense();
    }

    private static JedisConnectionException nonsense() {
        return new JedisConnectionException("it answers what no Sentinel answers: is the port that of a Sentinel?");
    }
}
