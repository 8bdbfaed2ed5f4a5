// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.name;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.LockRequest;
import org.jspecify.annotations.Nullable;

/** The name of a lock with expressions in it, understood once. */
public final class NameTemplate {

    private final String source;
    private final Method method;
    private final List<Part> parts;
    private final List<String> doubts;

    private sealed interface Part {
        record Text(String text) implements Part {}

        record Expression(NameExpression expression) implements Part {}
    }

    private NameTemplate(String source, Method method, List<Part> parts, List<String> doubts) {
        this.source = source;
        this.method = method;
        this.parts = List.copyOf(parts);
        this.doubts = List.copyOf(doubts);
    }

    /** @throws IllegalArgumentException if the template is empty, or an expression cannot be understood */
    public static NameTemplate parse(String source, Parameters parameters) {
        if (source.isEmpty()) {
            throw new IllegalArgumentException("the name of the lock must not be empty");
        }
        if (source.contains("${")) { // taken for text it would be one lock for everything
            throw new IllegalArgumentException("expressions are written #{…}, not ${…}, in '" + source + "'");
        }
        List<Part> parts = new ArrayList<>();
        List<String> doubts = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        int at = 0;
        while (at < source.length()) {
            if (source.startsWith("\\#{", at)) {
                text.append("#{");
                at += 3;
            } else if (source.startsWith("#{", at)) {
                int end = endOfExpression(source, at);
                flush(text, parts);
                parts.add(new Part.Expression(compile(source.substring(at, end), parameters, doubts)));
                at = end;
            } else {
                text.append(source.charAt(at++));
            }
        }
        flush(text, parts);
        checkTexts(parts);
        return new NameTemplate(source, parameters.method(), parts, doubts);
    }

    /** A name is no shorter than the texts in it. */
    private static void checkTexts(List<Part> parts) {
        String texts = parts.stream()
                .filter(Part.Text.class::isInstance)
                .map(part -> ((Part.Text) part).text())
                .collect(Collectors.joining());
        try {
            LockRequest.of(texts.isEmpty() ? "*" : texts);
        } catch (InvalidLockRequestException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static NameExpression compile(String source, Parameters parameters, List<String> doubts) {
        NameExpression expression = NameExpression.compile(source, parameters);
        Integer parameter = parameters.positionIn(source);
        String reason = parameter == null
                ? null
                : NameValues.whyNever(parameters.method().getGenericParameterTypes()[parameter]);
        if (reason != null) {
            throw new IllegalArgumentException(source + " is " + reason);
        }
        for (DeclaredProperties.Missing missing : DeclaredProperties.missing(source, parameters)) {
            String sentence = source + " " + missing.inWords();
            if (missing.isCertain()) {
                throw new IllegalArgumentException(sentence);
            }
            doubts.add(sentence);
        }
        return expression;
    }

    /**
     * Returns what is wrong with each value that has just the declared type, a sentence each; a subclass may have more.
     */
    public List<String> doubts() {
        return doubts;
    }

    private static void flush(StringBuilder text, List<Part> parts) {
        if (text.length() > 0) {
            parts.add(new Part.Text(text.toString()));
            text.setLength(0);
        }
    }

    /** Returns where the expression ends: at the brace that closes it, not one inside it or inside a string. */
    private static int endOfExpression(String source, int start) {
        int depth = 0;
        char quote = 0;
        for (int at = start + 1; at < source.length(); at++) {
            char c = source.charAt(at);
            if (quote != 0) {
                if (c == '\\') {
                    at++;
                } else if (c == quote) {
                    quote = 0;
                }
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (c == '{') {
                depth++;
            } else if (c == '}' && --depth == 0) {
                return at + 1;
            }
        }
        throw new IllegalArgumentException("an expression is not closed in '" + source + "'");
    }

    /**
     * Returns the name for a call.
     *
     * @throws IllegalArgumentException if an expression yields null, nothing, or an object without a text of its
     *     own; values are not reported
     */
    public String resolve(Object[] arguments) {
        StringBuilder name = new StringBuilder();
        for (Part part : parts) {
            if (part instanceof Part.Text text) {
                name.append(text.text());
            } else if (part instanceof Part.Expression dynamic) {
                name.append(value(dynamic.expression(), arguments));
            }
        }
        return name.toString();
    }

    private String value(NameExpression expression, Object[] arguments) {
        Operands operands = expression.operands();
        Object value = evaluate(expression, arguments, operands);
        if (value == null) {
            throw noName(expression, "null");
        }
        String text = text(expression, value);
        if (text == null || text.isEmpty()) {
            throw noName(expression, "empty");
        }
        if (text.length() > LockRequest.MAX_NAME_BYTES) {
            return text; // no request takes it, so there is nothing to look for in it
        }
        String reason = whyRefused(value, text, operands);
        if (reason != null) { // with an identity in it each call would have a lock of its own
            throw noName(expression, reason);
        }
        return text;
    }

    private @Nullable Object evaluate(NameExpression expression, Object[] arguments, @Nullable Operands operands) {
        try {
            return expression.evaluate(arguments, operands);
        } catch (RuntimeException e) {
            throw noName(expression, "not to be evaluated: " + kindOf(e));
        }
    }

    /** The text may be asked for elsewhere, as that of an entity that is not loaded. */
    private @Nullable String text(NameExpression expression, Object value) {
        try {
            return value.toString();
        } catch (RuntimeException e) {
            throw noName(expression, "a " + value.getClass().getTypeName() + ", whose text failed: " + kindOf(e));
        }
    }

    private static @Nullable String whyRefused(Object value, String text, @Nullable Operands operands) {
        try {
            String reason = NameValues.whyRefused(value, text);
            return reason == null && operands != null ? operands.whyRefused(text) : reason;
        } catch (RuntimeException e) {
            return "a " + value.getClass().getTypeName() + ", whose content cannot be looked at: " + kindOf(e);
        }
    }

    /** No more of what goes wrong is reported: messages may have values in them, and so may those of causes. */
    private static String kindOf(RuntimeException failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return cause.getClass().getName();
    }

    private IllegalArgumentException noName(NameExpression expression, String what) {
        return new IllegalArgumentException("the lock of " + method + " has no name: " + expression
                + expression.arguments() + " in '" + source + "' is " + what);
    }

    @Override
    public String toString() {
        return source;
    }
}
