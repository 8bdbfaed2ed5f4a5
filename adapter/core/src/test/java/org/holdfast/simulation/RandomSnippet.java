// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A small script of random commands on three keys. It returns its clock, each reply, and what the keys have then. */
final class RandomSnippet {

    /**
     * Where an error is caught it is a text or a table, as the version of Redis goes. Times to live count in steps
     * larger than what clocks may differ by.
     */
    private static final String FRAME = """
            local time = redis.call('TIME')
            local replies = {time[1], time[2]}
            local function try(...)
              local ok, reply = pcall(redis.call, ...)
              if not ok then
                local text = type(reply) == 'table' and reply.err or reply
                reply = string.match(text, '%%u%%u%%u+ [%%a ]+') or text
              end
              replies[#replies + 1] = reply
            end
            %s
            for _, key in ipairs(KEYS) do
              local left = redis.call('PTTL', key)
              replies[#replies + 1] = left < 0 and left or math.floor((left + 10000) / 20000)
              try('GET', key)
              try('ZRANGE', key, 0, -1, 'WITHSCORES')
            end
            return replies
            """;

    /** Code points that do not sort as UTF-16 does are among them. */
    private static final List<String> MEMBERS =
            List.of("''", "'a'", "'ab'", "'b'", "'B'", "'é'", "'\uFFFD'", "'\uD83D\uDE00'", "7", "-0.5");

    private static final List<String> SCORES = List.of(
            "-9007199254740992",
            "-3",
            "-0.5",
            "0",
            "1",
            "'1'",
            "2.25",
            "'+1e3'",
            "1795256487123456",
            "'1795256487123457'",
            "9007199254740992",
            "'inf'",
            "'-inf'");

    private static final List<String> BOUNDS = List.of("'-inf'", "'+inf'", "'(1'", "'(-0.5'", "'(1795256487123456'");

    private final Random random;
    private final String commands;

    RandomSnippet(Random random) {
        this.random = random;
        this.commands = Stream.generate(() -> "try(" + command() + ")")
                .limit(1 + random.nextInt(3))
                .collect(Collectors.joining(" "));
    }

    String commands() {
        return commands;
    }

    String source() {
        return FRAME.formatted(commands);
    }

    private String command() {
        String key = key();
        return switch (random.nextInt(25)) {
            case 0, 1, 2, 3 -> words("'ZADD'", key, some(() -> words(score(), member())));
            case 4 -> words("'ZADD'", key, "'NX'", some(() -> words(score(), member())));
            case 5 -> words("'ZADD'", key, "'XX'", some(() -> words(score(), member())));
            case 6 -> words("'ZREM'", key, some(this::member));
            case 7 -> words("'ZSCORE'", key, member());
            case 8 -> words("'ZCARD'", key);
            case 9 -> words("'ZCOUNT'", key, bound(), bound());
            case 10 -> words("'ZRANGE'", key, index(), index());
            case 11 -> words("'ZREVRANGE'", key, index(), index());
            case 12 -> words("'ZREVRANGE'", key, index(), index(), "'WITHSCORES'");
            case 13 -> words("'ZRANGEBYSCORE'", key, bound(), bound());
            case 14 -> words("'ZRANGEBYSCORE'", key, bound(), bound(), "'LIMIT'", index(), index());
            case 15 -> words("'ZREMRANGEBYSCORE'", key, bound(), bound());
            case 16 -> words("'SET'", key, member());
            case 17 -> words("'SET'", key, score(), "'PX'", millis());
            case 18 -> words("'PEXPIRE'", key, random.nextInt(6) == 0 ? "-1" : millis());
            case 19 -> words("'PEXPIREAT'", key, random.nextInt(6) == 0 ? "1" : "time[1] * 1000 + 600000");
            case 20 -> words("'GETRANGE'", key, "0", "255");
            case 21 -> words("'ZRANGEBYSCORE'", key, bound(), bound(), "'WITHSCORES'");
            case 22 -> words("'ZRANGEBYSCORE'", key, bound(), bound(), "'WITHSCORES'", "'LIMIT'", index(), index());
            case 23 -> words("'EXISTS'", some(this::key));
            default -> words("'DEL'", some(this::key));
        };
    }

    private static String words(String... words) {
        return String.join(", ", words);
    }

    private String some(Supplier<String> words) {
        return Stream.generate(words).limit(1 + random.nextInt(3)).collect(Collectors.joining(", "));
    }

    private String key() {
        return "KEYS[" + (1 + random.nextInt(3)) + "]";
    }

    private String member() {
        return oneOf(MEMBERS);
    }

    private String score() {
        return random.nextInt(40) == 0 ? "'1x'" : oneOf(SCORES);
    }

    private String bound() {
        return random.nextBoolean() ? score() : oneOf(BOUNDS);
    }

    private String index() {
        return random.nextInt(40) == 0 ? "'01'" : Integer.toString(random.nextInt(9) - 4);
    }

    private String millis() {
        return random.nextInt(6) == 0 ? "40" : "600000"; // each short one is waited for
    }

    private String oneOf(List<String> words) {
        return words.get(random.nextInt(words.size()));
    }
}
