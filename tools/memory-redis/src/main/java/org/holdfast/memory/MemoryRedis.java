// SPDX-License-Identifier: Apache-2.0
package org.holdfast.memory;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongBiFunction;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/** The part of Redis that our scripts use: strings and sorted sets that expire by the node's own clock. */
public final class MemoryRedis {

    /** 7.0.0, as Redis writes it. */
    private static final LuaValue VERSION_7 = LuaValue.valueOf(0x00070000);

    /** Never expires. */
    private static final long FOREVER = Long.MAX_VALUE;

    private final LuaInterpreter lua;
    private final LongSupplier clockMicros;
    private final SortedSetCommands sortedSets = new SortedSetCommands(this);
    private Map<String, Entry> keys = new TreeMap<>();
    private boolean shared;
    private ToLongBiFunction<String, String> audience = (channel, message) -> 0;
    private Supplier<String> runId = () -> "0";
    private Refusing refusing = Refusing.NOTHING;
    private LuaValue version = LuaValue.NIL;
    private boolean hasWritten;

    /** What is answered with an error. */
    public enum Refusing {
        NOTHING,
        /** What may need memory, by a script that has not written anything yet. */
        GROWTH,
        /** What writes: it cannot save, or is a replica. */
        WRITES,
        /** Everything: it is loading, or a script keeps it busy. */
        EVERYTHING
    }

    /** An error that Redis answers with, which a script does not catch. */
    public static final class ErrorReply extends LuaError {
        private static final long serialVersionUID = 1L;

        public ErrorReply(String message) {
            super(message);
        }
    }

    /** @param value a String or a SortedSet: neither ever changes, so that snapshots may share it */
    public record Entry(Object value, long expiresAtMicros) {}

    public MemoryRedis(LuaInterpreter lua, LongSupplier clockMicros) {
        this.lua = lua;
        this.clockMicros = clockMicros;
    }

    /**
     * Sets the receivers of what is published.
     *
     * @param listeners receives a channel and a message, and returns how many clients are subscribed there
     */
    public void tell(ToLongBiFunction<String, String> listeners) {
        audience = listeners;
    }

    /** Sets the name of the process, which another one has after a restart. */
    public void beProcess(Supplier<String> name) {
        runId = name;
    }

    /** Has the version 7.0.0 from now on, of which scripts know; older ones do not tell them. */
    public void beVersion7() {
        version = VERSION_7;
    }

    LuaValue version() {
        return version;
    }

    /** Runs a script and returns what a client would get. */
    public List<Object> eval(ScriptCall call) {
        return eval(new PreparedCall(call));
    }

    /** Does the same; a reply that is no list is a list of one. */
    public List<Object> eval(PreparedCall prepared) {
        if (refusing == Refusing.EVERYTHING) {
            throw new ErrorReply("LOADING Redis is loading the dataset in memory");
        }
        hasWritten = false;
        LuaValue reply = lua.run(this, prepared);
        return LuaConversions.toClient(reply.istable() ? reply.checktable() : LuaTable.listOf(new LuaValue[] {reply}));
    }

    LuaValue command(List<String> words) {
        CommandTable.checkArity(words);
        checkRefused(words.get(0));
        return switch (words.get(0)) {
            case "TIME" -> time();
            case "INFO" -> LuaConversions.bulk("# Server\r\nrun_id:" + runId.get() + "\r\n");
            case "GET" -> LuaConversions.bulk(get(words.get(1)));
            case "GETRANGE" -> LuaConversions.bulk(beginning(words));
            case "SET" -> set(words);
            case "PEXPIRE" ->
                LuaConversions.integer(expire(words.get(1), expiresIn(RedisNumbers.integer(words.get(2)))));
            case "PEXPIREAT" ->
                LuaConversions.integer(expire(words.get(1), 1_000 * RedisNumbers.integer(words.get(2))));
            case "PTTL" -> LuaConversions.integer(millisLeft(live(words.get(1))));
            case "DEL" -> LuaConversions.integer(delete(words.subList(1, words.size())));
            case "EXISTS" -> LuaConversions.integer(countLive(words.subList(1, words.size())));
            case "PUBLISH", "SPUBLISH" -> LuaConversions.integer(audience.applyAsLong(words.get(1), words.get(2)));
            default -> sortedSets.run(words);
        };
    }

    /**
     * Redis looks at its memory when a script begins, and does not stop one that has written: half of it would be done.
     */
    private void checkRefused(String command) {
        if (refusing == Refusing.GROWTH && !hasWritten && CommandTable.mayGrow(command)) {
            throw new ErrorReply("OOM command not allowed when used memory > 'maxmemory'.");
        }
        boolean writes = CommandTable.writes(command);
        if (refusing == Refusing.WRITES && writes) {
            throw new ErrorReply("MISCONF Redis is configured to save RDB snapshots, but it's currently unable to");
        }
        hasWritten |= writes;
    }

    /** Runs a script and returns what a client gets that does not know what is text. */
    public List<Object> evalToBytes(PreparedCall prepared) {
        return LuaConversions.withBytes(eval(prepared));
    }

    private LuaValue time() {
        long now = clockMicros.getAsLong();
        return LuaConversions.array(List.of(Long.toString(now / 1_000_000), Long.toString(now % 1_000_000)));
    }

    /** So far scripts ask for the beginning only. */
    private String beginning(List<String> words) {
        long last = RedisNumbers.integer(words.get(3));
        if (RedisNumbers.integer(words.get(2)) != 0 || last < 0) {
            throw CommandTable.notUnderstood(words);
        }
        String value = get(words.get(1));
        return value == null ? "" : value.substring(0, (int) Math.min(last + 1, value.length()));
    }

