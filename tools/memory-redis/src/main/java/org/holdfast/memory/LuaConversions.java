// SPDX-License-Identifier: Apache-2.0
package org.holdfast.memory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/**
 * What passes between Redis and a script: arguments and replies of commands, and what the script gives to its client.
 */
final class LuaConversions {

    private LuaConversions() {}

    static LuaValue integer(long value) {
        return LuaValue.valueOf((double) value);
    }

    /** Nothing is false in Lua: a table could not hold nil. */
    static LuaValue bulk(String value) {
        return value == null ? LuaValue.FALSE : string(value);
    }

    /** Its own way to bytes goes character by character: most is ASCII, and need not take it. */
    private static LuaString string(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return bytes.length == value.length() ? LuaString.valueUsing(bytes) : LuaString.valueOf(value);
    }

    static LuaTable array(List<String> values) {
        LuaTable table = new LuaTable(values.size(), 0);
        for (int i = 0; i < values.size(); i++) {
            table.set(i + 1, string(values.get(i)));
        }
        return table;
    }

    static LuaValue ok() {
        LuaTable status = new LuaTable();
        status.set("ok", LuaValue.valueOf("OK"));
        return status;
    }

    /** Turns an argument of a command into what Redis gets. */
    static String word(LuaValue argument) {
        return switch (argument.type()) {
            case LuaValue.TSTRING -> text(argument.checkstring());
            case LuaValue.TNUMBER -> RedisNumbers.text(argument.todouble());
            default -> throw new LuaError("ERR Lua redis lib command arguments must be strings or integers");
        };
    }

    /** Most is ASCII, for which its own method takes long. */
    private static String text(LuaString string) {
        for (int i = string.m_offset; i < string.m_offset + string.m_length; i++) {
            if (string.m_bytes[i] < 0) {
                return string.tojstring();
            }
        }
        return new String(string.m_bytes, string.m_offset, string.m_length, StandardCharsets.US_ASCII);
    }

    /** Turns a table that a script returns into what its client gets: it ends at the first nil. */
    static List<Object> toClient(LuaTable table) {
        List<Object> values = new ArrayList<>();
        for (int i = 1; !table.get(i).isnil(); i++) {
            values.add(toClient(table.get(i)));
        }
        return values;
    }

    private static Object toClient(LuaValue value) {
        return switch (value.type()) {
            case LuaValue.TNUMBER -> value.checklong();
            case LuaValue.TSTRING -> value.tojstring();
            case LuaValue.TBOOLEAN -> value.toboolean() ? 1L : null;
            case LuaValue.TTABLE -> toClient(value.checktable(), value.get("ok"));
            default -> null;
        };
    }

    private static Object toClient(LuaTable table, LuaValue status) {
        return status.isnil() ? toClient(table) : status.tojstring();
    }

    /** Returns a reply as a client reads it that does not know what is text. */
    static List<Object> withBytes(List<Object> reply) {
        return reply.stream().map(LuaConversions::asBytes).toList();
    }

    private static Object asBytes(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(LuaConversions::asBytes).toList();
        }
        return value instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : value;
    }
}
