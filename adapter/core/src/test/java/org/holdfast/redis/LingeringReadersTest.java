// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Readers of a real node whose clock goes ahead by less than the quarantine, and comes back before a client looks. */
class LingeringReadersTest extends NodeWithClock {

    /** Its end is later than that of the other reader. */
    @Test
    void readLeaseInForce_whenAnotherReaderReleasesWhileTheClockIsAhead_keepsWritersOut() throws Exception {
        Claim held = claim(READING, ADA, 7);
        Claim longer = claim(READING, CAT, 8, 2 * TTL);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        assertThat(ask(acquire(longer))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(end(longer))).isInstanceOf(Reply.Released.class);
        clock.setRight();

        assertIsStillHeld(held);
    }

    @Test
    void readLeaseInForce_whenAnotherReaderComesAndGoesWhileTheClockIsAhead_keepsWritersOut() throws Exception {
        Claim held = claim(READING, ADA, 7);
        Claim longer = claim(READING, CAT, 8, 2 * TTL);
        Claim attempt = claim(READING, DAN, 9);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        assertThat(ask(acquire(longer))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
        assertThat(ask(undo(attempt))).isInstanceOf(Reply.Released.class);
        clock.setRight();
        assertThat(ask(end(longer))).isInstanceOf(Reply.Released.class);

        assertIsStillHeld(held);
    }

    /** What lingers keeps no caller out. */
    @Test
    void readLease_thatIsOverWhenAnotherReaderReleases_keepsNoWriterOut() throws Exception {
        Claim over = claim(READING, ADA, 7);
        Claim longer = claim(READING, CAT, 8, 2 * TTL);
        Claim writer = claim(ALONE, BOB, 19);
        assertThat(ask(acquire(over))).isEqualTo(GRANTED);
        assertThat(ask(acquire(longer))).isEqualTo(GRANTED);
        clock.set(JUMP);

        assertThat(ask(end(longer))).isInstanceOf(Reply.Released.class);
        assertThat(askVouching(acquire(writer))).isEqualTo(GRANTED);
        assertThat(ask(renew(writer))).isEqualTo(GRANTED);
        assertThat(ask(end(writer))).isEqualTo(new Reply.Released(0));
        assertThat(node.command("EXISTS test:{x}:lock")).contains(":0");
    }

    @Test
    void readLeaseInForce_whoseEntrySeemsExpiredWhenAnotherReaderReleases_keepsWritersOut() throws Exception {
        Claim longer = claim(READING, CAT, 8, 2 * TTL);
        assertThat(ask(acquire(claim(READING, ADA, 7)))).isEqualTo(GRANTED);
        assertThat(ask(acquire(longer))).isEqualTo(GRANTED);

        clock.set(JUMP.plusSeconds(60));
        assertThat(ask(end(longer))).isNotInstanceOf(Reply.Refused.class);
        clock.setRight();

        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isNotEqualTo(GRANTED);
    }

    /** Its tombstone lingers too. */
    @Test
    void readLease_thatWasReleasedBeforeTheClockWentAhead_isRefused() throws Exception {
        Claim released = claim(READING, ADA, 7);
        Claim other = claim(READING, CAT, 8, 2 * TTL);
        assertThat(ask(acquire(released))).isEqualTo(GRANTED);
        assertThat(ask(acquire(other))).isEqualTo(GRANTED);
        assertThat(ask(end(released))).isInstanceOf(Reply.Released.class);

        clock.set(JUMP);
        assertThat(ask(renew(other))).isEqualTo(GRANTED);
        clock.setRight();

        assertThat(ask(renew(released))).isInstanceOf(Reply.TokenTooSmall.class);
        assertThat(ask(acquire(released))).isInstanceOf(Reply.TokenTooSmall.class);
    }

    /** The description of an owner is any text, such as the name of a thread. */
    @Test
    void lock_whoseOwnersDescriptionLooksLikeAReading_isFreeAfterItsRelease() throws Exception {
        Claim held = claim(ALONE, new Owner(ADA.value() + " 1 2 3 readers 4 5"), 7);
        Claim attempt = claim(READING, DAN, 9);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isInstanceOf(Reply.Ended.class);
        ask(end(held));
        ask(undo(attempt));
        clock.setRight();

        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isEqualTo(GRANTED);
    }

    static Stream<Boolean> renewed() {
        return Stream.of(true, false);
    }

    /** A reader joins what seems over, since it may be in force. */
    @ParameterizedTest
    @MethodSource("renewed")
    void readLeaseInForce_thatAnotherReaderJoinsWhileTheClockIsAhead_keepsWritersOut(boolean renewed) {
        Claim held = claim(READING, ADA, 7);
        Claim joining = claim(READING, DAN, 9);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(joining))).isEqualTo(GRANTED);
        if (renewed) {
            assertThat(ask(renew(joining))).isEqualTo(GRANTED);
        }
        assertThat(ask(acquire(claim(ALONE, CAT, 11)))).isInstanceOf(Reply.Held.class);
        assertThat(ask(end(joining))).isInstanceOf(Reply.Released.class);
        assertThat(ask(acquire(claim(ALONE, CAT, 11)))).isInstanceOf(Reply.Ended.class);
        clock.setRight();

