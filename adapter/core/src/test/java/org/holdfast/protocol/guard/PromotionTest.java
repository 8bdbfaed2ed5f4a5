// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.memory.LuaInterpreter;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.redis.script.ScriptBridge;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A replica that becomes the voter, with the memory of the process before it and a clock of its own. */
class PromotionTest {

    private static final String PREFIX = "p";
    private static final SharedSettings SETTINGS = new SharedSettings(10_000, 60_000, 0.01);
    private static final Duration QUARANTINE = SETTINGS.quarantine();
    private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);

    private final VirtualTime time = new VirtualTime();
    private final MemoryRedis redis = new MemoryRedis(new LuaInterpreter(), this::clockMicros);
    private final Client one = new Client(false);
    private final Client other = new Client(false);
    private final Client sure = new Client(true);

    /** What the clock of the present primary shows more than the wall clock. */
    private long clockErrorMicros;

    private BirthMark.Process process = process("former", 1);
    private int term = 1;
    private long unsettledNanos;

    private long clockMicros() {
        return time.epochMicros() + clockErrorMicros;
    }

    private static BirthMark.Process process(String runId, long epoch) {
        return new BirthMark.Process(runId, 0, "-@" + epoch, "-");
    }

    /** A process that looks at the primary. */
    private final class Client implements NodeProbe {

        private final ClockMonitor clocks = new ClockMonitor(1, SETTINGS);
        private final NodeGuard guard;

        /** @param durable whether the operator vouches that acknowledged writes survive a failover */
        private Client(boolean durable) {
            this.guard = new NodeGuard(
                    0, new AcceptedSettings(SETTINGS), GuardedNode.othersSeenBefore(time), durable, clocks, time);
        }

        @Override
        public Sight look() {
            clocks.note(0, term, time.nanoTime(), time.nanoTime(), clockMicros());
            String mark = redis.get(ScriptBridge.markKey(PREFIX));
            NodeFacts facts = new NodeFacts(
                    process,
                    true,
                    false,
                    false,
                    Optional.empty(),
                    clockMicros(),
                    Optional.of(new NodeFacts.Appointment(term, 0, unsettledNanos, NodeFacts.Namer.SENTINELS)));
            return new Sight(facts, mark == null ? "" : mark, redis.get(ScriptBridge.heartbeatKey(PREFIX)) != null);
        }

        @Override
        public Optional<Long> write(MarkChange change) {
            return ScriptBridge.markedAt(redis.eval(ScriptBridge.mark(PREFIX, change)));
        }

        private NodeGuard.Admission.Admitted admitted() {
            return (NodeGuard.Admission.Admitted) guard.admit(this);
        }

        private NodeGuard.Admission.Refused refused() {
            return (NodeGuard.Admission.Refused) guard.admit(this);
        }

        private Reply granted() {
            long now = time.nanoTime();
            Answer answer = new Answer(0, new Reply.Granted(), clockMicros());
            return clocks.weigh(answer, MonitoredClocks.ACQUIRE, term, now, now).reply();
        }
    }

    private void watch(Duration duration) {
        for (long second = 0; second < duration.toSeconds(); second++) {
            time.passMillis(1_000);
            one.admitted();
            other.admitted();
        }
    }

    @BeforeEach
    void formerPrimaryVotes() {
        watch(QUARANTINE.plusSeconds(30));
        assertThat(one.admitted().quarantineMicros()).isZero();
    }

    private void promote(long errorMicros) {
        process = process("promoted", 2);
        term++;
        clockErrorMicros = errorMicros;
        unsettledNanos = TimeUnit.SECONDS.toNanos(5);
    }

    @Test
    void process_thatHasBecomeTheVoter_isNotAskedAndNotMarkedUntilItIsSettled() {
        promote(0);
        String mark = redis.get(ScriptBridge.markKey(PREFIX));
        assertThat(one.refused().settlingNanos()).isEqualTo(unsettledNanos);
        assertThat(redis.get(ScriptBridge.markKey(PREFIX))).isEqualTo(mark);
        unsettledNanos = 0;
        assertThat(one.admitted().quarantineMicros()).isEqualTo(QUARANTINE.toNanos() / 1_000);
    }

    @Test
    void client_thatHasJustLearnedOfIt_reliesOnOneThatHasWaited() {
        promote(0);
        unsettledNanos = 0;
        one.admitted();
        unsettledNanos = TimeUnit.SECONDS.toNanos(5);
        assertThat(other.admitted().quarantineMicros()).isEqualTo(QUARANTINE.toNanos() / 1_000);
    }

    @Test
    void process_thatIsTheVoterOnceMore_isInQuarantineThoughItsMarkIsItsOwn() {
        process = process("former", 3); // in the second epoch it was cut off, and another process was the voter
        term++;
        unsettledNanos = 1;
        assertThat(one.refused().reason()).contains("since a moment ago");
        unsettledNanos = 0;
        assertThat(one.admitted().reason()).contains("it has become the primary");
        assertThat(other.admitted().quarantineMicros()).isEqualTo(QUARANTINE.toNanos() / 1_000);
    }

    @Test
    void process_thatIsRestartedInItsTerm_isInQuarantineAtOnce() {
        process = process("restarted", 1);
        unsettledNanos = 0;
        assertThat(one.admitted().reason()).contains("another Redis process than before answers");
    }

    @Test
    void replica_thatIsNamed_isRefused() {
        promote(0);
        NodeFacts facts = new NodeFacts(
                process,
                false,
                false,
                false,
                Optional.empty(),
                clockMicros(),
                Optional.of(new NodeFacts.Appointment(term, 2, 0, NodeFacts.Namer.SENTINELS)));
        assertThat(Eligibility.refusal(facts, null)).satisfies(refused -> {
            assertThat(refused.reason()).contains("a failover has not ended");
            assertThat(refused.forgets()).isFalse();
        });
    }

    @Test
    void clockOfTheFormerProcess_thatWasAhead_makesNoQuarantineLonger() {
        clockErrorMicros = 0;
        promote(-HOUR_MICROS);
        unsettledNanos = 0;
        assertThat(one.admitted().quarantineMicros()).isEqualTo(QUARANTINE.toNanos() / 1_000);
        other.admitted();
        watch(QUARANTINE.plusSeconds(1));
        assertThat(one.admitted().quarantineMicros()).isZero();
        time.pass(TimeUnit.HOURS.toNanos(1));
        one.admitted();
        assertThat(one.admitted().quarantineMicros())
                .as("when the clock comes to what the former one had shown")
                .isZero();
    }

    @Test
    void clockOfTheFormerProcess_thatWasAhead_showsNothingOfAProcessWithoutAMark() {
        promote(-HOUR_MICROS);
        unsettledNanos = 0;
        redis.set(ScriptBridge.markKey(PREFIX), "");
        assertThat(one.admitted().quarantineMicros()).isEqualTo(QUARANTINE.toNanos() / 1_000);
        assertThat(mark().behindUntilMicros()).as("it was not behind").isZero();
    }

    @Test
    void clockOfTheFormerProcess_thatWasBehind_isNoJump() {
        promote(HOUR_MICROS);
        unsettledNanos = 0;
        one.admitted();
        assertThat(one.clocks.isDoubted(0)).isFalse();
        assertThat(one.clocks.stoodStillNanos()).isZero();
        other.admitted();
        watch(QUARANTINE.plusSeconds(1));
        assertThat(one.admitted().quarantineMicros()).isZero();
    }

    @Test
    void answer_ofAFormerTerm_isNoMeasureOfThePresentClock() {
        promote(HOUR_MICROS);
        unsettledNanos = 0;
        one.admitted();
        long now = time.nanoTime();
        assertThat(one.clocks.note(0, term - 1, now, now, clockMicros() - HOUR_MICROS))
                .as("it counts")
                .isFalse();
        assertThat(one.clocks.note(0, term, now, now, clockMicros())).isTrue();
        assertThat(one.clocks.isDoubted(0)).isFalse();
    }

    /** Whichever mark the node grants by: another client may have set it anew. */
    @Test
    void grant_ofThePromotedProcess_beforeTheEndOfItsQuarantine_isNone() {
        promote(HOUR_MICROS);
        unsettledNanos = 0;
        one.admitted();
        time.passMillis(1_000);
        assertThat(one.granted()).isInstanceOf(Reply.NoAnswer.class);
        time.pass(QUARANTINE.toNanos());
        assertThat(one.granted()).isInstanceOf(Reply.Granted.class);
    }

    private BirthMark mark() {
        return BirthMark.parse(redis.get(ScriptBridge.markKey(PREFIX))).orElseThrow();
    }

    private void promoteOfDurable(long errorMicros) {
        time.passMillis(1_000);
        sure.admitted();
        promote(errorMicros);
        unsettledNanos = 0;
    }

    /** Until no lock lasts that the clock of the process before has ended. */
    private void watchForAQuarantine() {
        for (long second = 0; second <= QUARANTINE.toSeconds(); second++) {
            time.passMillis(1_000);
            sure.admitted();
        }
    }

    /** Locks end by the clock that granted them. The heartbeat is of the second clock, and this is the third. */
    @Test
    void durable_processAfterOneThatWasThereForLessThanALease_isInQuarantine() {
        promoteOfDurable(TimeUnit.SECONDS.toMicros(8));
        assertThat(sure.admitted().quarantineMicros()).isZero();
        process = process("promoted-again", term);
        promoteOfDurable(TimeUnit.SECONDS.toMicros(16));
        assertThat(sure.admitted().quarantineMicros()).isEqualTo(QUARANTINE.toNanos() / 1_000);
    }

    @Test
    void durable_processWithAnotherClock_votesAtOnceAndItsClockIsNotWatchedYet() {
        for (long seconds : new long[] {0, 8, -8, -3_600}) {
            watchForAQuarantine();
            promoteOfDurable(TimeUnit.SECONDS.toMicros(seconds));
            process = process("promoted-by" + seconds, term);
            NodeGuard.Admission.Admitted admitted = sure.admitted();
            assertThat(admitted.quarantineMicros()).as("ahead by %s s", seconds).isZero();
            assertThat(admitted.reason()).isEmpty();
            assertThat(mark().process()).isEqualTo(process);
            assertThat(mark().steadyMicros()).isEqualTo(clockMicros());
            assertThat(mark().looks())
                    .as("those of the other clock are forgotten")
                    .hasSize(1);
            assertThat(sure.admitted().quarantineMicros()).isZero();
            assertThat(new Client(true).admitted().quarantineMicros()).isZero();
        }
    }

    @Test
    void durable_processWhoseClockEndedTheHeartbeat_isInQuarantine() {
        promoteOfDurable(SETTINGS.heartbeat().toNanos() / 1_000 + 1);
        assertThat(sure.admitted().quarantineMicros()).isEqualTo(QUARANTINE.toNanos() / 1_000);
    }

    @Test
    void durable_processThatLacksWhatWasSeen_isInQuarantine() {
        String before = redis.get(ScriptBridge.markKey(PREFIX));
        for (int second = 0; second < 10; second++) {
            time.passMillis(1_000);
            sure.admitted();
        }
        promoteOfDurable(0);
        redis.set(ScriptBridge.markKey(PREFIX), before);
        assertThat(sure.admitted().quarantineMicros()).isEqualTo(QUARANTINE.toNanos() / 1_000);
    }

    @Test
    void durable_quarantineOfTheFormerProcess_isNotShorter() {
        redis.set(ScriptBridge.markKey(PREFIX), "");
        sure.admitted();
        time.passMillis(4_000);
        sure.admitted();
        promoteOfDurable(TimeUnit.SECONDS.toMicros(8));
        assertThat(sure.admitted().quarantineMicros())
                .isGreaterThanOrEqualTo(QUARANTINE.minusSeconds(5).toNanos() / 1_000);
    }
}
