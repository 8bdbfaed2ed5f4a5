// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
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
        assertThat(ask(acquire(writer))).isEqualTo(GRANTED);
        assertThat(ask(renew(writer))).isEqualTo(GRANTED);
        assertThat(ask(end(writer))).isEqualTo(new Reply.Released(0));
        assertThat(node.command("EXISTS test:{x}:lock")).contains(":0");
    }

    /** An attempt to read takes over what only seems over, and its client has died: no reader comes in beside it. */
    @ParameterizedTest
    @MethodSource("alone")
    void lockInForce_underAnAttemptToRead_isNotReadByAnother(Target target) throws Exception {
        Claim held = claim(target, ADA, 7);
        Claim attempt = claim(READING, CAT, 9);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
        clock.setRight();
        assertThat(ask(acquire(claim(READING, DAN, 11)))).isInstanceOf(Reply.Held.class);
        assertThat(ask(AnyToken.undoLost(attempt))).isInstanceOf(Reply.Released.class);

        assertIsStillHeld(held);
    }

    static Stream<Target> alone() {
        return Stream.of(ALONE, new Target.Exclusive(List.of("x", "y")));
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

    /** Their entries are gone with the second attempt: no release of one of them may free the lock. */
    @Test
    void readLeasesInForce_underAWriterAndAReaderWhichAreUndone_keepWritersOut() throws Exception {
        Claim first = claim(READING, ADA, 7);
        Claim writer = claim(ALONE, CAT, 9, 300);
        Claim reader = claim(READING, DAN, 11);
        assertThat(ask(acquire(first))).isEqualTo(GRANTED);
        assertThat(ask(acquire(claim(READING, new Owner("e".repeat(40)), 8)))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(writer))).isEqualTo(GRANTED);
        clock.set(JUMP.plusSeconds(1));
        assertThat(ask(acquire(reader))).isEqualTo(GRANTED);
        clock.setRight();
        assertThat(ask(undo(reader))).isInstanceOf(Reply.Released.class);
        assertThat(ask(undo(writer))).isInstanceOf(Reply.Released.class);
        assertThat(ask(end(first))).isNotInstanceOf(Reply.Refused.class);

        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
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

    /** What others read beneath an attempt lasts no longer than they do. */
    @Test
    void readLease_thatIsReleasedUnderAnAttemptAfterAnotherHasEnded_keepsNoWriterOut() throws Exception {
        Claim ended = claim(READING, ADA, 7, 1);
        Claim released = claim(READING, DAN, 8);
        Claim attempt = claim(ALONE, CAT, 9);
        assertThat(ask(acquire(ended))).isEqualTo(GRANTED);
        assertThat(ask(acquire(released))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
        assertThat(ask(end(released))).isInstanceOf(Reply.Held.class);
        assertThat(ask(undo(attempt))).isInstanceOf(Reply.Released.class);
        clock.setRight();

        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isEqualTo(GRANTED);
    }

    /** Its owner has become a reader since, and this node has not heard of that. */
    @Test
    void lock_thatIsReleasedAsAReadersUnderAnAttemptToRead_isFree() throws Exception {
        Claim attempt = claim(READING, CAT, 9);
        assertThat(ask(acquire(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
        assertThat(ask(end(claim(READING, ADA, 7)))).isEqualTo(new Reply.Gone());
        assertThat(ask(undo(attempt))).isInstanceOf(Reply.Released.class);
        clock.setRight();

        assertThat(ask(renew(claim(READING, ADA, 7)))).isInstanceOf(Reply.TokenTooSmall.class);
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isEqualTo(GRANTED);
    }

    /** The reader's attempt is shortened when it is undone, and what it has taken over must stay in force. */
    @Test
    void lockInForce_underAReaderAndAWriterWhichAreUndone_isNotTakenByAnother() throws Exception {
        Claim held = claim(ALONE, ADA, 7);
        Claim reader = claim(READING, DAN, 9, 300);
        Claim writer = claim(ALONE, CAT, 11);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(reader))).isEqualTo(GRANTED);
        clock.set(JUMP.plusSeconds(1));
        assertThat(ask(acquire(writer))).isEqualTo(GRANTED);
        clock.setRight();
        assertThat(ask(undo(reader))).isInstanceOf(Reply.Held.class);
        assertThat(ask(undo(writer))).isInstanceOf(Reply.Released.class);

        assertIsStillHeld(held);
    }

    /** No client undoes these attempts: readers must not be refused until the clock has come where it was. */
    @Test
    void lock_thatDeadAttemptsHaveTakenWhileTheClockWasAnHourAhead_endsWhenNoLeaseCouldLast() throws Exception {
        Duration hour = Duration.ofHours(1);
        clock.set(hour);
        assertThat(ask(acquire(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);
        clock.set(hour.plusSeconds(31));
        assertThat(ask(acquire(claim(READING, DAN, 9)))).isEqualTo(GRANTED);
        clock.setRight();

        assertThat(ask(acquire(claim(READING, BOB, 19)))).isInstanceOf(Reply.Held.class);
        assertThat(lastsFor("test:{x}:lock")).isBetween(1L, QUARANTINE_MILLIS + LINGER_MILLIS + 2);
        clock.set(Duration.ofMillis(QUARANTINE_MILLIS + LINGER_MILLIS + 1_000));
        assertThat(ask(acquire(claim(READING, BOB, 19)))).isEqualTo(GRANTED);
    }

    /** The description of an owner is any text, such as the name of a thread. */
    @Test
    void lock_whoseOwnersDescriptionLooksLikeAReading_isFreeAfterItsRelease() throws Exception {
        Claim held = claim(ALONE, ADA.describedAs("1 2 3 readers 4 5"), 7);
        Claim attempt = claim(READING, DAN, 9);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        clock.set(JUMP);
        assertThat(ask(acquire(attempt))).isEqualTo(GRANTED);
        ask(end(held));
        assertThat(ask(undo(attempt))).isInstanceOf(Reply.Released.class);
        clock.setRight();

        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isEqualTo(GRANTED);
    }

    static Stream<List<Claim>> ended() {
        return Stream.of(List.of(), List.of(claim(READING, ADA, 7)), List.of(claim(ALONE, ADA, 7)));
    }

    /** What has ended lingers only, and a reader's release puts none of it back in force. */
    @ParameterizedTest
    @MethodSource("ended")
    void readLease_thatEndsOverNothingInForce_freesTheLockAtOnce(List<Claim> ended) throws Exception {
        ended.forEach(lease -> assertThat(ask(acquire(lease))).isEqualTo(GRANTED));
        clock.set(JUMP); // for good
        Claim last = claim(READING, DAN, 9);
        assertThat(ask(acquire(last))).isEqualTo(GRANTED);

        assertThat(ask(end(last))).isInstanceOf(Reply.Released.class);

        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isEqualTo(GRANTED);
    }
}