    private LuaValue set(List<String> words) {
        own().put(words.get(1), new Entry(words.get(2), words.contains("KEEPTTL") ? kept(words) : expiry(words)));
        return LuaConversions.ok();
    }

    private long kept(List<String> words) {
        if (words.size() != 4 || !words.get(3).equals("KEEPTTL")) {
            throw CommandTable.notUnderstood(words);
        }
        Entry entry = live(words.get(1));
        return entry == null ? FOREVER : entry.expiresAtMicros();
    }

    private long expiry(List<String> words) {
        if (words.size() == 3) {
            return FOREVER;
        }
        if (words.size() != 5 || !words.get(3).equals("PX")) {
            throw CommandTable.notUnderstood(words);
        }
        long millis = RedisNumbers.integer(words.get(4));
        if (millis <= 0) {
            throw new LuaError("ERR invalid expire time in 'set' command");
        }
        return expiresIn(millis);
    }

    private int expire(String key, long atMicros) {
        Entry entry = live(key);
        if (entry == null) {
            return 0;
        }
        own().put(key, new Entry(entry.value(), atMicros));
        return 1;
    }

    /** Redis cuts the clock to milliseconds here, too: at once after it was set, the whole time is left. */
    private long millisLeft(Entry entry) {
        if (entry == null) {
            return -2;
        }
        long at = entry.expiresAtMicros();
        return at == FOREVER ? -1 : at / 1_000 - clockMicros.getAsLong() / 1_000;
    }

    private long delete(List<String> names) {
        long count = 0;
        for (String key : names) {
            count += live(key) != null && own().remove(key) != null ? 1 : 0;
        }
        return count;
    }

    /** A key that is named twice counts twice. */
    private long countLive(List<String> names) {
        long count = 0;
        for (String key : names) {
            count += live(key) != null ? 1 : 0;
        }
        return count;
    }

    /** Redis cuts the clock to milliseconds when it computes an expiry. */
    private long expiresIn(long millis) {
        return (clockMicros.getAsLong() / 1_000 + millis) * 1_000;
    }

    /** Returns what a key has that has not expired, or null. */
    private Entry live(String key) {
        Entry entry = keys.get(key);
        if (entry != null && entry.expiresAtMicros() <= clockMicros.getAsLong()) {
            own().remove(key);
            return null;
        }
        return entry;
    }

    private <T> T read(String key, Class<T> type) {
        Entry entry = live(key);
        if (entry != null && !type.isInstance(entry.value())) {
            throw new LuaError("WRONGTYPE Operation against a key holding the wrong kind of value");
        }
        return entry == null ? null : type.cast(entry.value());
    }

    /** Returns the value of a key that has not expired, or null. */
    public String get(String key) {
        return read(key, String.class);
    }

    /** Returns when a key expires by the node's clock, in microseconds, or null if there is no such key. */
    public Long expiresAt(String key) {
        Entry entry = live(key);
        return entry == null ? null : Long.valueOf(entry.expiresAtMicros());
    }

    /** Returns the sorted set of a key; an empty one if there is none. */
    public SortedSet sortedSet(String key) {
        SortedSet set = read(key, SortedSet.class);
        return set == null ? SortedSet.EMPTY : set;
    }

    /** Replaces a sorted set, which goes on expiring when it did; an empty one is none. */
    void store(String key, SortedSet set) {
        Entry before = live(key);
        if (set.members().isEmpty()) {
            own().remove(key);
        } else {
            own().put(key, new Entry(set, before == null ? FOREVER : before.expiresAtMicros()));
        }
    }

    public void set(String key, String value) {
        own().put(key, new Entry(value, FOREVER));
    }

    /** Returns what is there, in a map that stays as it is. */
    public Map<String, Entry> snapshot() {
        shared = true;
        return keys;
    }

    /** Returns another one with the same keys, which goes its own way from here on. */
    public MemoryRedis copy() {
        MemoryRedis copy = new MemoryRedis(lua, clockMicros);
        copy.restore(snapshot());
        copy.version = version;
        return copy;
    }

    /** Returns whether neither has changed since the one was copied from the other. */
    public boolean isSameAs(MemoryRedis copy) {
        return keys == copy.keys;
    }

    /** Returns the keys to be changed: copied first if a snapshot has them too. */
    private Map<String, Entry> own() {
        if (shared) {
            keys = new TreeMap<>(keys);
            shared = false;
        }
        return keys;
    }

    public void restore(Map<String, Entry> snapshot) {
        keys = snapshot;
        shared = true;
    }

    /** Answers with errors from now on, or does not any more. */
    public void refuse(Refusing what) {
        refusing = what;
    }

    /** Deletes of what has expired by now whatever it comes across, in the order of its own table. */
    public void expire(BooleanSupplier comesAcross) {
        long now = clockMicros.getAsLong();
        if (keys.values().stream().anyMatch(entry -> entry.expiresAtMicros() <= now)) {
            own().values().removeIf(entry -> entry.expiresAtMicros() <= now && comesAcross.getAsBoolean());
        }
    }

    /** Evicts keys that expire and meet the condition, and returns how many they were. */
    public int evictExpiring(Predicate<String> condition) {
        int before = keys.size();
        own().entrySet().removeIf(key -> key.getValue().expiresAtMicros() != FOREVER && condition.test(key.getKey()));
        return before - keys.size();
    }

    public List<String> keysWithoutTtl() {
        return keys.entrySet().stream()
                .filter(e -> e.getValue().expiresAtMicros() == FOREVER)
                .map(Map.Entry::getKey)
                .toList();
    }

    public List<String> keyNames() {
        return List.copyOf(keys.keySet());
    }
}
