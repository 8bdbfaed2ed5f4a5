// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.state;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;

/** Writes records, lists, maps, texts, numbers and nulls as JSON. A record is an object with its components. */
final class Json {

    private final StringBuilder out = new StringBuilder(16_384);

    private Json() {}

    static String of(Object value) {
        Json json = new Json();
        json.write(value);
        return json.out.toString();
    }

    private void write(Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof List<?> list) {
            out.append('[');
            list.forEach(each -> {
                separate('[');
                write(each);
            });
            out.append(']');
        } else if (value instanceof Map<?, ?> map) {
            out.append('{');
            map.forEach((name, each) -> member(name.toString(), each));
            out.append('}');
        } else if (value instanceof Record each) {
            out.append('{');
            for (RecordComponent component : each.getClass().getRecordComponents()) {
                member(component.getName(), read(component, each));
            }
            out.append('}');
        } else {
            text(value.toString());
        }
    }

    private static Object read(RecordComponent component, Record owner) {
        try {
            return component.getAccessor().invoke(owner);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(component + " cannot be read", e);
        }
    }

    private void member(String name, Object value) {
        separate('{');
        text(name);
        out.append(':');
        write(value);
    }

    private void separate(char opening) {
        if (out.charAt(out.length() - 1) != opening) {
            out.append(',');
        }
    }

    private void text(String text) {
        out.append('"');
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c == '\u2028' || c == '\u2029') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
