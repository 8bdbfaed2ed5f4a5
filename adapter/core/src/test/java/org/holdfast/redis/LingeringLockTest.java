// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The clock of a real node goes ahead by less than the quarantine, and comes back before a client looks. */
class LingeringLockTest extends NodeWithClock {

    static Stream<Target> targets() {
        return Stream.of(
                new Target.Exclusive("x"),
                new Target.Exclusive(List.of("x", "y")),
                new Target.Shared("x"),
                new Target.Permit("x", 0));
    }

    /** The node may have received it, and its client not the reply. */
    @ParameterizedTest
    @MethodSource("targets")
    void attempt_thatIsSentAgainWhenTheClockIsRight_isRefused(Target target) throws Exception {
        Claim held = claim(target, ADA, 7);
        Claim attempt = claim(target instanceof Target.Shared ? ALONE : target, CAT, 9);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
        clock.setRight();

        assertThat(ask(acquire(attempt))).isInstanceOf(Reply.Held.class);
        assertThat(ask(AnyToken.undoLost(attempt))).isInstanceOf(Reply.Released.class);
        assertIsStillHeld(held);
    }

    /** What stands again when the second is undone is not the token of the first. */
    @Test
    void holder_onAnotherNode_isHealedAfterTwoAttemptsThatAreUndoneInTheirOrder() throws Exception {
        Claim first = claim(ALONE, CAT, 20);
        Claim second = claim(ALONE, DAN, 25);
        assertThat(ask(acquire(first))).isEqualTo(GRANTED);
        clock.set(Duration.ofMillis(TTL + 1_000));
        assertThat(ask(acquire(second))).isEqualTo(GRANTED);
        assertThat(ask(AnyToken.undoLost(first))).isInstanceOf(Reply.Held.class);
        assertThat(ask(AnyToken.undoLost(second))).isInstanceOf(Reply.Released.class);

        assertThat(ask(renew(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void lockInForce_whileTheClockGoesAheadAndComesBack_isNotTakenByAnother(Target target) throws Exception {
        Claim held = claim(target, ADA, 7);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        clock.set(JUMP); // the lease lasts for 30 s
        Thread.sleep(500); // a real process: it deletes what has expired ten times a second
        clock.setRight();

        assertIsStillHeld(held);
    }

    /** What is held, what an attempt then wants, and whether the clock is back before the attempt is undone. */
    static Stream<Arguments> attempts() {
        Target several = new Target.Exclusive(List.of("x", "y"));
        Target permit = new Target.Permit("x", 0);
        return Stream.of(
                        List.of(ALONE, ALONE),
                        List.of(ALONE, several),
                        List.of(several, several),
                        List.of(ALONE, READING),
                        List.of(READING, ALONE),
                        List.of(READING, READING),
                        List.of(permit, permit))
                .flatMap(pair -> Stream.of(true, false).map(late -> Arguments.of(pair.get(0), pair.get(1), late)));
    }

    /** An attempt is granted what seems over. Its client may have died: no quarantine has to follow. */
    @ParameterizedTest
    @MethodSource("attempts")
    void lockInForce_underAnAttemptThatIsUndone_isNotTakenByAnother(Target target, Target attempted, boolean late)
            throws Exception {
        Claim held = claim(target, ADA, 7);
        Claim attempt = claim(attempted, CAT, 9);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED); // its first answer may be lost
        if (late) {
            clock.setRight();
        }
        assertThat(ask(undo(attempt))).isInstanceOf(Reply.Released.class);
        clock.setRight();

        assertIsStillHeld(held);
    }

    /** The second attempt takes over what the first one has put back. */
    @ParameterizedTest
    @MethodSource("attempts")
    void lockInForce_underTwoAttemptsThatAreUndone_isNotTakenByAnother(Target target, Target attempted, boolean late)
            throws Exception {
        Claim held = claim(target, ADA, 7);
        Claim first = claim(attempted, CAT, 9);
        Claim second = claim(target, DAN, 11);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(first))).isEqualTo(GRANTED);
        assertThat(ask(undo(first))).isInstanceOf(Reply.Released.class);
        assertThat(ask(acquire(second))).isEqualTo(GRANTED);
        if (late) {
            clock.setRight();
        }
        assertThat(ask(AnyToken.undoLost(second))).isInstanceOf(Reply.Released.class);
        clock.setRight();

        assertIsStillHeld(held);
    }

    /** What was released meanwhile must not stand again. */
    @ParameterizedTest
    @MethodSource("attempts")
    void lock_thatIsReleasedUnderAnAttemptThatIsUndone_isFree(Target target, Target attempted, boolean late)
            throws Exception {
        Claim held = claim(target, ADA, 7);
        Claim attempt = claim(attempted, CAT, 9);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
        assertThat(ask(end(held))).isNotInstanceOf(Reply.Refused.class);
        if (late) {
            clock.setRight();
        }
        assertThat(ask(undo(attempt))).isInstanceOf(Reply.Released.class);
        clock.setRight();

        assertThat(ask(renew(held))).isInstanceOf(Reply.TokenTooSmall.class);
        assertThat(ask(acquire(claim(target instanceof Target.Shared ? ALONE : target, BOB, 19))))
                .isEqualTo(GRANTED);
    }

    /** What stands again after an undone attempt does not take what came before it along for ever. */
    @Test
    void locks_thatEachTakeOverWhatLingers_doNotGrow() throws Exception {
        long longest = 0;
        for (int i = 0; i < 60; i++) {
            Claim shorter = claim(ALONE, i % 2 == 0 ? ADA : BOB, 7 + i, TTL / 60);
            assertThat(ask(acquire(shorter))).isEqualTo(GRANTED);
            longest = Math.max(longest, node.command("GET test:{x}:lock").length());
            clock.set(JUMP.dividedBy(60).multipliedBy(i + 1));
        }
        assertThat(longest).isLessThan(2_500);
    }

    /** The heartbeat seems expired as well then: the undoing has to look at it. */
    @ParameterizedTest
    @MethodSource("attempts")
    void lockInForce_whoseKeySeemsExpiredWhenAnAttemptIsUndone_isNotTakenByAnother(
            Target target, Target attempted, boolean lost) throws Exception {
        Claim held = claim(target, ADA, 7);
        Claim attempt = claim(attempted, CAT, 9, 2 * TTL);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
        clock.set(JUMP.plusSeconds(60));
        assertThat(ask(lost ? AnyToken.undoLost(attempt) : undo(attempt))).isNotInstanceOf(Reply.Refused.class);
        clock.setRight();

        assertThat(ask(acquire(claim(target instanceof Target.Shared ? ALONE : target, BOB, 19))))
                .isNotEqualTo(GRANTED);
    }

    /** So many that what the first of them took over is not kept. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lockInForce_underManyAttemptsThatAreUndone_isNotTakenByAnother(boolean lastFirst) throws Exception {
        assertThat(ask(acquire(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);
        List<Claim> attempts = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            clock.set(JUMP.plusMillis(200L * i));
            Owner owner = new Owner(String.format("%040x", i) + ' ' + "d".repeat(120));
            Claim attempt = claim(ALONE, owner, 9 + i, 100);
            assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
            attempts.add(lastFirst ? 0 : i, attempt);
        }
        clock.setRight();
        attempts.forEach(attempt -> ask(AnyToken.undoLost(attempt)));

        assertThat(ask(acquire(claim(ALONE, BOB, 99)))).isInstanceOf(Reply.Held.class);
    }

    /** The operator means the holder, not the attempt. */
    @Test
    void lock_thatIsReleasedByForceUnderALaterAttempt_doesNotStandAgain() throws Exception {
        Claim held = claim(ALONE, ADA, 7);
        Claim attempt = claim(ALONE, CAT, 20);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
        clock.setRight();
        assertThat(ask(force(15))).isInstanceOf(Reply.Seen.class);
        assertThat(ask(undo(attempt))).isInstanceOf(Reply.Released.class);

        assertThat(ask(renew(held))).isInstanceOf(Reply.TokenTooSmall.class);
        assertThat(ask(acquire(claim(ALONE, BOB, 29)))).isEqualTo(GRANTED);
    }

    @ParameterizedTest
    @MethodSource("attempts")
    void lock_thatIsReleasedUnderAnAttemptOnAFullNode_isFree(Target target, Target attempted, boolean late)
            throws Exception {
        Claim held = claim(target, ADA, 7);
        Claim attempt = claim(attempted, CAT, 9);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
        if (late) {
            clock.setRight();
        }

        node.command("CONFIG SET maxmemory 1");
        assertThat(ask(end(held))).isNotInstanceOf(Reply.Refused.class);
        assertThat(ask(undo(attempt))).isInstanceOf(Reply.Released.class);
        node.command("CONFIG SET maxmemory 0");
        clock.setRight();

        assertThat(ask(renew(held))).isInstanceOf(Reply.TokenTooSmall.class);
        assertThat(ask(acquire(claim(target instanceof Target.Shared ? ALONE : target, BOB, 19))))
                .isEqualTo(GRANTED);
    }

    /** The node may have forgotten the lease: the operator's token has to stay when the attempt is undone. */
    @Test
    void lease_thatIsReleasedByForceUnderALaterAttempt_isNotHealed() throws Exception {
        Claim attempt = claim(ALONE, CAT, 20);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);

        assertThat(ask(force(15))).isInstanceOf(Reply.Seen.class);
        assertThat(ask(undo(attempt))).isInstanceOf(Reply.Released.class);

        assertThat(ask(renew(claim(ALONE, ADA, 7)))).isInstanceOf(Reply.TokenTooSmall.class);
    }

    /** The operator's token needs memory where the attempt's lock stays. */
    @Test
    void lock_thatIsReleasedByForceUnderALaterAttemptOnAFullNode_doesNotStandAgain() throws Exception {
        Claim held = claim(ALONE, ADA, 7);
        Claim attempt = claim(ALONE, CAT, 20);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
        clock.setRight();

        node.command("CONFIG SET maxmemory 1");
        assertThat(ask(force(15))).isInstanceOf(Reply.Seen.class);
        node.command("CONFIG SET maxmemory 0");
        assertThat(ask(undo(attempt))).isInstanceOf(Reply.Released.class);

        assertThat(ask(renew(held))).isInstanceOf(Reply.TokenTooSmall.class);
    }
}
