// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Ticket;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The line at a real node whose clock is set back for good: no ticket lasts longer than tickets may. */
class QueueClockTest extends NodeWithClock {

    private static final Duration BACK = Duration.ofHours(-1);
    private static final Duration LONGEST_TICKET = Duration.ofSeconds(60);

    /** Its process has died. Callers that do not wait bring no ticket, and have no TTL of tickets to go by. */
    @ParameterizedTest
    @CsvSource({"true, ''", "false, ''", "true, tickets", "false, tickets"})
    void ticketFromBeforeTheClockWasSetBack_keepsCallersThatDoNotWaitOutForNoLonger(boolean reads, String lost)
            throws Exception {
        Claim held = claim(ALONE, ADA, 7);
        assertThat(ask(acquire(held))).isEqualTo(GRANTED);
        Ticket ticket = new Ticket("x", BOB, 8, false, false, 5_000);
        assertThat(ask(inLine(claim(ALONE, BOB, 8), Optional.of(ticket)))).isInstanceOf(Reply.Held.class);
        ask(end(held));

        node.command("DEL test:{x}:" + lost);
        clock.set(BACK);
        look();
        Command caller = inLine(claim(reads ? READING : ALONE, CAT, 19), Optional.empty());
        assertThat(ask(caller)).isInstanceOf(Reply.Queued.class);

        clock.set(BACK.plus(LONGEST_TICKET).plusSeconds(1));
        assertThat(ask(caller)).isNotInstanceOf(Reply.Queued.class);
    }

    private static Command inLine(Claim claim, Optional<Ticket> ticket) {
        return new Command.Acquire(claim, Optional.of(new Command.Queueing(ticket)), AnyToken.MAX_SKEW_MICROS);
    }
}
