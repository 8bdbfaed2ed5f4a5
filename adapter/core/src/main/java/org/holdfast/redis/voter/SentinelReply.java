// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
     * @param address the reply to SENTINEL GET-MASTER-ADDR-BY-NAME
     * @param details the reply to SENTINEL MASTER
     * @param server the reply to INFO server
     * @param others the reply to SENTINEL SENTINELS
     * @param own the reply to SENTINEL MYID, which is an error before Redis 6.2
     * @throws JedisDataException if the Sentinel does not know it, or does not tell
     * @throws JedisConnectionException if this is no Sentinel
     */
    static Witnesses.Testimony testimony(
            String master,
            @Nullable Object address,
            @Nullable Object details,
            @Nullable Object server,
            @Nullable Object others,
            @Nullable Object own) {
        if (address == null) {
            throw new JedisDataException("it knows no primary of the name " + master);
        }
        requireNoError(address);
        requireNoError(details);
        requireNoError(server);
        requireNoError(others);
        if (address instanceof List<?> pair
                && pair.size() == 2
                && details instanceof List<?> list
                && others instanceof List<?> each) {
            Map<String, String> fields = fields(list);
            return new Witnesses.Testimony(
                    runId(text(server)),
                    place(text(pair.get(0)), text(pair.get(1))).toString(),
                    number(fields.get("config-epoch")),
                    1 + (int) Math.min(MOST_SENTINELS, number(fields.get("num-other-sentinels"))),
                    ids(fields, each, ownId(own)));
        }
        throw nonsense();
    }

    /** Sentinels keep theirs over a restart; that of the primary is the same for Sentinels that were all made anew. */
    private static Set<String> ids(Map<String, String> primary, List<?> others, String own) {
        Stream<String> ofOthers = others.stream()
                .limit(MOST_SENTINELS)
                .map(other -> other instanceof List<?> list ? fields(list) : Map.<String, String>of())
                .map(fields -> fields.getOrDefault("runid", ""));
        return Stream.concat(Stream.of(primary.getOrDefault("runid", ""), own), ofOthers)
                .filter(id -> ID.matcher(id).matches())
                .collect(Collectors.toSet());
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
