// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
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
class ClockBehindTest extends NodeWithWatchers {

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

    /** The client had found the clock right, and the command was under way for longer than the clock is behind. */
    @Test
    void lockInForce_thatALateVoucherMeetsWhileTheClockIsBehind_endsNoEarlier() throws Exception {
        assertThat(ask(acquire(claim(ALONE, ADA, 7, 60_000)))).isEqualTo(GRANTED);
        long found = System.currentTimeMillis() - 21_000;
        look();

        clock.set(Duration.ofSeconds(-20));
        askVouching(acquire(claim(ALONE, BOB, 19)), found);
        clock.setRight();

        assertThat(lastsFor("test:{x}:lock") - LINGER_MILLIS).isGreaterThan(55_000);
    }

    /** The holder has released it, and it is to stay for ten seconds more. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void minimumHold_thatIsSetWhileTheClockIsBehind_endsNoEarlier(boolean reads) throws Exception {
        assertThat(ask(acquire(held(reads)))).isEqualTo(GRANTED);

        clock.set(Duration.ofSeconds(-8));
        assertThat(askShortening(claim(reads ? READING : ALONE, ADA, 7, 10_000)))
                .isEqualTo(GRANTED);
        clock.setRight();

        assertThat(lastsFor("test:{x}:lock") - LINGER_MILLIS).isGreaterThan(9_000);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void minimumHold_thatIsSetWhileTheClockIsRight_endsTheLease(boolean reads) {
        assertThat(ask(acquire(held(reads)))).isEqualTo(GRANTED);

        assertThat(askShortening(claim(reads ? READING : ALONE, ADA, 7, 10_000)))
                .isEqualTo(GRANTED);

        assertThat(lastsFor("test:{x}:lock") - LINGER_MILLIS).isBetween(1L, 10_000L);
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

    /** A writer that continues as a reader: its lock ends as a reader's. */
    @Test
    void writerInForce_thatBecomesAReaderWhileTheClockIsBehind_keepsWritersOut() throws Exception {
        assertThat(ask(acquire(held(false)))).isEqualTo(GRANTED);

        clock.set(BACK);
        ask(renew(held(true)));
        clock.setRight();

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    /** The heartbeat shows no clock that is behind by less than half a second. */
    @Test
    void shortLease_thatIsRenewedWhileTheClockIsALittleBehind_isNotGrantedToAnother() throws Exception {
        assertThat(ask(acquire(claim(ALONE, ADA, 7, 20_000)))).isEqualTo(GRANTED);

        clock.set(Duration.ofMillis(-430));
        ask(renew(claim(ALONE, ADA, 7, 400)));
        clock.setRight();

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    /** A lock whose key is lost, by hand or by active expiry, is protected by the moment in its fence alone. */
    @Test
    void lockInForce_whoseKeyIsLost_isNotFreedByAnAttemptThatIsUndoneWhileTheClockIsAhead() throws Exception {
        Claim attempt = claim(ALONE, CAT, 9);
        assertThat(ask(acquire(held(false)))).isEqualTo(GRANTED);
        node.command("DEL test:{x}:lock");

        clock.set(JUMP);
        ask(acquire(attempt));
        ask(undo(attempt));
        clock.setRight();

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    /** Its moment is further away than a lease lasts, and yet not old. */
    @Test
    void lockInForce_thatIsRenewedWhileTheClockIsAheadAndWhoseKeyIsLost_isNotGrantedToAnother() throws Exception {
        assertThat(ask(acquire(held(false)))).isEqualTo(GRANTED);
        clock.set(JUMP);
        assertThat(ask(renew(held(false)))).isEqualTo(GRANTED);
        clock.setRight();
        node.command("DEL test:{x}:lock");

        assertThat(askVouching(acquire(claim(ALONE, BOB, 19)))).isInstanceOf(Reply.Held.class);
    }

    /** Real clients, none of which stands still: the clock is behind for a millisecond. */
    @Test
    void lease_ofAClientThatAsksForNothingWhileTheClockIsBehind_isTheOnlyOne() throws Exception {
        LockRequest now = LockRequest.of("e2e").waitTimeout(Duration.ZERO);
        try (LockConnectionFactory holders = connect();
                LockConnectionFactory contenders = connect();
                LockConnectionFactory others = connect();
                LockConnection holder = holders.getConnection();
                LockConnection contender = contenders.getConnection();
                LockConnection other = others.getConnection()) {
            for (LockConnection each : List.of(holder, contender, other)) {
                each.acquire(now.waitTimeout(Duration.ofSeconds(15))).release(); // the quarantine is over
            }
            Thread.sleep(4_000); // so long each has watched the clock: longer than any lease
            Lease lease = holder.acquire(now);

            clock.set(Duration.ofSeconds(-6));
            assertThatThrownBy(() -> contender.tryAcquire(now)).hasMessageContaining("its clock was set back by");
            clock.setRight();

            assertThat(other.tryAcquire(now)).as("a second holder").isEmpty();
            assertThat(lease.isHeld()).isTrue();
        }
    }

    /** The other nodes show that the process' clock has not stood still: one node must not cost it all its leases. */
    @Test
    void clockOfOneNode_thatIsBehindForAMoment_costsNoLeasesOnTheOthers() {
        Client other = watched(new Client());
        Client holder = watched(new Client(3));
        for (int i = 0; i < 30; i++) {
            watch(other, 1);
            holder.monitor();
        }
        assertThat(holder.send(acquire(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);
        setAhead(Duration.ofSeconds(-20));
        holder.send(renew(claim(ALONE, ADA, 7)));
        setAhead(Duration.ZERO);
        holder.send(renew(claim(ALONE, ADA, 7)));
        for (int i = 0; i < 60; i++) {
            pass(Duration.ofMillis(100));
            other.monitor();
            holder.monitor();
        }

        assertThat(holder.stoodStill).isFalse();
        assertThat(holder.beganQuarantine).isTrue();
    }

    private LockConnectionFactory connect() {
        return Holdfast.connect(Map.of(
                "nodes", node.uri(), "maxLeaseTtlMillis", "3000", "ttlMillis", "3000", "nodeTimeoutMillis", "1500"));
    }
}
