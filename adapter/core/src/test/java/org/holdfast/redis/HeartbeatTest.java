// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.holdfast.protocol.guard.AcceptedSettings;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.guard.MarkChange;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.script.ScriptBridge;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisDataException;

/** A clock that jumps ahead and comes back deletes no lock in force but with the heartbeat of the last look. */
class HeartbeatTest extends NodeWithClock {

    private static final long LONGEST_TTL = OneNode.AGREEMENTS.widest().maxLeaseTtlMillis();

    private static final String HEARTBEAT = "test:heartbeat";
    private static final String LOCK = "test:{x}:lock";

    /**
     * A process may take a lease shortly before its next look, and die: no look is noted while that lease is in force.
     */
    @ParameterizedTest
    @ValueSource(longs = {0, 1_400, 3_400})
    void lease_takenSomeTimeAfterTheLastLook_isNotForgottenByAJump(long sinceLook) throws Exception {
        Duration rest = Duration.ofSeconds(2);
        clock.set(Duration.ofMillis(sinceLook));
        assertThat(ask(acquire(claim(ALONE, ADA, 7, LONGEST_TTL)))).isEqualTo(GRANTED);
        Duration late = Duration.ofMillis(sinceLook + LONGEST_TTL).minus(rest);

        clock.set(late.plusHours(1));
        Claim attempt = claim(ALONE, CAT, 9);
        ask(acquire(attempt));
        ask(undo(attempt)); // its client sees the jump
        clock.set(late);
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isNotEqualTo(GRANTED);
    }

    /** What such a jump deletes goes by the first command that reads it, whichever that is; and the fence with it. */
    @ParameterizedTest
    @MethodSource
    void lease_whoseKeysGoByACommandOfAnother_isNotForgotten(Command ofAnother) throws Exception {
        assertThat(ask(acquire(claim(ALONE, ADA, 7, LONGEST_TTL)))).isEqualTo(GRANTED);

        clock.set(Duration.ofHours(1));
        ask(ofAnother);
        clock.setRight();

        assertThat(lastsFor(LOCK)).as("the lock is gone").isNegative();
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isNotEqualTo(GRANTED);
    }

    static Stream<Command> lease_whoseKeysGoByACommandOfAnother_isNotForgotten() {
        Claim other = claim(ALONE, CAT, 9);
        Claim reading = claim(READING, CAT, 9);
        return Stream.of(end(other), undo(other), force(9), end(reading), undo(reading));
    }

    /** A look does not show by itself that the clock is ahead, where it is so by less than half a second. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void heartbeat_ofALookByAClockThatWasAhead_endsBeforeEachLockInForce(boolean reads) throws Exception {
        Duration right =
                Duration.ofSeconds(3); // a process that has just started notes a look when the last one is older
        clock.set(right.plusMillis(490));
        try (NodeChannel other = OneNode.open(node, true)) {
            other.prepare();
        }
        clock.set(right);
        Target target = reads ? READING : ALONE;
        assertThat(ask(acquire(claim(target, ADA, 7, 1)))).isEqualTo(GRANTED);
        assertThat(lastsFor(HEARTBEAT)).isPositive();
        assertThat(outlivesBy(LOCK, HEARTBEAT)).isPositive();
    }

    /**
     * A look is two requests: the clock may go ahead and come back between them, or be right again before the second.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void look_duringWhichTheClockWasAhead_hidesNothing(boolean begunBefore) throws Exception {
        assertThat(ask(acquire(claim(ALONE, ADA, 7, LONGEST_TTL)))).isEqualTo(GRANTED);
        Duration ahead = Duration.ofHours(1);
        String seen = begunBefore ? mark() : null;
        clock.set(ahead);
        assertThat(lastsFor(HEARTBEAT)).isNegative();
        assertThat(lastsFor(LOCK)).isNegative();
        seen = begunBefore ? seen : mark();
        clock.setRight();

        assertThat(note(seen)).as("the look is repeated").isEmpty();
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isNotEqualTo(GRANTED);
    }

    /** A look while the clock is behind begins a quarantine that would be over too early when the clock is right. */
    @ParameterizedTest
    @ValueSource(longs = {40, 120})
    void quarantine_begunWhileTheClockIsBehind_beginsAnewWhenItIsRight(long secondsBehind) throws Exception {
        clock.set(Duration.ofSeconds(-secondsBehind));
        look();
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Quarantined.class);
        clock.setRight();
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isEqualTo(new Reply.Forgotten());

        look();

        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isInstanceOfSatisfying(Reply.Quarantined.class, quarantine -> {
            assertThat(quarantine.remainingMillis()).isGreaterThan(QUARANTINE_MILLIS - 5_000);
        });
    }

    /** Its user may set times to live, and may not write: nothing would show then that the clock was ahead. */
    @Test
    void look_thatIsRefused_makesTheHeartbeatLastNoLonger() throws Exception {
        clock.set(JUMP);
        long before = lastsFor(HEARTBEAT);
        node.command("ACL SETUSER default -set");
        assertThatExceptionOfType(JedisDataException.class).isThrownBy(() -> note(mark()));
        node.command("ACL SETUSER default +set");
        assertThat(lastsFor(HEARTBEAT)).isBetween(1L, before);
    }

    /** Another program writes there. Else each look and each script would be refused, and nothing would end that. */
    @ParameterizedTest
    @ValueSource(strings = {HEARTBEAT, "test:birth"})
    void keyOfAnotherType_isReplacedByALook(String key) throws Exception {
        clock.set(Duration.ofMinutes(3)); // a heartbeat has ended by itself by then
        node.command("DEL " + key);
        node.command("RPUSH " + key + " other");

        look();

        assertThat(node.command("TYPE " + key)).contains("string");
    }

    private Optional<Long> note(String seenMark) {
        AcceptedSettings settings = OneNode.AGREEMENTS;
        long heartbeatMillis = settings.heartbeat().toMillis();
        BirthMark mark = BirthMark.parse(seenMark).orElseThrow();
        return ScriptBridge.markedAt(eval(ScriptBridge.mark(
                "test",
                new MarkChange(
                        seenMark,
                        mark.sinceMicros(),
                        mark.behindUntilMicros(),
                        mark.steadyMicros(),
                        mark.process(),
                        0,
                        mark.begunMicros(),
                        settings,
                        heartbeatMillis,
                        TimeUnit.MILLISECONDS.toMicros(heartbeatMillis - 520),
                        nodeMicros(),
                        ""))));
    }

    /** Where no process has looked for so long that no lease can be in force, nothing was forgotten. */
    @Test
    void heartbeat_thatEndsByItself_takesNoVote() throws Exception {
        clock.set(Duration.ofMillis(LONGEST_TTL + 30_000));
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isEqualTo(GRANTED);
    }

    /** And where one may be, the node forgets on the safe side. */
    @Test
    void heartbeat_thatIsDeletedWhileALeaseMayBeInForce_takesTheVote() throws Exception {
        clock.set(Duration.ofMillis(LONGEST_TTL + 1_000));
        node.command("DEL " + HEARTBEAT);
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Forgotten.class);
    }
}
