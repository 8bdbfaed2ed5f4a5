// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The clock of a real node goes back for a moment between two looks of every client: each client that asks before and
 * after that believes the clock.
 */
class ClockBehindTest extends NodeWithClock {

    private static final Owner EVE = new Owner("e".repeat(40));
    private static final Duration BACK = Duration.ofSeconds(-80);

    private static Claim held(boolean reads) {
        return claim(reads ? READING : ALONE, ADA, 7);
    }

    /** A contender's attempt cuts the lock by the clock that is behind. The holder asks for nothing meanwhile. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lockInForce_thatAnAttemptMeetsWhileTheClockIsBehind_isNotGrantedToAnother(boolean reads) throws Exception {
        assertThat(ask(acquire(held(reads)))).isEqualTo(GRANTED);

        clock.set(BACK);
        assertThat(ask(acquire(claim(ALONE, CAT, 9)))).isInstanceOf(Reply.Ended.class);
        clock.setRight();

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    /** By less than the lease: it ends early. */
    @Test
    void lockInForce_thatAnAttemptMeetsWhileTheClockIsALittleBehind_endsNoEarlier() throws Exception {
        assertThat(ask(acquire(claim(ALONE, ADA, 7, 60_000)))).isEqualTo(GRANTED);

        clock.set(Duration.ofSeconds(-40));
        assertThat(ask(acquire(claim(ALONE, CAT, 9)))).isInstanceOf(Reply.Ended.class);
        clock.setRight();

        assertThat(lastsFor("test:{x}:lock") - LINGER_MILLIS).isGreaterThan(55_000);
    }

    /** The client sees the set-back in the answer, and counts the renewal all the same. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lockInForce_thatIsRenewedWhileTheClockIsBehind_isNotGrantedToAnother(boolean reads) throws Exception {
        assertThat(ask(acquire(held(reads)))).isEqualTo(GRANTED);

        clock.set(BACK);
        ask(renew(held(reads)));
        clock.setRight();

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    /** What one reader does ends the lease of another. */
    @Test
    void readerInForce_besideAnotherThatIsRenewedWhileTheClockIsBehind_keepsWritersOut() throws Exception {
        Claim other = claim(READING, EVE, 8);
        assertThat(ask(acquire(held(true)))).isEqualTo(GRANTED);
        assertThat(ask(acquire(other))).isEqualTo(GRANTED);

        clock.set(BACK);
        ask(renew(other));
        clock.setRight();

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    /** Active expiry may reach the readers, and neither the lock nor the heartbeat, before the clock is back. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readerInForce_whoseEntryIsDeleted_keepsWritersOut(boolean otherReleases) throws Exception {
        Claim other = claim(READING, EVE, 8, 100);
        assertThat(ask(acquire(held(true)))).isEqualTo(GRANTED);

        node.command("DEL test:{x}:readers");
        assertThat(ask(acquire(other))).isEqualTo(GRANTED);
        if (otherReleases) {
            ask(end(other));
        } else {
            clock.set(Duration.ofMillis(200)); // as time passes
        }

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    @Test
    void permit_thatAnAttemptMeetsWhileTheClockIsBehind_isNotGrantedToAnother() throws Exception {
        Target permit = new Target.Permit("x", 0);
        assertThat(ask(acquire(claim(permit, ADA, 7)))).isEqualTo(GRANTED);

        clock.set(BACK);
        assertThat(ask(acquire(claim(permit, CAT, 9)))).isInstanceOf(Reply.Ended.class);
        clock.setRight();

        assertThat(askVouching(acquire(claim(permit, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }
}
