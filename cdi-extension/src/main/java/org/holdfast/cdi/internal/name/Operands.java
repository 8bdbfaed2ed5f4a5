// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.name;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values that an expression read and may have made a text of, as {@code 'a' += order} does.
 *
 * <p>The text of such a value is looked for in the name. Where it is there, the value is refused for the same reasons
 * as if it stood in the name itself. Texts of the application, whatever they look like, are taken as they are.
 *
 * <p>A value is no operand if the expression only read a property of it, or only called a method on it: its text may
 * be long, or be asked for in a database.
 */
final class Operands {

    private final List<Object> values = new ArrayList<>();
    private final boolean hasFunctions;

    /** @param hasFunctions whether parts of the expression may be evaluated again, with values that were read once */
    Operands(boolean hasFunctions) {
        this.hasFunctions = hasFunctions;
    }

    /** @param base of which the property is; null for a parameter */
    void read(@Nullable Object base, @Nullable Object value) {
        use(base);
        add(value);
    }

    void called(@Nullable Object base, @Nullable Object method, @Nullable Object value) {
        if (!"toString".equals(String.valueOf(method))) {
            use(base);
        } else if (hasFunctions) {
            add(base);
        }
        add(value);
    }

    private void add(@Nullable Object value) {
        if (value != null && !(value instanceof String)) {
            values.add(value);
        }
    }

    /** It was read for this once; where it is an operand as well, it was read twice. */
    private void use(@Nullable Object base) {
        for (int at = values.size() - 1; at >= 0 && !hasFunctions; at--) {
            if (values.get(at) == base) {
                values.remove(at);
                return;
            }
        }
    }

    /** Returns what stands against a value whose text is in this one, in words without it; null if nothing does. */
    @Nullable
    String whyRefused(String text) {
        for (Object value : values) {
            String part = mayBeRefused(value, text) ? text(value) : null;
            if (part == null || part.isEmpty() || !text.contains(part) || isProxyWithContent(value, part)) {
                continue;
            }
            String reason = NameValues.whyRefused(value, part);
            if (reason != null) {
                return "a text with that of a value in it, which is " + reason;
            }
        }
        return null;
    }

    /**
     * Returns whether the text of a value, if it is in this one, may stand against it: other values are not asked for
     * theirs, for which an entity might have to be loaded.
     */
    private static boolean mayBeRefused(Object value, String text) {
        return text.indexOf('@') >= 0 // as in each identity
                || value instanceof Record
                || NameValues.isContainer(value)
                || TextlessTypes.whyNever(value.getClass()) != null;
    }

    /** What it says may be in the name by way of one of its properties, which is right. */
    private static boolean isProxyWithContent(Object value, String text) {
        return Proxy.isProxyClass(value.getClass()) && text.indexOf('@') < 0;
    }

    /** A text that cannot be had is in no name. */
    private static @Nullable String text(Object value) {
        try {
            return value.toString();
        } catch (RuntimeException | StackOverflowError e) { // as of entities that refer to each other
            return null;
        }
    }
}