        assertIsStillHeld(held);
    }

    /** The entry of a released reader is what refuses its late commands while other readers stay. */
    @Test
    void readLease_thatIsReleasedWhileAWriterAsksInVain_isRefused() {
        Claim released = claim(READING, ADA, 7);
        assertThat(ask(acquire(released))).isEqualTo(GRANTED);
        assertThat(ask(acquire(claim(READING, BOB, 8)))).isEqualTo(GRANTED);
        assertThat(ask(end(released))).isInstanceOf(Reply.Released.class);

        clock.set(JUMP);
        assertThat(ask(acquire(claim(ALONE, CAT, 11)))).isInstanceOf(Reply.Ended.class);
        assertThat(ask(acquire(released))).isInstanceOf(Reply.TokenTooSmall.class);
        clock.setRight();

        assertThat(ask(renew(released))).isInstanceOf(Reply.TokenTooSmall.class);
    }

    /** The reader had its lease from other nodes, and a renewal of it is still on its way to this one. */
    @Test
    void readLease_thatIsReleasedUnderAWriterWhichIsUndone_isNotHealed() {
        Claim writer = claim(ALONE, CAT, 9);
        Claim late = claim(READING, DAN, 8);
        assertThat(ask(acquire(writer))).isEqualTo(GRANTED);
        assertThat(ask(end(late))).isInstanceOf(Reply.Held.class);
        assertThat(ask(undo(writer))).isInstanceOf(Reply.Released.class);

        assertThat(ask(renew(late))).isInstanceOf(Reply.TokenTooSmall.class);
        assertThat(ask(acquire(late))).isInstanceOf(Reply.TokenTooSmall.class);
    }

    /** The lock's key ends with the reader whose lease ends last by then. */
    @Test
    void lock_whoseLongestReaderHasItsLeaseEndEarlier_endsWithTheOther() {
        Claim held = claim(READING, ADA, 7);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        assertThat(ask(acquire(claim(READING, CAT, 8, 2 * TTL)))).isEqualTo(GRANTED);

        assertThat(askShortening(claim(READING, CAT, 8, 1_000))).isEqualTo(GRANTED);

        assertThat(lastsFor("test:{x}:lock") - LINGER_MILLIS).isBetween(TTL / 2, TTL);
        assertThat(Math.abs(outlivesBy("test:{x}:readers", "test:{x}:lock"))).isLessThan(500);
        ask(end(claim(READING, CAT, 8)));
        assertIsStillHeld(held);
    }

    /** A writer that becomes a reader had the lock alone: nothing that was read before was in force. */
    @Test
    void downgrade_afterAReadingThatHasEnded_dropsIt() {
        Claim first = claim(READING, ADA, 7);
        Claim writer = claim(ALONE, CAT, 9);
        assertThat(ask(acquire(first))).isEqualTo(GRANTED);
        clock.set(JUMP);
        assertThat(askVouching(acquire(writer))).isEqualTo(GRANTED);
        assertThat(ask(renew(writer.reading()))).isEqualTo(GRANTED);
        assertThat(ask(end(writer.reading()))).isInstanceOf(Reply.Released.class);

        assertThat(lastsFor("test:{x}:lock")).isNegative();
        assertThat(ask(renew(first))).isInstanceOf(Reply.TokenTooSmall.class);
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isEqualTo(GRANTED);
    }
}
