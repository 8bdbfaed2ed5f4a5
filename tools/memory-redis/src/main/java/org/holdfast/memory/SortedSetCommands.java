// SPDX-License-Identifier: Apache-2.0
package org.holdfast.memory;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.holdfast.memory.SortedSet.Member;
import org.luaj.vm2.LuaValue;

/** The commands on sorted sets. As in Redis, each understands its arguments before it looks at the key. */
final class SortedSetCommands {

    private final MemoryRedis redis;

    SortedSetCommands(MemoryRedis redis) {
        this.redis = redis;
    }

    LuaValue run(List<String> words) {
        return switch (words.get(0)) {
            case "ZADD" -> add(words);
            case "ZREM" -> remove(words);
            case "ZSCORE" -> score(words);
            case "ZCARD" -> LuaConversions.integer(members(words).size());
            case "ZCOUNT" -> LuaConversions.integer(byScore(words).count());
            case "ZRANGE" -> byIndex(words, false);
            case "ZREVRANGE" -> byIndex(words, true);
            case "ZRANGEBYSCORE" -> rangeByScore(words);
            case "ZREMRANGEBYSCORE" -> removeByScore(words);
            default -> throw CommandTable.notUnderstood(words);
        };
    }

    private LuaValue add(List<String> words) {
        boolean onlyNew = words.get(2).equals("NX");
        boolean onlyPresent = words.get(2).equals("XX");
        List<Member> members = scored(words, onlyNew || onlyPresent ? 3 : 2);
        SortedSet before = redis.sortedSet(words.get(1));
        SortedSet after = before;
        for (Member member : members) {
            Double old = after.score(member.name());
            boolean skipped = old == null ? onlyPresent : onlyNew || old == member.score();
            if (!skipped) {
                after = after.with(member.name(), member.score());
            }
        }
        redis.store(words.get(1), after);
        return LuaConversions.integer(after.members().size() - before.members().size());
    }

    private static List<Member> scored(List<String> words, int from) {
        if ((words.size() - from) % 2 != 0) {
            throw CommandTable.notUnderstood(words);
        }
        List<Member> members = new ArrayList<>();
        for (int i = from; i < words.size(); i += 2) {
            members.add(new Member(words.get(i + 1), RedisNumbers.score(words.get(i))));
        }
        return members;
    }

    private LuaValue remove(List<String> words) {
        Set<String> names = new HashSet<>(words.subList(2, words.size()));
        return remove(words.get(1), member -> names.contains(member.name()));
    }

    private LuaValue removeByScore(List<String> words) {
        return remove(words.get(1), between(words.get(2), words.get(3)));
    }

    private LuaValue remove(String key, Predicate<Member> condition) {
        SortedSet before = redis.sortedSet(key);
        SortedSet after = before.without(condition);
        redis.store(key, after);
        return LuaConversions.integer(before.members().size() - after.members().size());
    }

    private LuaValue score(List<String> words) {
        Double score = redis.sortedSet(words.get(1)).score(words.get(2));
        return LuaConversions.bulk(score == null ? null : RedisNumbers.text(score));
    }

    private LuaValue byIndex(List<String> words, boolean reversed) {
        boolean withScores = words.size() > 4;
        if (withScores && (words.size() > 5 || !words.get(4).equals("WITHSCORES"))) {
            throw CommandTable.notUnderstood(words);
        }
        long start = RedisNumbers.integer(words.get(2));
        long stop = RedisNumbers.integer(words.get(3));
        List<Member> members = members(words);
        int size = members.size();
        int first = (int) Math.max(0, start < 0 ? start + size : Math.min(start, size));
        int last = (int) Math.max(-1, stop < 0 ? stop + size : Math.min(stop, size - 1));
        Stream<Member> range =
                IntStream.rangeClosed(first, last).mapToObj(i -> members.get(reversed ? size - 1 - i : i));
        return LuaConversions.array(told(range, withScores));
    }

    private static List<String> told(Stream<Member> members, boolean withScores) {
        return members.flatMap(member -> withScores
                        ? Stream.of(member.name(), RedisNumbers.text(member.score()))
                        : Stream.of(member.name()))
                .toList();
    }

    private LuaValue rangeByScore(List<String> words) {
        boolean withScores = words.size() > 4 && words.get(4).equals("WITHSCORES");
        List<String> rest = words.subList(withScores ? 5 : 4, words.size());
        UnaryOperator<Stream<Member>> limit = limit(words, rest);
        return LuaConversions.array(told(limit.apply(byScore(words)), withScores));
    }

    private static UnaryOperator<Stream<Member>> limit(List<String> words, List<String> options) {
        if (options.isEmpty()) {
            return members -> members;
        }
        if (options.size() != 3 || !options.get(0).equals("LIMIT")) {
            throw CommandTable.notUnderstood(words);
        }
        long offset = RedisNumbers.integer(options.get(1));
        long count = RedisNumbers.integer(options.get(2));
        if (offset < 0) {
            return members -> Stream.empty(); // Redis counts down from it until the set ends
        }
        return members -> members.skip(offset).limit(count < 0 ? Long.MAX_VALUE : count);
    }

    private Stream<Member> byScore(List<String> words) {
        Predicate<Member> condition = between(words.get(2), words.get(3));
        return members(words).stream().filter(condition);
    }

    private List<Member> members(List<String> words) {
        return redis.sortedSet(words.get(1)).members();
    }

    private static Predicate<Member> between(String from, String to) {
        double min = bound(from);
        double max = bound(to);
        boolean aboveMin = isExclusive(from);
        boolean belowMax = isExclusive(to);
        return member -> (aboveMin ? member.score() > min : member.score() >= min)
                && (belowMax ? member.score() < max : member.score() <= max);
    }

    private static double bound(String text) {
        return RedisNumbers.real(isExclusive(text) ? text.substring(1) : text, "ERR min or max is not a float");
    }

    private static boolean isExclusive(String bound) {
        return bound.startsWith("(");
    }
}
