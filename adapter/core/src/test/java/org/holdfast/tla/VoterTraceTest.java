// SPDX-License-Identifier: Apache-2.0
package org.holdfast.tla;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.holdfast.simulation.Modelled;
import org.holdfast.simulation.QuietWorlds;
import org.holdfast.simulation.TracedRuns;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each step of the real classes and scripts, in the simulation of one node that fails over behind Sentinels, is a step
 * of the model: as {@link TraceTest} requires of nodes that stay.
 */
@Tag("nightly")
@ExtendWith(QuietWorlds.class)
class VoterTraceTest {

    private static final int RUNS = 60;
    private static final String PROTOCOL = "org/holdfast/protocol/";
    private static final String SCRIPTS = "org/holdfast/redis/";

    private static Followed followed;

    /** A mistake, with the steps that show it and the first of the seeds. */
    enum Mistake {
        VOTES_OF_A_FORMER_PRIMARY_COUNT_FOR_EVER(
                "get|extend|ask|renew",
                0,
                PROTOCOL + "term/Terms.java",
                "return Math.max(time.nanoTime() - known.askedAt(), byWall);",
                "return 0;"),
        NEXT_PRIMARY_ASKED_AT_ONCE(
                "look",
                0,
                PROTOCOL + "term/Terms.java",
                "return Math.max(0, term.learnedAt() + settlesNanos - time.nanoTime());",
                "return 0;"),
        NEXT_PRIMARY_ASKED_TOO_SOON(
                "look",
                0,
                PROTOCOL + "term/Terms.java",
                "counts.toNanos() + (long) (2 * driftFactor * counts.toNanos())",
                "round.toNanos() + (long) (2 * driftFactor * counts.toNanos())"),
        NO_QUARANTINE_AFTER_A_PROMOTION(
                "look",
                0,
                PROTOCOL + "guard/MarkChanges.java",
                "return mark.process().runId().equals(change.process().runId()) ? change : change.ofAnotherClock();",
                "return note(sight, mark.sinceMicros(), 0, 0, mark.steadyMicros(), change.acceptedSettings(), \"\");"),
        HEALED_IN_QUARANTINE("runRenew", 0, SCRIPTS + "renew.lua", "missing and forgotten(lingerMicros)", "false"),
        LOCK_TAKEN_FROM_ANOTHER_OWNER(
                "runAcquire",
                0,
                SCRIPTS + "acquire.lua",
                "local held, unsure = lockHeldFor(KEYS[i], KEYS[i + 1], left, value, lingerMicros)",
                "local held, unsure = 0, 0"),
        ONE_SENTINEL_IS_ENOUGH("agree", 0, PROTOCOL + "term/Witnesses.java", "return all / 2 + 1;", "return 1;"),
        EPOCHS_MIXED(
                "agree",
                19,
                PROTOCOL + "term/Witnesses.java",
                "other.agreement().equals(one.agreement())",
                "other.place().equals(one.place())"),
        VOTES_COUNT_FROM_THE_ANSWERS_OF_SENTINELS(
                "read|ask|renew|get|extend",
                38,
                PROTOCOL + "term/Terms.java",
                "known.askedAt() > 0 ? new State(term, askedAt, askedMicros)",
                "known.askedAt() > 0 ? new State(term, time.nanoTime(), time.epochMicros())"),
        ANSWER_OF_A_FORMER_PRIMARY_COUNTED(
                "read",
                18,
                "org/holdfast/simulation/SimulatedConnection.java",
                "        if (!view.places.counts(node, place.term())) {\n            first",
                "        if (false) {\n            first");

        private final MistakenRuns runs;

        Mistake(String shownBy, int from, String... changes) {
            this.runs = new MistakenRuns(Modelled.VOTER, shownBy, from, List.of(changes));
        }
    }

    @BeforeAll
    static void follow() throws Throwable {
        List<String> traces = new ArrayList<>(TracedRuns.record(Modelled.VOTER, 0, RUNS, false));
        for (Mistake mistake : Mistake.values()) {
            traces.addAll(mistake.runs.record(mistake));
        }
        followed = Followed.by("voter-trace", "VoterTrace", TraceModule.of(Modelled.VOTER, traces, RUNS));
    }

    @Test
    void runs_ofTheCodeAsItIs_areFollowedToTheirEnds() {
        followed.assertToTheEnd(RUNS);
    }

    @Test
    void steps_ofEachKind_wereFollowed() {
        followed.assertTaken(26);
        assertThat(followed.taken().get("Get")).as("leases").isGreaterThan(5 * RUNS);
    }

    @ParameterizedTest
    @EnumSource
    void runs_withAMistake_areRefusedAtTheStepThatShowsIt(Mistake mistake) {
        followed.assertRefused(mistake, mistake.runs);
    }
}
