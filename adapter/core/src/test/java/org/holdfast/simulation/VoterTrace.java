// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.holdfast.protocol.term.Witnesses;
import org.jspecify.annotations.Nullable;

/**
 * What the witnesses, the processes and the clients of one node that fails over did in one run, step by step, as a
 * value of TLA+: see {@code VoterTrace.tla}.
 *
 * <p>A client of the model makes one attempt. So each attempt of a real client is one of the model, which asks the
 * witnesses whenever the real one does, from the last time before its attempt until its end. Besides, each real client
 * is one that makes no attempt: it looks at processes. Attempts of which no process has run anything are left out, and
 * questions on whose answers no majority has agreed while votes counted.
 */
final class VoterTrace {

    private static final int MAJORITY = SimulatedVoter.WITNESSES / 2 + 1;

    private final String name;
    private final List<Step> steps;

    /** When each attempt was sent, and when it or its lease was over, as places in the list of steps. */
    private final Map<Trace.Attempt, Integer> asked = new HashMap<>();

    private final Map<Trace.Attempt, Integer> ended = new HashMap<>();
    private final Map<Places, Integer> clients = new LinkedHashMap<>();
    private final Map<Trace.Attempt, Integer> attempts = new LinkedHashMap<>();
    private final Map<String, Integer> owners = new HashMap<>();
    private final Map<Inquiry, List<Integer>> inquirers = new HashMap<>();

    /** A step, at a tick. */
    sealed interface Step permits OfVoter, OfProcess, OfAttempt, OfInquiry {
        long tick();

        String kind();
    }

    /** What is of no client: the numbers say it all. */
    record OfVoter(long tick, String kind, long... numbers) implements Step {}

    /**
     * A process has run something, or begins.
     *
     * @param attempt null if it begins
     * @param memory what it has after that
     */
    record OfProcess(long tick, String kind, int process, Trace.@Nullable Attempt attempt, NodeMemory memory)
            implements Step {}

    /** @param left for how long a client relies on its lease, if that is to be known */
    record OfAttempt(long tick, String kind, Trace.Attempt attempt, long left) implements Step {}

    /** @param number the witness, or the term */
    record OfInquiry(long tick, String kind, Inquiry inquiry, long number) implements Step {}

    /** What a witness has said. */
    record Heard(OfInquiry step, String place, long epoch) {}

    /** A client asks all witnesses, once. */
    static final class Inquiry {

        private final Places by;
        final List<Heard> heard = new ArrayList<>();

        /** Null if they have not agreed. */
        Witnesses.@Nullable Agreement named;

        Inquiry(Places by) {
            this.by = by;
        }

        /** Returns the first witnesses that have said on what they have agreed, as many as are needed. */
        private List<OfInquiry> decisive() {
            Witnesses.Agreement agreement = Objects.requireNonNull(named);
            return heard.stream()
                    .filter(each -> each.place().equals(agreement.place()) && each.epoch() == agreement.epoch())
                    .limit(MAJORITY)
                    .map(Heard::step)
                    .toList();
        }
    }

    /** @param fresh for how long votes count after a question */
    VoterTrace(String name, List<Step> steps, long fresh) {
        this.name = name;
        this.steps = steps;
        number();
        List<OfInquiry> agreements = agreements(fresh);
        agreements.forEach(agreement -> inquirers.put(agreement.inquiry(), new ArrayList<>()));
        clients.forEach((places, client) -> agreements.stream()
                .filter(agreement -> agreement.inquiry().by == places)
                .forEach(agreement -> inquirers.get(agreement.inquiry()).add(client)));
        attempts.keySet().forEach(attempt -> addInquirer(attempt, agreements));
    }

