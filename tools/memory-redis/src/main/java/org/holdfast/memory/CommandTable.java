// SPDX-License-Identifier: Apache-2.0
package org.holdfast.memory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What Redis knows of each command before it runs: how many words it has, and whether it writes or may need memory. */
final class CommandTable {

    /** How many words each command has; at least so many if negative, as in Redis's own table. */
    private static final Map<String, Integer> ARITIES = new HashMap<>(Map.ofEntries(
            Map.entry("TIME", 1),
            Map.entry("INFO", 2),
            Map.entry("GET", 2),
            Map.entry("GETRANGE", 4),
            Map.entry("SET", -3),
            Map.entry("PEXPIRE", 3),
            Map.entry("PEXPIREAT", 3),
            Map.entry("PTTL", 2),
            Map.entry("DEL", -2),
            Map.entry("EXISTS", -2),
            Map.entry("PUBLISH", 3),
            Map.entry("SPUBLISH", 3),
            Map.entry("ZADD", -4),
            Map.entry("ZREM", -3),
            Map.entry("ZSCORE", 3),
            Map.entry("ZCARD", 2),
            Map.entry("ZCOUNT", 4),
            Map.entry("ZRANGE", -4),
            Map.entry("ZREVRANGE", -4),
            Map.entry("ZRANGEBYSCORE", -4),
            Map.entry("ZREMRANGEBYSCORE", 4)));

    /** Commands that change something. */
    private static final Set<String> WRITES =
            Set.of("SET", "PEXPIRE", "PEXPIREAT", "DEL", "ZADD", "ZREM", "ZREMRANGEBYSCORE");

    /** Commands that may need memory, those with the flag denyoom. */
    private static final Set<String> GROWING = Set.of("SET", "ZADD");

    private CommandTable() {}

    static boolean writes(String command) {
        return WRITES.contains(command);
    }

    /** Returns whether it may need memory. */
    static boolean mayGrow(String command) {
        return GROWING.contains(command);
    }

    /** @throws IllegalArgumentException if a script uses what is not simulated, or has another number of words */
    static void checkArity(List<String> words) {
        Integer arity = ARITIES.get(words.get(0));
        if (arity == null || (arity < 0 ? words.size() < -arity : words.size() != arity)) {
            throw notUnderstood(words);
        }
    }

    /** Not an answer of Redis: a script uses what is not simulated yet. */
    static IllegalArgumentException notUnderstood(List<String> words) {
        return new IllegalArgumentException("the Redis in memory does not understand " + words);
    }
}
