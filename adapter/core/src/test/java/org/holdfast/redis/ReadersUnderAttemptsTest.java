// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A writer's attempt takes over a reading while the clock of a real node is ahead, and other readers come. */
class ReadersUnderAttemptsTest extends NodeWithClock {

    private static final Duration LATER = JUMP.plusSeconds(1);

    private final Claim first = claim(READING, ADA, 7);

    @BeforeEach
    void read() {
        assertThat(ask(acquire(first))).isEqualTo(GRANTED);
    }

    /** A reader that is refused for its small token must not delete the entries of those that will stand again. */
    @Test
    void readLeaseInForce_underAWriterAndARefusedReader_keepsWritersOut() {
        Claim writer = claim(ALONE, CAT, 11, 300);
        Claim refused = claim(READING, DAN, 9);
        clock.set(JUMP);
        assertThat(ask(acquire(writer))).isEqualTo(GRANTED);
        clock.set(LATER);
        assertThat(ask(acquire(refused))).isEqualTo(new Reply.TokenTooSmall(11));
        clock.setRight();
        ask(undo(writer));
        ask(undo(refused));

        assertIsStillHeld(first);
    }

    /** The entry of a released reader is what refuses its late commands while other readers stay. */
    @Test
    void readLease_thatWasReleasedBeforeAWriterAndARefusedReader_isRefused() {
        Claim writer = claim(ALONE, CAT, 11, 300);
        assertThat(ask(acquire(claim(READING, BOB, 8)))).isEqualTo(GRANTED);
        assertThat(ask(end(first))).isInstanceOf(Reply.Released.class);
        assertThat(ask(renew(first))).isInstanceOf(Reply.TokenTooSmall.class);

        clock.set(JUMP);
        assertThat(ask(acquire(writer))).isEqualTo(GRANTED);
        clock.set(LATER);
        assertThat(ask(acquire(claim(READING, DAN, 9)))).isInstanceOf(Reply.TokenTooSmall.class);
        clock.setRight();
        ask(undo(writer));

        assertThat(ask(acquire(first))).isInstanceOf(Reply.TokenTooSmall.class);
        assertThat(ask(renew(first))).isInstanceOf(Reply.TokenTooSmall.class);
    }

    /** A reader that has its lease from other nodes says nothing against another reader's. */
    @Test
    void readLeaseInForce_underAWriterWhileAnotherReaderIsHealed_keepsWritersOut() {
        Claim writer = claim(ALONE, CAT, 11, 300);
        Claim healed = claim(READING, DAN, 12);
        clock.set(JUMP);
        assertThat(ask(acquire(writer))).isEqualTo(GRANTED);
        clock.set(LATER);
        assertThat(ask(renew(healed))).isEqualTo(GRANTED);
        clock.setRight();
        ask(undo(writer));
        assertThat(ask(end(healed))).isInstanceOf(Reply.Released.class);

        assertIsStillHeld(first);
    }

    /** A reader's lease that took over a reading may end before that reading does. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readLeaseInForce_underAWriterAndAReaderWhichEndsItsLease_keepsWritersOut(boolean renewed) {
        Claim lease = readOverAWriter();
        if (renewed) {
            assertThat(ask(renew(lease))).isEqualTo(GRANTED);
        }
        assertThat(ask(end(lease))).isInstanceOf(Reply.Released.class);

        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    /** The reading that stands again is no longer than its readers have left it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void reading_thatStandsAgainAfterAReadersLease_endsWhenItWouldHave(boolean renewed) {
        Claim lease = readOverAWriter();
        if (renewed) {
            assertThat(ask(renew(lease))).isEqualTo(GRANTED);
        }
        clock.set(Duration.ofMillis(TTL - 10_000));
        assertThat(ask(renew(lease))).isEqualTo(GRANTED);
        assertThat(ask(end(lease))).isInstanceOf(Reply.Released.class);
        assertThat(lastsFor("test:{x}:lock")).isBetween(LINGER_MILLIS, LINGER_MILLIS + 10_001);
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);

        clock.set(Duration.ofMillis(TTL + 1));
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isEqualTo(GRANTED);
    }

    /** Returns the lease of a reader over a writer's attempt that is undone, with the clock right again. */
    private Claim readOverAWriter() {
        Claim writer = claim(ALONE, CAT, 9, 300);
        Claim lease = claim(READING, DAN, 11);
        clock.set(JUMP);
        assertThat(ask(acquire(writer))).isEqualTo(GRANTED);
        clock.set(JUMP.plusMillis(400));
        assertThat(ask(acquire(lease))).isEqualTo(GRANTED);
        clock.setRight();
        assertThat(ask(undo(writer))).isInstanceOf(Reply.Held.class);
        return lease;
    }

    /** The tombstone has to outlast the writer's attempt, which stands on the node when the release comes. */
    @Test
    void reader_whoseLostAttemptIsUndoneUnderAWriter_isRefused() {
        Claim writer = claim(ALONE, CAT, 9);
        Claim late = claim(READING, DAN, 8);
        clock.set(JUMP);
        assertThat(ask(acquire(writer))).isEqualTo(GRANTED);
        ask(AnyToken.undoLost(late));
        assertThat(ask(undo(writer))).isInstanceOf(Reply.Released.class);
        clock.setRight();

        assertThat(ask(acquire(late))).isInstanceOf(Reply.TokenTooSmall.class);
        assertIsStillHeld(first);
    }

    /** The reader had its lease from other nodes, and a renewal of it is still on its way to this one. */
    @Test
    void readLease_thatIsReleasedUnderAWriterWhichIsUndone_isNotHealed() {
        Claim writer = claim(ALONE, CAT, 9);
        Claim late = claim(READING, DAN, 8);
        clock.set(JUMP);
        assertThat(ask(acquire(writer))).isEqualTo(GRANTED);
        ask(end(late));
        assertThat(ask(undo(writer))).isInstanceOf(Reply.Released.class);
        clock.setRight();

        assertThat(ask(renew(late))).isInstanceOf(Reply.TokenTooSmall.class);
        assertIsStillHeld(first);
    }

    /** A writer that becomes a reader had the lock alone: nothing beneath it was in force. */
    @Test
    void downgrade_overAReading_dropsIt() {
        Claim writer = claim(ALONE, CAT, 9);
        clock.set(JUMP);
        assertThat(ask(acquire(writer))).isEqualTo(GRANTED);
        assertThat(ask(renew(writer.reading()))).isEqualTo(GRANTED);
        clock.setRight();
        assertThat(ask(end(writer.reading()))).isInstanceOf(Reply.Released.class);

        assertThat(lastsFor("test:{x}:lock")).isNegative();
        assertThat(ask(renew(first))).isInstanceOf(Reply.TokenTooSmall.class);
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isEqualTo(GRANTED);
    }
}