    /** Real clients come first. */
    private void number() {
        for (Step step : steps) {
            if (step instanceof OfInquiry of) {
                clients.putIfAbsent(of.inquiry().by, clients.size() + 1);
            }
        }
        for (int at = 0; at < steps.size(); at++) {
            if (steps.get(at) instanceof OfProcess of && of.attempt() != null) {
                attempts.putIfAbsent(of.attempt(), clients.size() + attempts.size() + 1);
            } else if (steps.get(at) instanceof OfAttempt of) {
                if (of.kind().equals("ask")) {
                    asked.put(of.attempt(), at);
                } else if (isEnd(of)) {
                    ended.put(of.attempt(), at);
                }
            }
        }
        attempts.forEach((attempt, number) -> owners.put(attempt.claim.owner().value(), number));
    }

    private static boolean isEnd(OfAttempt step) {
        return step.kind().equals("end") || step.kind().equals("giveUp");
    }

    /** Returns those that came while votes counted. */
    private List<OfInquiry> agreements(long fresh) {
        Map<Inquiry, Long> begun = new HashMap<>();
        List<OfInquiry> agreements = new ArrayList<>();
        for (Step step : steps) {
            if (step instanceof OfInquiry of) {
                begun.putIfAbsent(of.inquiry(), of.tick());
                if (of.kind().equals("agree") && of.tick() - begun.get(of.inquiry()) < fresh) {
                    agreements.add(of);
                }
            }
        }
        return agreements;
    }

    private void addInquirer(Trace.Attempt attempt, List<OfInquiry> agreements) {
        int from = asked.get(attempt);
        int to = ended.getOrDefault(attempt, steps.size());
        List<OfInquiry> own = agreements.stream()
                .filter(agreement -> agreement.inquiry().by == attempt.by && steps.indexOf(agreement) < to)
                .toList();
        OfInquiry last = own.stream()
                .filter(agreement -> steps.indexOf(agreement) < from)
                .max(Comparator.comparing(steps::indexOf))
                .orElse(null);
        own.stream()
                .filter(agreement -> agreement == last || steps.indexOf(agreement) > from)
                .forEach(agreement -> inquirers.get(agreement.inquiry()).add(attempts.get(attempt)));
    }

    /** Returns the record that stands for it in TLA+. */
    String text() {
        List<String> lines = new ArrayList<>();
        long tick = 0;
        for (Step step : steps) {
            List<String> words = words(step).toList();
            if (!words.isEmpty() && step.tick() > tick) {
                lines.add("<<" + (step.tick() - tick) + ">>");
                tick = step.tick();
            }
            lines.addAll(words);
        }
        return "[name |-> \"" + name + "\", claims |-> " + (clients.size() + attempts.size()) + ", steps |-> <<"
                + String.join(", ", lines) + ">>]";
    }

    private Stream<String> words(Step step) {
        if (step instanceof OfProcess of) {
            NodeMemory memory = of.memory();
            return Stream.of(words(
                    of.kind(),
                    of.process(),
                    of.attempt() == null ? 0 : attempts.get(of.attempt()),
                    memory.owner().isEmpty() ? 0 : owners.get(memory.owner()),
                    Math.max(0, memory.ends() - of.tick())));
        }
        if (step instanceof OfAttempt of) {
            return attempts.containsKey(of.attempt()) && !of.kind().equals("draw")
                    ? Stream.of(words(of.kind(), attempts.get(of.attempt()), of.left()))
                    : Stream.empty();
        }
        return step instanceof OfInquiry of ? words(of) : Stream.of(words(step.kind(), ((OfVoter) step).numbers()));
    }

    /** A real client's step is one of each client of the model that is one of its attempts. */
    private Stream<String> words(OfInquiry step) {
        List<Integer> all = inquirers.getOrDefault(step.inquiry(), List.of());
        if (all.isEmpty()
                || step.kind().equals("hear") && !step.inquiry().decisive().contains(step)) {
            return Stream.empty();
        }
        long number = step.kind().equals("question")
                ? Long.parseLong(Objects.requireNonNull(step.inquiry().named).place()) + 1
                : step.number();
        return all.stream().map(client -> words(step.kind(), client, number));
    }

    private static String words(String kind, long... numbers) {
        StringBuilder words = new StringBuilder("<<\"" + kind + "\"");
        for (long number : numbers) {
            words.append(", ").append(number);
        }
        return words.append(">>").toString();
    }
}
