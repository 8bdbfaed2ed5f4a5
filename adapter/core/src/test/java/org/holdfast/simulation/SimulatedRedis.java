// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.holdfast.redis.ScriptBridge;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LoadState;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.compiler.LuaC;
import org.luaj.vm2.lib.BaseLib;
import org.luaj.vm2.lib.MathLib;
import org.luaj.vm2.lib.PackageLib;
import org.luaj.vm2.lib.StringLib;
import org.luaj.vm2.lib.VarArgFunction;

/** The part of Redis that our scripts use: strings that expire by the node's own clock. */
final class SimulatedRedis {

    /** Never expires. */
    private static final long FOREVER = Long.MAX_VALUE;

    private final Lua lua;
    private final java.util.function.LongSupplier clockMicros;
    private Map<String, Entry> keys = new TreeMap<>();

    record Entry(String value, long expiresAtMicros) {}

    SimulatedRedis(Lua lua, java.util.function.LongSupplier clockMicros) {
        this.lua = lua;
        this.clockMicros = clockMicros;
    }

    /** An interpreter that remembers what it has compiled. For one thread. */
    static final class Lua {

        private final Globals globals = new Globals();
        private final Map<String, LuaValue> compiled = new HashMap<>();
        private SimulatedRedis running;

        Lua() {
            globals.load(new BaseLib());
            globals.load(new PackageLib());
            globals.load(new StringLib());
            globals.load(new MathLib());
            LoadState.install(globals);
            LuaC.install(globals);
            LuaTable redis = new LuaTable();
            redis.set("call", new VarArgFunction() {
                @Override
                public Varargs invoke(Varargs arguments) {
                    List<String> words = new ArrayList<>();
                    for (int i = 1; i <= arguments.narg(); i++) {
                        words.add(arguments.arg(i).tojstring());
                    }
                    return running.command(words);
                }
            });
            globals.set("redis", redis);
        }

        private LuaValue run(SimulatedRedis on, ScriptBridge.Call call) {
            running = on;
            globals.set("KEYS", table(call.keys()));
            globals.set("ARGV", table(call.arguments()));
            return compiled.computeIfAbsent(call.source(), globals::load).call();
        }

        private static LuaTable table(List<String> values) {
            LuaTable table = new LuaTable();
            for (int i = 0; i < values.size(); i++) {
                table.set(i + 1, LuaValue.valueOf(values.get(i)));
            }
            return table;
        }
    }

    /** Runs a script and returns what a client would get. */
    List<Object> eval(ScriptBridge.Call call) {
        LuaTable reply = lua.run(this, call).checktable();
        List<Object> values = new ArrayList<>();
        for (int i = 1; i <= reply.length(); i++) {
            values.add(reply.get(i).checklong());
        }
        return values;
    }

    private LuaValue command(List<String> words) {
        switch (words.get(0)) {
            case "TIME":
                long now = clockMicros.getAsLong();
                LuaTable time = new LuaTable();
                time.set(1, LuaValue.valueOf(Long.toString(now / 1_000_000)));
                time.set(2, LuaValue.valueOf(Long.toString(now % 1_000_000)));
                return time;
            case "GET":
                String value = get(words.get(1));
                return value == null ? LuaValue.FALSE : LuaValue.valueOf(value);
            case "SET":
                keys.put(words.get(1), new Entry(words.get(2), expiry(words)));
                return LuaValue.valueOf("OK");
            case "PEXPIRE":
                String present = get(words.get(1));
                if (present != null) {
                    keys.put(words.get(1), new Entry(present, expiresIn(words.get(2))));
                }
                return LuaValue.valueOf(present == null ? 0 : 1);
            case "DEL":
                return LuaValue.valueOf(keys.remove(words.get(1)) == null ? 0 : 1);
            case "PTTL":
                Entry entry = keys.get(words.get(1));
                return LuaValue.valueOf((double) ((entry.expiresAtMicros() - clockMicros.getAsLong()) / 1_000));
            case "PUBLISH":
                return LuaValue.valueOf(0);
            default:
                throw new IllegalArgumentException("the simulated Redis has no " + words);
        }
    }

    private long expiry(List<String> words) {
        if (words.size() == 3) {
            return FOREVER;
        }
        if (words.size() != 5 || !words.get(3).equals("PX")) {
            throw new IllegalArgumentException("the simulated Redis does not understand " + words);
        }
        return expiresIn(words.get(4));
    }

    /** Redis cuts the clock to milliseconds when it computes an expiry. */
    private long expiresIn(String millis) {
        return (clockMicros.getAsLong() / 1_000 + Long.parseLong(millis)) * 1_000;
    }

    /** Returns the value of a key that has not expired, or null. */
    String get(String key) {
        Entry entry = keys.get(key);
        if (entry != null && entry.expiresAtMicros() <= clockMicros.getAsLong()) {
            keys.remove(key);
            return null;
        }
        return entry == null ? null : entry.value();
    }

    void set(String key, String value) {
        keys.put(key, new Entry(value, FOREVER));
    }

    void remove(String key) {
        keys.remove(key);
    }

    Map<String, Entry> snapshot() {
        return new TreeMap<>(keys);
    }

    void restore(Map<String, Entry> snapshot) {
        keys = new TreeMap<>(snapshot);
    }

    /** Evicts each key that expires, and returns how many they were. */
    int evictExpiring() {
        int before = keys.size();
        keys.values().removeIf(entry -> entry.expiresAtMicros() != FOREVER);
        return before - keys.size();
    }

    List<String> keysWithoutTtl() {
        return keys.entrySet().stream()
                .filter(e -> e.getValue().expiresAtMicros() == FOREVER)
                .map(Map.Entry::getKey)
                .toList();
    }

    List<String> keyNames() {
        return List.copyOf(keys.keySet());
    }
}
