// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.protocol.node.Claim;

/**
 * What nodes and clients did in one run, step by step, as a value of TLA+: see {@code HoldfastTrace.tla} and {@code
 * ReadersTrace.tla}.
 *
 * <p>Claims of which no node has run anything are left out: to draw a token and to send it changes nothing for others.
 * Tokens keep their order, and which of them are neighbours, and lose their size. Where there are readers they have the
 * odd numbers and writers the even ones: TLC must know which are which before it knows the run.
 */
final class Trace {

    /** A number that is that of no claim, and of no token. */
    private static final int UNKNOWN = 999_999;

    /** Stands where an owner would be, while a lock is read. */
    private static final int READERS = -1;

    private final String name;
    private final int nodes;
    private final Modelled modelled;
    private final List<Step> steps;
    private final Map<Attempt, Integer> claims = new HashMap<>();
    private final Map<String, Integer> owners = new HashMap<>();
    private final Map<Long, Integer> tokens = new HashMap<>();

    /** An attempt to get the lock, from when its token was drawn, and the lease that may have come of it. */
    static final class Attempt {
        final long drawnAt;

        /** Null until it is sent. */
        Claim claim;

        /** Where its client found what it asked; null if that does not matter. */
        Places by;

        boolean got;
        boolean over;

        Attempt(long drawnAt) {
            this.drawnAt = drawnAt;
        }

        private boolean reads() {
            return claim.target().isShared();
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

    Trace(String name, int nodes, Modelled modelled, List<Step> all) {
        this.name = name;
        this.nodes = nodes;
        this.modelled = modelled;
        TreeSet<Long> numbers = new TreeSet<>();
        all.stream().filter(step -> step.isOfNode() && step.attempt() != null).forEach(step -> {
            Attempt attempt = step.attempt();
            claims.computeIfAbsent(attempt, this::number);
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

    private int number(Attempt attempt) {
        if (!modelled.hasReaders()) {
            return claims.size() + 1;
        }
        boolean reads = attempt.reads();
        long before =
                claims.keySet().stream().filter(other -> other.reads() == reads).count();
        return (int) (reads ? 2 * before + 1 : 2 * before + 2);
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
        List<Integer> tokens = tokensOfClaims();
        return "[name |-> \"" + name + "\", nodes |-> " + nodes + ", claims |-> " + tokens.size() + ", tokens |-> <<"
                + joined(tokens)
                + ">>, steps |-> <<" + joined(lines) + ">>]";
    }

    /** Returns them by the number of the claim; 0 for a number that none has. */
    private List<Integer> tokensOfClaims() {
        List<Integer> all =
                new ArrayList<>(Collections.nCopies(claims.values().stream().reduce(0, Math::max), 0));
        claims.forEach((attempt, claim) -> all.set(claim - 1, tokens.get(attempt.claim.lastToken())));
        return all;
    }

    private String text(Step step) {
        List<Object> words = new ArrayList<>();
        words.add("\"" + step.kind() + "\"");
        if (step.isOfNode()) {
            words.add(step.node() + 1);
        }
        words.add(step.attempt() == null ? 0 : claims.get(step.attempt()));
        if (step.memory() != null) {
            words.addAll(words(step.memory(), step.tick()));
        }
        for (long number : step.numbers()) {
            words.add(number);
        }
        return "<<" + joined(words) + ">>";
    }

    private List<Object> words(NodeMemory memory, long tick) {
        List<Object> words = new ArrayList<>();
        boolean isRead = modelled.hasReaders() && memory.reading().isPresent();
        words.add(isRead ? READERS : memory.owner().isEmpty() ? 0 : owner(memory.owner()));
        words.add(Math.max(0, memory.ends() - tick));
        words.add(token(memory.before()));
        words.add(token(memory.last()));
        words.add(token(memory.lease()));
        memory.reading().filter(some -> isRead).ifPresent(reading -> {
            words.add(token(reading.base()));
            words.add(token(reading.leased()));
            words.add(set(reading.entries().entrySet().stream()
                    .map(entry -> "<<" + owner(entry.getKey()) + ", " + Math.max(0, entry.getValue() - tick) + ">>")));
            words.add(set(reading.graves().stream().map(this::owner)));
        });
        return words;
    }

    private int owner(String owner) {
        return owners.getOrDefault(owner, UNKNOWN);
    }

    private int token(long token) {
        return tokens.getOrDefault(token, UNKNOWN);
    }

    private static String set(Stream<?> members) {
        return "{" + joined(members.toList()) + "}";
    }

    private static String joined(List<?> words) {
        return words.stream().map(Object::toString).collect(Collectors.joining(", "));
    }
}
