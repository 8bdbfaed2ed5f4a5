// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The clock of a real node goes ahead by less than the quarantine, for a moment or for good. */
@Tag("thorough")
class LingeringLockTest extends NodeWithClock {

    private static final Target SEVERAL = new Target.Exclusive(List.of("x", "y"));
    private static final Target PERMIT = new Target.Permit("x", 0);

    static Stream<Target> targets() {
        return Stream.of(ALONE, SEVERAL, READING, PERMIT);
    }

    /** What is held, what another owner wants, and whether the clock is right again before that is undone. */
    static Stream<Arguments> attempts() {
        return Stream.of(
                        List.of(ALONE, ALONE),
                        List.of(ALONE, SEVERAL),
                        List.of(SEVERAL, SEVERAL),
                        List.of(ALONE, READING),
                        List.of(SEVERAL, READING),
                        List.of(READING, ALONE),
                        List.of(READING, SEVERAL),
                        List.of(PERMIT, PERMIT))
                .flatMap(pair -> Stream.of(true, false).map(late -> Arguments.of(pair.get(0), pair.get(1), late)));
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

    @ParameterizedTest
    @MethodSource("attempts")
    void lockInForce_thatSeemsOver_isNotTakenByAClientThatDoesNotVouch(Target target, Target attempted, boolean late)
            throws Exception {
        Claim held = claim(target, ADA, 7);
        Claim attempt = claim(attempted, CAT, 9);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isInstanceOf(Reply.Ended.class);
        assertThat(ask(renew(attempt))).isInstanceOf(Reply.Ended.class);
        if (late) {
            clock.setRight();
        }
        assertThat(ask(undo(attempt))).isNotInstanceOf(Reply.Refused.class);
        assertThat(ask(AnyToken.undoLost(attempt))).isNotInstanceOf(Reply.Refused.class);
        clock.setRight();

        assertIsStillHeld(held);
    }

    @ParameterizedTest
    @MethodSource("attempts")
    void lock_whoseLeaseHasEnded_isTakenByAClientThatVouches(Target target, Target attempted, boolean late)
            throws Exception {
        assertThat(ask(acquire(claim(target, ADA, 7)))).isEqualTo(GRANTED);
        clock.set(JUMP);

        assertThat(askVouching(acquire(claim(attempted, CAT, 9)))).isEqualTo(GRANTED);
        assertThat(ask(renew(claim(attempted, CAT, 9)))).isEqualTo(GRANTED);
        assertThat(ask(renew(claim(target, ADA, 7)))).isInstanceOf(Reply.Held.class);
    }

    /** The client's request was under way meanwhile. */
    @ParameterizedTest
    @MethodSource("attempts")
    void lock_thatWasRenewedSinceItSeemedOver_isNotTakenByAClientThatVouches(
            Target target, Target attempted, boolean late) throws Exception {
        Claim held = claim(target, ADA, 7);
        Claim attempt = claim(attempted, CAT, 9);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        clock.set(Duration.ofMillis(TTL + 1));
        long at = ((Reply.Ended) ask(acquire(attempt))).atMillis();
        if (!late) {
            clock.setRight();
        }
        assertThat(ask(renew(held))).isEqualTo(GRANTED);

        assertThat(askVouching(acquire(attempt), at)).isInstanceOf(Reply.Held.class);
        assertThat(askVouching(renew(attempt), at)).isInstanceOf(Reply.Held.class);
        assertIsStillHeld(held);
    }

    /** Each name has a lease of its own, and the later end counts. */
    @Test
    void severalNames_whoseLeasesEndedOneAfterAnother_areTakenAtTheLaterEndOnly() throws Exception {
        assertThat(ask(acquire(claim(ALONE, ADA, 7, TTL / 2)))).isEqualTo(GRANTED);
        assertThat(ask(acquire(claim(new Target.Exclusive("y"), DAN, 8)))).isEqualTo(GRANTED);
        clock.set(Duration.ofMillis(TTL / 2 + 10));
        long first = ((Reply.Ended) ask(acquire(claim(ALONE, CAT, 9)))).atMillis();
        clock.set(JUMP);

        Claim both = claim(SEVERAL, CAT, 9);
        assertThat(askVouching(acquire(both), first)).isInstanceOf(Reply.Ended.class);
        assertThat(askVouching(acquire(both))).isEqualTo(GRANTED);
    }

    /** Active expiry comes across some keys and not others, perhaps the heartbeat not. */
    @ParameterizedTest
    @MethodSource("attempts")
    void lockInForce_whoseKeyIsDeleted_isNotTakenByAnother(Target target, Target attempted, boolean expires)
            throws Exception {
        Claim held = claim(target, ADA, 7);
        Claim attempt = claim(attempted, CAT, 9);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        deleteLock(target);

        assertThat(askVouching(acquire(attempt))).isInstanceOf(Reply.Held.class);
        assertThat(ask(AnyToken.undoLost(attempt))).isNotInstanceOf(Reply.Refused.class);
        assertThat(askVouching(acquire(claim(attempted, DAN, 11)))).isInstanceOf(Reply.Held.class);
        if (expires) {
            clock.set(Duration.ofMillis(TTL + 1));
            assertThat(askVouching(acquire(claim(attempted, BOB, 12)))).isEqualTo(GRANTED);
        } else {
            assertThat(ask(renew(held))).isEqualTo(GRANTED);
            assertIsStillHeld(held);
        }
    }

    @ParameterizedTest
    @MethodSource("attempts")
    void lock_whoseKeyIsDeletedBeforeItsRelease_isFreeAfterIt(Target target, Target attempted, boolean late)
            throws Exception {
        Claim held = claim(target, ADA, 7);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        if (late) {
            ask(AnyToken.undoLost(claim(attempted, CAT, 9)));
        }
        if (target instanceof Target.Shared) {
            return; // its fence cannot tell which readers are left: it is free when the reading would have ended
        }
        deleteLock(target);
        assertThat(ask(end(held))).isNotInstanceOf(Reply.Refused.class);

        assertThat(ask(acquire(claim(attempted, BOB, 19)))).isEqualTo(GRANTED);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void lock_ofAnAttemptThatIsUndone_isFreeAtOnce(Target target) {
        Claim attempt = claim(target, CAT, 9);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
        assertThat(ask(undo(attempt))).isInstanceOf(Reply.Released.class);

        assertThat(ask(acquire(claim(target, BOB, 19)))).isEqualTo(GRANTED);
    }

    /** No lease lasts so long by the clock as it is now. */
    @ParameterizedTest
    @MethodSource("targets")
    void lockOfADeadAttempt_fromWhenTheClockWasAhead_keepsOthersOutForNoLongerThanALease(Target target)
            throws Exception {
        clock.set(JUMP);
        assertThat(ask(acquire(claim(target, ADA, 7)))).isEqualTo(GRANTED);
        clock.setRight();

        Claim other = claim(target instanceof Target.Shared ? ALONE : target, BOB, 19);
        assertThat(ask(acquire(other))).isInstanceOf(Reply.Ended.class);
        assertThat(askVouching(acquire(other))).isInstanceOf(Reply.Held.class);
        clock.set(Duration.ofMillis(QUARANTINE_MILLIS + 6_000));
        assertThat(askVouching(acquire(other))).isEqualTo(GRANTED);
    }

    @Test
    void value_thatNoScriptHasWritten_isKeptForNoLongerThanALease() throws Exception {
        node.command("SET test:{x}:lock another PX 3600000");

        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Ended.class);
        assertThat(lastsFor("test:{x}:lock")).isGreaterThan(3_500_000);
        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isEqualTo(new Reply.Held(QUARANTINE_MILLIS + 5_000));
        assertThat(lastsFor("test:{x}:lock")).isBetween(60_000L, QUARANTINE_MILLIS + 5_001);
        assertThat(node.command("GET test:{x}:lock")).contains("another");
    }

    /** It may have been under way while the clock was set back. */
    @Test
    void lock_thatLastsTooLong_isNotCutByAClientThatVouchesForAnotherMoment() throws Exception {
        node.command("SET test:{x}:lock another PX 3600000");
        long moment = ((Reply.Ended) ask(acquire(claim(ALONE, BOB, 19)))).atMillis();

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)), moment + 60_000)).isInstanceOf(Reply.Ended.class);
        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)), moment - 6_000)).isInstanceOf(Reply.Ended.class);
        assertThat(lastsFor("test:{x}:lock")).isGreaterThan(3_500_000);
    }

    /** The operator means the holder, not the attempt. */
    @Test
    void lease_thatIsReleasedByForceUnderALaterAttempt_isNotHealed() throws Exception {
        Claim attempt = claim(ALONE, CAT, 20);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);

        assertThat(ask(force(15))).isInstanceOf(Reply.Seen.class);
        assertThat(ask(undo(attempt))).isInstanceOf(Reply.Released.class);

        assertThat(ask(renew(claim(ALONE, ADA, 7)))).isInstanceOf(Reply.TokenTooSmall.class);
    }

    @Test
    void lockInForce_whoseKeyIsDeleted_isFreeAfterAForcedRelease() throws Exception {
        assertThat(ask(acquire(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);
        deleteLock(ALONE);

        assertThat(ask(force(15))).isInstanceOf(Reply.Seen.class);

        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isEqualTo(GRANTED);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void lock_onAFullNode_isRenewedAndReleased(Target target) throws Exception {
        Claim held = claim(target, ADA, 7);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        node.command("CONFIG SET maxmemory 1");
        assertThat(ask(renew(held))).isEqualTo(GRANTED);
        assertThat(ask(end(held))).isInstanceOf(Reply.Released.class);
        node.command("CONFIG SET maxmemory 0");

        assertThat(ask(renew(held))).isInstanceOf(Reply.TokenTooSmall.class);
        assertThat(ask(acquire(claim(target instanceof Target.Shared ? ALONE : target, BOB, 19))))
                .isEqualTo(GRANTED);
    }

    private void deleteLock(Target target) throws Exception {
        for (String name : target.names()) {
            node.command("DEL test:{" + name + "}:" + (target instanceof Target.Permit ? "permit-0:" : "") + "lock");
        }
    }
}
