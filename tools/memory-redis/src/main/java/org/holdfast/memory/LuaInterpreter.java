// SPDX-License-Identifier: Apache-2.0
package org.holdfast.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LoadState;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.compiler.LuaC;
import org.luaj.vm2.lib.BaseLib;
import org.luaj.vm2.lib.MathLib;
import org.luaj.vm2.lib.PackageLib;
import org.luaj.vm2.lib.StringLib;
import org.luaj.vm2.lib.TableLib;
import org.luaj.vm2.lib.VarArgFunction;

/** An interpreter that remembers what it has compiled. For one thread. */
public final class LuaInterpreter {

    /** How scripts change their keys and arguments, which are then not those of the next node any more. */
    private static final Pattern CHANGE_OF_CALL =
            Pattern.compile("table\\.remove\\(ARGV|(?:KEYS|ARGV)\\[[^]]{1,9}\\] = ");

    private static final LuaValue KEYS = LuaValue.valueOf("KEYS");
    private static final LuaValue ARGV = LuaValue.valueOf("ARGV");
    private static final LuaValue VERSION = LuaValue.valueOf("REDIS_VERSION_NUM");

    private final Globals globals = new Globals();
    private final LuaTable redis = new LuaTable();
    private final Map<String, Script> compiled = new HashMap<>();

    /** @param changesItsCall whether it takes away from its arguments, or adds keys: as Redis, give it its own then */
    private record Script(LuaValue text, boolean changesItsCall) {}

    /** Of commands: they are what most of the text is about, and few. */
    private final Map<LuaString, String> names = new HashMap<>();

    private MemoryRedis running;

    public LuaInterpreter() {
        globals.load(new BaseLib());
        globals.load(new PackageLib());
        globals.load(new StringLib());
        globals.load(new TableLib());
        globals.load(new MathLib());
        LoadState.install(globals);
        LuaC.install(globals);
        redis.set("call", new VarArgFunction() {
            @Override
            public Varargs invoke(Varargs arguments) {
                return command(arguments);
            }
        });
        redis.set("pcall", new VarArgFunction() {
            @Override
            public Varargs invoke(Varargs arguments) {
                try {
                    return command(arguments);
                } catch (LuaError e) {
                    LuaTable error = new LuaTable();
                    error.set("err", e.getMessage());
                    return error;
                }
            }
        });
        globals.set("redis", redis);
    }

    private LuaValue command(Varargs arguments) {
        int count = arguments.narg(); // which takes long to say
        List<String> words = new ArrayList<>(count);
        words.add(names.computeIfAbsent(arguments.checkstring(1), LuaConversions::word));
        for (int i = 2; i <= count; i++) {
            words.add(LuaConversions.word(arguments.arg(i)));
        }
        return running.command(words);
    }

    LuaValue run(MemoryRedis on, PreparedCall prepared) {
        running = on;
        Script script = compiled.computeIfAbsent(prepared.call().source(), this::compile);
        PreparedCall call = script.changesItsCall() ? new PreparedCall(prepared.call()) : prepared;
        redis.set(VERSION, on.version());
        globals.set(KEYS, call.keys);
        globals.set(ARGV, call.arguments);
        return script.text().call();
    }

    private Script compile(String source) {
        return new Script(globals.load(source), CHANGE_OF_CALL.matcher(source).find());
    }
}
