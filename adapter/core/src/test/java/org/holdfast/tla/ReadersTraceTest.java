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
 * Each step of the real classes and scripts, in the simulation where callers of one lock read and write, is a step of
 * the model: as {@link TraceTest} requires of those that want it alone.
 */
@Tag("nightly")
@ExtendWith(QuietWorlds.class)
class ReadersTraceTest {

    private static final int RUNS = 200;
    private static final String SCRIPTS = "org/holdfast/redis/";
    private static final String ACQUIRE_READING = SCRIPTS + "acquire_reading.lua";
    private static final String RENEW_READING = SCRIPTS + "renew_reading.lua";
    private static final String RELEASE_READING = SCRIPTS + "release_reading.lua";
    private static final String JOIN_READING = SCRIPTS + "join_reading.lua";

    private static Followed followed;

    /** A mistake, with the steps that show it and the first of the seeds. */
    enum Mistake {
        READER_ADMITTED_WHILE_A_WRITER_HAS_IT(
                "runAcquire", 0, ACQUIRE_READING, "if holder and not base then", "if false then"),
        WRITER_ADMITTED_WHILE_OTHERS_READ(
                "runAcquire",
                0,
                SCRIPTS + "acquire.lua",
                "local held, unsure = lockHeldFor(KEYS[i], KEYS[i + 1], left, value, lingerMicros)",
                "local held, unsure = 0, 0"),
        WRITER_HEALED_WHILE_OTHERS_READ(
                "runRenew",
                152,
                SCRIPTS + "renew.lua",
                "      if owner then",
                "      if owner and not string.match(owner, '^readers ') then"),
        TOKEN_NOT_COMPARED(
                "runAcquire",
                0,
                ACQUIRE_READING,
                "if tonumber(ARGV[2]) <= tonumber(base) or known < 0 then",
                "if known < 0 then"),
        GRAVE_NOT_LOOKED_AT(
                "runAcquire",
                11,
                ACQUIRE_READING,
                "if tonumber(ARGV[2]) <= tonumber(base) or known < 0 then",
                "if tonumber(ARGV[2]) <= tonumber(base) then"),
        GRAVE_MISSING(
                "runRelease|runUndo",
                0,
                RELEASE_READING,
                "redis.call('ZADD', KEYS[3], -ends, ARGV[1])",
                "redis.call('ZREM', KEYS[3], ARGV[1])"),
        RELEASE_OF_ONE_READER_FOR_ALL(
                "runRelease|runUndo|runUndoInOrder",
                0,
                RELEASE_READING,
                "remain = left + linger > 0",
                "remain = false"),
        UNDO_THAT_LEAVES_ITS_TOKEN_FOR_A_LEASE(
                "runUndo|runUndoInOrder", 0, RELEASE_READING, "if not remain and not held and released", "if false"),
        RELEASE_THAT_IS_HEALED(
                "runRelease",
                0,
                RELEASE_READING,
                "local stands = held and larger(lease, tombstone) or lease",
                "local stands = lease"),
        BASE_NOT_RAISED("runAcquire", 0, ACQUIRE_READING, "  before = leased\n", "  before = leased\n  base = '0'\n"),
        TOKEN_OF_AN_ENDED_READER_FORGOTTEN(
                "runAcquire", 32, ACQUIRE_READING, "if left <= 0 and base then", "if false then"),
        READERS_OF_BEFORE_KEPT(
                "runAcquire", 20, ACQUIRE_READING, "  known = 0\n  redis.call('DEL', readers)", "  known = 0"),
        ENTRIES_DELETED_WHILE_IN_FORCE(
                "runAcquire|runRenew",
                0,
                JOIN_READING,
                "'ZREMRANGEBYSCORE', readers, -millis, millis - linger",
                "'ZREMRANGEBYSCORE', readers, -millis, millis + linger"),
        READERS_TOKEN_NOT_RECORDED(
                "runAcquire", 0, JOIN_READING, "record(KEYS[2], larger(last, stands)", "record(KEYS[2], last"),
        RENEWAL_THAT_CAN_BE_UNDONE("runRenew", 0, JOIN_READING, "  before = stands\n", "  before = lease\n"),
        HEALED_OVER_A_LARGER_TOKEN(
                "runRenew",
                36,
                RENEW_READING,
                "if tonumber(ARGV[2]) < tonumber(holder and leased or lease) or known < 0 then",
                "if known < 0 then"),
        RELEASED_READER_HEALED(
                "runRenew",
                101,
                RENEW_READING,
                "if tonumber(ARGV[2]) < tonumber(holder and leased or lease) or known < 0 then",
                "if tonumber(ARGV[2]) < tonumber(holder and leased or lease) then"),
        QUORUM_OF_HALF(
                "get|extend",
                0,
                "org/holdfast/protocol/quorum/Tally.java",
                "return nodes / 2 + 1;",
                "return Math.max(1, nodes / 2);");

        private final MistakenRuns runs;

        Mistake(String shownBy, int from, String... changes) {
            this.runs = new MistakenRuns(Modelled.READERS, shownBy, from, List.of(changes));
        }
    }

    @BeforeAll
    static void follow() throws Throwable {
        List<String> traces = new ArrayList<>(TracedRuns.record(Modelled.READERS, 0, RUNS, false));
        for (Mistake mistake : Mistake.values()) {
            traces.addAll(mistake.runs.record(mistake));
        }
        followed = Followed.by("readers-trace", "ReadersTrace", TraceModule.of(Modelled.READERS, traces, RUNS));
    }

    @Test
    void runs_ofTheCodeAsItIs_areFollowedToTheirEnds() {
        followed.assertToTheEnd(RUNS);
    }

    @Test
    void steps_ofEachKind_wereFollowed() {
        followed.assertTaken(29);
        assertThat(followed.taken().get("Get, to read")).as("leases of readers").isGreaterThan(3 * RUNS);
        assertThat(followed.taken().get("Get")).as("leases of writers").isGreaterThan(2 * RUNS);
    }

    @ParameterizedTest
    @EnumSource
    void runs_withAMistake_areRefusedAtTheStepThatShowsIt(Mistake mistake) {
        followed.assertRefused(mistake, mistake.runs);
    }
}
