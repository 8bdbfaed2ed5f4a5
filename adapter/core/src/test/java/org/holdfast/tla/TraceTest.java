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
 * Each step of the real classes and scripts, in the simulation, is a step of the model: TLC follows what was recorded.
 * With a mistake built in it cannot, from the step on that shows the mistake.
 */
@Tag("nightly")
@ExtendWith(QuietWorlds.class)
class TraceTest {

    private static final int RUNS = 200;
    private static final String SCRIPTS = "org/holdfast/redis/";
    private static final String PROTOCOL = "org/holdfast/protocol/";

    private static Followed followed;

    /** A mistake, with the steps that show it and the first of the seeds. */
    enum Mistake {
        LOCK_TAKEN_FROM_ANOTHER_OWNER(
                "runAcquire",
                0,
                SCRIPTS + "acquire.lua",
                "local held, unsure = lockHeldFor(KEYS[i], KEYS[i + 1], left, value, lingerMicros)",
                "local held, unsure = 0, 0"),
        TOKEN_NOT_CHECKED("runAcquire", 0, SCRIPTS + "acquire.lua", "if largest > 0 then", "if false then"),
        QUARANTINE_IGNORED(
                "runAcquire", 11, SCRIPTS + "acquire.lua", "refusal = forgotten(lingerMicros)", "refusal = nil"),
        QUARANTINE_HALF_AS_LONG(
                "runAcquire|runRenew",
                11,
                SCRIPTS + "quarantine.lua",
                "local whole = since + quarantineOf(lingerMicros)",
                "local whole = since + quarantineOf(lingerMicros) / 2"),
        MARK_OF_AN_EARLIER_MOMENT(
                "look",
                11,
                SCRIPTS + "mark.lua",
                "return micros == '0' and text(now) or micros",
                "return micros == '0' and text(now - 3000000) or micros"),
        RELEASE_WITHOUT_TOMBSTONE(
                "runRelease",
                0,
                SCRIPTS + "release_held.lua",
                "redis.call('SET', KEYS[2], ARGV[2], 'KEEPTTL')",
                "redis.call('SET', KEYS[2], last, 'KEEPTTL')"),
        RELEASE_OF_ANY_OWNER(
                "runRelease|runUndo|runUndoInOrder",
                0,
                SCRIPTS + "release.lua",
                "if owner == ARGV[1] or not owner then",
                "if true then"),
        UNDO_THAT_LEAVES_ITS_TOKEN_FOR_A_LEASE(
                "runUndoInOrder", 0, SCRIPTS + "release.lua", "stands = before", "stands = lease"),
        HEALED_OVER_A_LARGER_TOKEN("runRenew", 0, SCRIPTS + "renew.lua", "if refused > 0 then", "if false then"),
        HEALED_IN_QUARANTINE("runRenew", 11, SCRIPTS + "renew.lua", "missing and forgotten(lingerMicros)", "false"),
        QUORUM_OF_HALF(
                "get|extend",
                0,
                PROTOCOL + "quorum/Tally.java",
                "return nodes / 2 + 1;",
                "return Math.max(1, nodes / 2);"),
        DRIFT_NOT_SUBTRACTED(
                "get",
                0,
                PROTOCOL + "quorum/Timing.java",
                "return ttl - (long) (ttl * driftFactor) - SharedSettings.DRIFT_CONSTANT_NANOS;",
                "return ttl;"),
        RENEWAL_THAT_COUNTS_FROM_ITS_ANSWERS(
                "extend",
                2,
                PROTOCOL + "quorum/Redlock.java",
                "new RenewalResult.Extended(renewing.started() + timing",
                "new RenewalResult.Extended(time.nanoTime() + timing"),
        LEASE_RELIED_ON_AFTER_ITS_END(
                "rely|renew", 21, PROTOCOL + "lease/HeldLock.java", "if (now - validUntil < 0) {", "if (true) {"),
        /** Each client is slow now and then: else that matters seldom. */
        GRANT_COUNTED_LONG_AFTER_ITS_TOKEN(
                "get",
                3,
                PROTOCOL + "quorum/Redlock.java",
                " && now - drawnAt < timing.tokenNanos()",
                "",
                "org/holdfast/simulation/Network.java",
                "if (isSlow() && world.random.nextInt(8) == 0) {",
                "if (world.current() != null && world.random.nextInt(3) == 0) {");

        private final MistakenRuns runs;

        Mistake(String shownBy, int from, String... changes) {
            this.runs = new MistakenRuns(Modelled.HOLDERS, shownBy, from, List.of(changes));
        }
    }

    @BeforeAll
    static void follow() throws Throwable {
        List<String> traces = new ArrayList<>(TracedRuns.record(Modelled.HOLDERS, 0, RUNS, false));
        for (Mistake mistake : Mistake.values()) {
            traces.addAll(mistake.runs.record(mistake));
        }
        followed = Followed.by("trace", "HoldfastTrace", TraceModule.of(Modelled.HOLDERS, traces, RUNS));
    }

    @Test
    void runs_ofTheCodeAsItIs_areFollowedToTheirEnds() {
        followed.assertToTheEnd(RUNS);
    }

    @Test
    void steps_ofEachKind_wereFollowed() {
        followed.assertTaken(24);
        assertThat(followed.taken().get("Get")).as("leases").isGreaterThan(5 * RUNS);
        assertThat(followed.taken().get("RunAcquire")).as("grants").isGreaterThan(10 * RUNS);
    }

    @ParameterizedTest
    @EnumSource
    void runs_withAMistake_areRefusedAtTheStepThatShowsIt(Mistake mistake) {
        followed.assertRefused(mistake, mistake.runs);
    }
}
