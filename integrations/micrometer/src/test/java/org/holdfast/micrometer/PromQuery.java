// SPDX-License-Identifier: Apache-2.0
package org.holdfast.micrometer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a query of Prometheus names: metrics, and labels in braces and behind {@code by}, {@code on} and their like.
 * Refuses what it does not know, so that no name is passed over.
 */
record PromQuery(Set<String> metrics, Set<String> labels) {

    private static final Pattern TOKEN = Pattern.compile("\\s+|\"(?:[^\"\\\\]|\\\\.)*\"|\\[[^\\]]*\\]"
            + "|[A-Za-z_:][A-Za-z0-9_:]*|[0-9.]+|=~|!~|!=|==|<=|>=|[-+*/%^<>=(){},]");

    private static final Set<String> FUNCTIONS =
            Set.of("sum", "min", "max", "avg", "count", "rate", "increase", "label_values");
    private static final Set<String> BEFORE_LABELS =
            Set.of("by", "without", "on", "ignoring", "group_left", "group_right");
    private static final Set<String> OPERATORS = Set.of("and", "or", "unless", "bool", "offset");

    static PromQuery parse(String query) {
        return new PromQuery(new HashSet<>(), new HashSet<>()).read(tokens(query), query);
    }

    private static List<String> tokens(String query) {
        List<String> tokens = new ArrayList<>();
        Matcher token = TOKEN.matcher(query);
        for (int at = 0; at < query.length(); at = token.end()) {
            if (!token.find(at) || token.start() != at) {
                throw new AssertionError("unknown at " + at + ": " + query);
            }
            if (!token.group().isBlank()) {
                tokens.add(token.group());
            }
        }
        return tokens;
    }

    private PromQuery read(List<String> tokens, String query) {
        boolean label = false;
        boolean ofVariable = false;
        for (int i = 0; i < tokens.size(); i++) {
            String token = tokens.get(i);
            String next = i + 1 < tokens.size() ? tokens.get(i + 1) : "";
            if (token.equals("{") || (token.equals("(") && BEFORE_LABELS.contains(tokens.get(Math.max(0, i - 1))))) {
                label = true;
            } else if (token.equals("}") || token.equals(")")) {
                label = false;
            } else if (token.equals("label_values")) {
                ofVariable = true;
            } else if (token.equals(",") && ofVariable && !label) {
                label = true; // the last argument of label_values is a label
            } else if (isWord(token) && !isKnown(token, next)) {
                (label ? labels : metrics).add(token);
            }
        }
        if (metrics.isEmpty()) {
            throw new AssertionError("no metric: " + query);
        }
        return this;
    }

    private static boolean isWord(String token) {
        return Character.isLetter(token.charAt(0)) || token.charAt(0) == '_';
    }

    private static boolean isKnown(String token, String next) {
        if (next.equals("(") && !BEFORE_LABELS.contains(token) && !FUNCTIONS.contains(token)) {
            throw new AssertionError("unknown function: " + token);
        }
        return Stream.of(FUNCTIONS, BEFORE_LABELS, OPERATORS).anyMatch(known -> known.contains(token));
    }
}
