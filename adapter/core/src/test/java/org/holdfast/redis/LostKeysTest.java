// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Duration;
import java.util.stream.Stream;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys of a real node that are lost while its clock is right, and fences and permits while it is wrong. */
class LostKeysTest extends NodeWithClock {

    private static final Duration LONG_BACK = Duration.ofMinutes(-10);

    /** The key of the lock ends with the other reader's lease, which then seems to be the only one. */
    @Test
    void readerInForce_whoseEntryIsDeletedAndWhomALongerReaderJoinsAndLeaves_keepsWritersOut() throws Exception {
        Claim other = claim(READING, DAN, 8, 60_000);
        assertThat(ask(acquire(claim(READING, ADA, 7)))).isEqualTo(GRANTED);

        node.command("DEL test:{x}:readers");
        assertThat(ask(acquire(other))).isEqualTo(GRANTED);
        ask(end(other));

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    /** The renewal of one reader replaces the moment in the fence by its own end. */
    @Test
    void readerInForce_whoseLocksKeyIsLostBeforeAShorterReaderIsRenewedAndLeaves_keepsWritersOut() throws Exception {
        Claim other = claim(READING, DAN, 8, 1_000);
        assertThat(ask(acquire(claim(READING, ADA, 7)))).isEqualTo(GRANTED);
        assertThat(ask(acquire(other))).isEqualTo(GRANTED);

        node.command("DEL test:{x}:lock");
        assertThat(ask(renew(other))).isEqualTo(GRANTED);
        ask(end(other));

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    /** The same, without any release: the shorter reader's lease ends. */
    @Test
    void readerInForce_whoseLocksKeyIsLostBeforeAShorterReaderIsRenewed_keepsWritersOut() throws Exception {
        Claim other = claim(READING, DAN, 8, 100);
        assertThat(ask(acquire(claim(READING, ADA, 7)))).isEqualTo(GRANTED);
        assertThat(ask(acquire(other))).isEqualTo(GRANTED);

        node.command("DEL test:{x}:lock");
        assertThat(ask(renew(other))).isEqualTo(GRANTED);
        clock.set(Duration.ofMillis(200)); // as time passes

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    static Stream<Arguments> lostWhileReadersJoin() {
        Claim joining = claim(READING, DAN, 9);
        return Stream.of(
                arguments("readers", acquire(joining)),
                arguments("readers", renew(joining)),
                arguments("lock", renew(joining)));
    }

    /** Active expiry has deleted one key, and the clock comes back in steps: the lease seems over at one of them. */
    @ParameterizedTest
    @MethodSource("lostWhileReadersJoin")
    void readerInForce_whoseKeyIsLostBeforeAnotherComesWhileTheClockIsAhead_keepsWritersOut(
            String lost, Command joining) throws Exception {
        Claim held = claim(READING, ADA, 7);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        node.command("DEL test:{x}:" + lost);

        clock.set(JUMP);
        assertThat(ask(joining)).isEqualTo(GRANTED);
        clock.setRight();
        ask(end(claim(READING, DAN, 9)));

        assertIsStillHeld(held);
    }

    /** The other reader was granted the lock by other nodes only, or its entry is lost as well. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readerInForce_whoseEntryIsDeletedBeforeAnotherGoesWhileTheClockIsAhead_keepsWritersOut(boolean wasGranted)
            throws Exception {
        Claim held = claim(READING, ADA, 7);
        Claim other = claim(READING, DAN, 9);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        if (wasGranted) {
            assertThat(ask(acquire(other))).isEqualTo(GRANTED);
        }
        node.command("DEL test:{x}:readers");

        clock.set(JUMP);
        assertThat(ask(wasGranted ? end(other) : undo(other))).isEqualTo(new Reply.Gone());
        clock.setRight();

        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    /** No lease gets shorter by a renewal, nor where that has to heal the node. */
    @Test
    void lockInForce_whoseKeyIsLostBeforeItIsRenewedForLess_isNotGrantedToAnotherBeforeItsEnd() throws Exception {
        assertThat(ask(acquire(claim(ALONE, ADA, 7, 2 * TTL)))).isEqualTo(GRANTED);
        node.command("DEL test:{x}:lock");
        assertThat(ask(renew(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);

        clock.set(Duration.ofMillis(TTL + 5_000)); // as time passes

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    /** Two clients whose clocks are behind continue from the same token: both draw the next one. */
    @Test
    void lockInForce_whoseKeyIsLost_isNotFreedByAnAttemptWithTheSameTokenThatIsUndone() throws Exception {
        assertThat(ask(acquire(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);
        Claim attempt = claim(ALONE, DAN, 7);
        node.command("DEL test:{x}:lock");

        assertThat(ask(acquire(attempt))).isInstanceOf(Reply.Held.class);
        ask(AnyToken.undoLost(attempt));

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    /** Another reader stays, so the entry of the released one is what refuses its late commands. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lateRenewal_ofAReaderThatWasReleasedWhileTheClockWasFarBehind_isRefused(boolean sentAgain) throws Exception {
        Claim other = claim(READING, ADA, 7);
        Claim released = claim(READING, DAN, 9);
        assertThat(ask(acquire(other))).isEqualTo(GRANTED);
        assertThat(ask(acquire(released))).isEqualTo(GRANTED);
        if (sentAgain) {
            ask(end(released));
        }

        clock.set(LONG_BACK);
        ask(end(released));
        clock.setRight();

        assertThat(ask(renew(other))).isEqualTo(GRANTED);
        assertThat(ask(renew(released))).isInstanceOf(Reply.TokenTooSmall.class);
    }

    /** The entry that refuses what is still under way is written to a set that has no time to live. */
    @Test
    void tombstone_ofAReaderWhoseEntryIsDeleted_expires() throws Exception {
        Claim held = claim(READING, ADA, 7);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        assertThat(ask(acquire(claim(READING, DAN, 9)))).isEqualTo(GRANTED);
        assertThat(ask(renew(claim(READING, DAN, 9)))).isEqualTo(GRANTED);

        node.command("DEL test:{x}:readers");
        ask(end(held));

        assertThat(lastsFor("test:{x}:readers")).isNotEqualTo(-1); // -2: there is none
    }

    /** The fence ends by the clock that is behind: it is gone when that clock is right again. */
    @Test
    void fence_ofALeaseThatIsRenewedWhileTheClockIsFarBehind_stays() throws Exception {
        Claim held = claim(ALONE, ADA, 7);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        clock.set(LONG_BACK);
        ask(renew(held));
        clock.setRight();

        assertThat(node.command("EXISTS test:{x}:fence")).contains("1");
    }

    @Test
    void tokens_afterALeaseThatWasRenewedWhileTheClockWasFarBehind_doNotFall() throws Exception {
        Claim held = claim(ALONE, ADA, 7, 100);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        clock.set(LONG_BACK);
        ask(renew(held));
        clock.set(Duration.ofMillis(200)); // right again, and the lease is over

        assertThat(askVouching(acquire(claim(ALONE, BOB, 5)))).isInstanceOf(Reply.TokenTooSmall.class);
    }

    /** The tombstone goes with the fence. The releasing client sees no clock in the answer. */
    @Test
    void lateRequest_ofALeaseThatWasReleasedWhileTheClockWasFarBehind_isRefused() throws Exception {
        Claim held = claim(ALONE, ADA, 7);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        clock.set(LONG_BACK);
        ask(end(held));
        clock.setRight();

        assertThat(ask(acquire(held))).isInstanceOf(Reply.TokenTooSmall.class);
    }

    /** No client asks for a permit that seems to be taken for longer than any lease lasts: so none has it cut. */
    @Test
    void permit_whoseDeadHolderTookItWhileTheClockWasFarAhead_isFoundAfterAQuarantine() throws Exception {
        Target permit = new Target.Permit("x", 0);
        clock.set(Duration.ofHours(1));
        assertThat(ask(acquire(claim(permit, ADA, 7)))).isEqualTo(GRANTED);
        clock.setRight();
        ask(new Command.FindPermit("x", 1, 0));

        clock.set(Duration.ofSeconds(90)); // as time passes: more than a quarantine and a TTL
        Reply found = ask(new Command.FindPermit("x", 1, 0));
        assertThat(found).as("a caller waits for so long before it asks").isEqualTo(new Reply.Free(0));
    }
}
