// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Ticket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Readers of a real node whose user may not use a command, or not any more: scripts end in the middle. Nothing stays
 * for ever.
 */
class RefusedReadersTest extends NodeWithClock {

    private static final List<String> KEYS = List.of(
            "test:{x}:lock",
            "test:{x}:fence",
            "test:{x}:readers",
            "test:{x}:queue",
            "test:{x}:queue-reading",
            "test:{x}:tickets");

    @Test
    void attempt_whoseScriptIsRefusedInTheMiddle_goesWhenItIsUndone() throws Exception {
        Claim attempt = claim(READING, ADA, 7);
        assertIsRefused(() -> ask(acquire(attempt)));

        ask(AnyToken.undoLost(attempt));
        assertThat(node.command("EXISTS test:{x}:lock test:{x}:readers")).contains(":0");
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isEqualTo(GRANTED);
    }

    /** Its process has died: the lock lasts no longer than a lease would. */
    @Test
    void attempt_whoseScriptIsRefusedInTheMiddle_endsByItself() throws Exception {
        assertIsRefused(() -> ask(acquire(claim(READING, ADA, 7))));

        assertThat(lastsFor("test:{x}:lock")).isBetween(1L, TTL + LINGER_MILLIS);
        assertThat(lastsFor("test:{x}:readers")).isBetween(1L, TTL + LINGER_MILLIS);
    }

    @Test
    void writer_whoseScriptIsRefusedWhenItBecomesAReader_endsByItself() throws Exception {
        assertThat(ask(acquire(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);

        assertIsRefused(() -> ask(renew(claim(READING, ADA, 7))));
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
        assertThat(ask(end(claim(READING, ADA, 7)))).isInstanceOf(Reply.Released.class);
        assertThat(ask(acquire(claim(ALONE, BOB, 19)))).isEqualTo(GRANTED);
    }

    @Test
    void release_whoseScriptIsRefusedInTheMiddle_keepsTheOtherReader() throws Exception {
        Claim held = claim(READING, ADA, 7);
        Claim other = claim(READING, DAN, 9, 2 * TTL);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        assertThat(ask(acquire(other))).isEqualTo(GRANTED);

        assertIsRefused(() -> ask(end(other)));

        assertIsStillHeld(held);
    }

    /** The tombstone is the first entry of a new set. */
    @Test
    void release_ofAReaderWhoseEntryIsDeleted_thatIsRefusedInTheMiddle_leavesNothingForEver() throws Exception {
        Claim longer = claim(READING, ADA, 7, 2 * TTL);
        Claim released = claim(READING, DAN, 9);
        assertThat(ask(acquire(longer))).isEqualTo(GRANTED);
        assertThat(ask(acquire(released))).isEqualTo(GRANTED);
        node.command("DEL test:{x}:readers");

        assertIsRefused(() -> ask(end(released)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"pexpire", "zrevrange"})
    void release_thatMayNotUse_leavesNoSetForEver(String command) throws Exception {
        Claim released = claim(READING, DAN, 9);
        assertThat(ask(acquire(claim(READING, ADA, 7, 2 * TTL)))).isEqualTo(GRANTED);
        assertThat(ask(acquire(released))).isEqualTo(GRANTED);
        node.command("DEL test:{x}:readers");

        assertIsRefused(command, () -> ask(end(released)));
    }

    @Test
    void readers_thatMayNotUsePexpire_leaveNoSetForEver() throws Exception {
        Claim held = claim(READING, ADA, 7);
        assertIsRefused("pexpire", () -> ask(acquire(held)));

        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        node.command("DEL test:{x}:readers");
        assertIsRefused("pexpire", () -> ask(renew(held)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void waiter_thatMayNotUsePexpire_leavesNoTicketForEver(boolean reads) throws Exception {
        Ticket ticket = new Ticket("x", new Owner("e".repeat(40)), 7, reads, false, 5_000);
        Command inLine = new Command.Acquire(
                claim(reads ? READING : ALONE, ADA, 7),
                Optional.of(new Command.Queueing(Optional.of(ticket))),
                AnyToken.MAX_SKEW_MICROS);

        assertIsRefused("pexpire", () -> ask(inLine));
        assertThat(node.command("EXISTS test:{x}:queue test:{x}:queue-reading test:{x}:tickets"))
                .contains(":0");
    }

    /** The last reader's release sets no end. */
    @Test
    void release_ofTheLastReader_needsNoPexpireat() throws Exception {
        Claim held = claim(READING, ADA, 7);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);

        node.command("ACL SETUSER default -pexpireat");
        assertThat(ask(end(held))).isInstanceOf(Reply.Released.class);
    }

    private void assertIsRefused(ThrowingCallable asking) throws Exception {
        assertIsRefused("pexpireat", asking);
    }

    private void assertIsRefused(String command, ThrowingCallable asking) throws Exception {
        node.command("ACL SETUSER default -" + command);
        assertThatThrownBy(asking)
                .isInstanceOf(JedisDataException.class)
                .hasMessageMatching("(?s).*(can't run this command|ACL failure).*"); // up to 7.0, and since then
        node.command("ACL SETUSER default +@all");
        for (String key : KEYS) {
            assertThat(lastsFor(key)).as("TTL of " + key).isNotEqualTo(-1); // -2: there is none
        }
    }
}
