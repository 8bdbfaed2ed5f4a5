// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.holdfast.protocol.node.Claim;

/**
 * What nodes and clients did in one run, step by step, as a value of TLA+: see {@code HoldfastTrace.tla}.
 *
 * <p>Claims of which no node has run anything are left out: to draw a token and to send it changes nothing for others.
 * Tokens keep their order, and which of them are neighbours, and lose their size.
 */
final class Trace {

    /** A number that is that of no claim, and of no token. */
    private static final int UNKNOWN = 999_999;

    private final String name;
    private final int nodes;
    private final List<Step> steps;
    private final Map<Attempt, Integer> claims = new HashMap<>();
    private final Map<String, Integer> owners = new HashMap<>();
    private final Map<Long, Integer> tokens = new HashMap<>();

    /** An attempt to get the lock, from when its token was drawn, and the lease that may have come of it. */
    static final class Attempt {
        final long drawnAt;

        /** Null until it is sent. */
        Claim claim;

        boolean got;
        boolean over;

        Attempt(long drawnAt) {
            this.drawnAt = drawnAt;
        }

        /** Returns whether it has reserved a token. */
        boolean has(long token) {
            return claim.token() <= token && token <= claim.lastToken();
        }
    }

    /**
     * A step.
     *
     * @param node -1 if it is a client's
     * @param attempt null if it concerns none
     * @param memory of the node after the step; null if that stays
     * @param numbers what else was seen
     */
    record Step(long tick, String kind, int node, Attempt attempt, NodeMemory memory, long... numbers) {

        private boolean isOfNode() {
            return node >= 0;
        }
    }

    Trace(String name, int nodes, List<Step> all) {
        this.name = name;
        this.nodes = nodes;
        TreeSet<Long> numbers = new TreeSet<>();
        all.stream().filter(step -> step.isOfNode() && step.attempt() != null).forEach(step -> {
            Attempt attempt = step.attempt();
            claims.computeIfAbsent(attempt, key -> claims.size() + 1);
            owners.put(attempt.claim.owner().value(), claims.get(attempt));
            numbers.add(attempt.claim.lastToken());
            numbers.add(attempt.claim.lastToken() + 1); // its tombstone
        });
        numbers.forEach(number -> tokens.put(number, tokens.size() + 1));
        tokens.put(0L, 0);
        this.steps = all.stream()
                .filter(step -> step.isOfNode() || claims.containsKey(step.attempt()))
                .toList();
    }

    /** Returns the record that stands for it in TLA+. */
    String text() {
        List<String> lines = new ArrayList<>();
        long tick = 0;
        for (Step step : steps) {
            if (step.tick() > tick) {
                lines.add("<<" + (step.tick() - tick) + ">>");
                tick = step.tick();
            }
            lines.add(text(step));
        }
        return "[name |-> \"" + name + "\", nodes |-> " + nodes + ", tokens |-> <<" + joined(tokensOfClaims())
                + ">>, steps |-> <<" + joined(lines) + ">>]";
    }

    private List<Integer> tokensOfClaims() {
        return claims.entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .map(entry -> tokens.get(entry.getKey().claim.lastToken()))
                .toList();
    }

    private String text(Step step) {
        List<Object> words = new ArrayList<>();
        words.add("\"" + step.kind() + "\"");
        if (step.isOfNode()) {
            words.add(step.node() + 1);
        }
        words.add(step.attempt() == null ? 0 : claims.get(step.attempt()));
        NodeMemory memory = step.memory();
        if (memory != null) {
            words.add(memory.owner().isEmpty() ? 0 : owners.getOrDefault(memory.owner(), UNKNOWN));
            words.add(Math.max(0, memory.ends() - step.tick()));
            words.add(token(memory.before()));
            words.add(token(memory.last()));
            words.add(token(memory.lease()));
        }
        for (long number : step.numbers()) {
            words.add(number);
        }
        return "<<" + joined(words) + ">>";
    }

    private int token(long token) {
        return tokens.getOrDefault(token, UNKNOWN);
    }

    private static String joined(List<?> words) {
        return words.stream().map(Object::toString).collect(Collectors.joining(", "));
    }
}
