// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients with their guard and their watch over the clock, on a real node that has forgotten locks and whose clock
 * moves.
 */
class QuarantineAndClockTest extends NodeWithWatchers {

    private static final long LONGEST_TTL = OneNode.AGREEMENTS.widest().maxLeaseTtlMillis();
    private static final Target BOTH = new Target.Exclusive(List.of("x", "y"));

    /** The look finds the clock right, and what it writes down removes the only sign that the clock was set back. */
    @Test
    void clock_thatGoesBackBetweenALookAndItsWrite_endsNoLeaseOfANewClient() {
        Client watcher = watched(new Client());
        Client contender = new Client();
        for (int i = 0; i < 70; i++) { // for longer than any lease lasts
            contender.look();
            watcher.inspect();
            pass(Duration.ofMillis(900));
        }
        watcher.betweenLookAndWrite = () -> setBack(Duration.ofSeconds(40));
        watcher.inspect();

        Client fresh = new Client();
        fresh.inspect();
        Reply first = fresh.send(acquire(claim(ALONE, ADA, 7, TTL)));
        setRight();
        Reply second = contender.send(acquire(claim(ALONE, BOB, 19)));

        assertThat(List.of(first.equals(GRANTED), second.equals(GRANTED)))
                .as("%s, then %s", first, second)
                .contains(false);
    }

    /** The process that has seen a later moment adds it only where it is the first to look. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nodeThatLostItsMemoryAndWhoseClockIsBehind_isInQuarantineWhenItIsRight(boolean holderLooksFirst)
            throws Exception {
        Client holder = watched(new Client());
        assertThat(holder.send(acquire(claim(ALONE, ADA, 7, LONGEST_TTL)))).isEqualTo(GRANTED);

        node.command("FLUSHALL"); // a restart, which takes four seconds
        process = new BirthMark.Process("2".repeat(40), 0, process.promotion(), process.loaded());
        pass(Duration.ofSeconds(4));
        setBack(Duration.ofSeconds(100));
        Client other = new Client();
        (holderLooksFirst ? holder : other).inspect();
        (holderLooksFirst ? other : holder).inspect();
        setRight();

        Client fresh = new Client();
        fresh.inspect();
        assertThat(fresh.send(acquire(claim(ALONE, BOB, 19)))).as(mark()).isNotEqualTo(GRANTED);
    }

    /** By less than locks linger: the quarantine seems over to a client that has just started, until another looks. */
    @Test
    void nodeInQuarantine_whoseClockGoesAhead_grantsNothingToANewClient() throws Exception {
        Client holder = watched(new Client());
        assertThat(holder.send(acquire(claim(ALONE, ADA, 7, LONGEST_TTL)))).isEqualTo(GRANTED);
        node.command("FLUSHALL");
        for (int i = 0; i < 10; i++) {
            pass(Duration.ofSeconds(1));
            holder.inspect();
        }
        setBack(Duration.ofSeconds(-55));

        Client fresh = new Client();
        fresh.inspect();
        assertThat(fresh.send(acquire(claim(ALONE, BOB, 19)))).as(mark()).isNotEqualTo(GRANTED);
    }

    /**
     * What was granted by a clock that was ahead for a moment, and never undone, is free after a quarantine and a
     * little.
     */
    @Test
    void locksOfSeveralNames_grantedWhileTheClockWasAhead_areCutAtOnce() {
        Client watcher = watched(new Client());
        Duration ahead = Duration.ofHours(1);
        clock.set(ahead.plus(passed));
        assertThat(ask(acquire(claim(BOTH, CAT, 9, LONGEST_TTL)))).isEqualTo(GRANTED); // dies
        setRight();
        askVouching(acquire(claim(ALONE, DAN, 17))); // another caller, for one of the names

        int seconds = 0;
        Reply reply = null;
        while (seconds < 400 && !GRANTED.equals(reply)) {
            reply = askVouching(acquire(claim(BOTH, BOB, 19 + seconds)));
            pass(Duration.ofSeconds(1));
            watcher.inspect();
            seconds++;
        }

        assertThat(seconds).isLessThan(80);
    }

    /** The process takes its own note, which the clock has overtaken, for the testimony of another process. */
    @Test
    void clock_thatGoesAheadBetweenALookAndItsWrite_endsNoLeaseInForce() {
        Client watcher = watched(new Client());
        watch(watcher, 70);
        long begun = System.nanoTime(); // on a busy machine that time passes, too
        assertThat(new Client().send(acquire(claim(ALONE, ADA, 7, LONGEST_TTL))))
                .isEqualTo(GRANTED);
        long grantedAt = passed.toMillis();
        watcher.betweenLookAndWrite = () -> {
            watcher.betweenLookAndWrite = () -> {};
            setAhead(Duration.ofMillis(3_400));
        };
        watch(watcher, 4);
        Reply reply = null;
        long since = 0;
        while (!GRANTED.equals(reply) && since < 59_300) {
            watch(watcher, 1);
            reply = watcher.send(acquire(claim(ALONE, BOB, 19)));
            since = passed.toMillis()
                    - grantedAt
                    + Duration.ofNanos(System.nanoTime() - begun).toMillis();
        }

        assertThat(GRANTED.equals(reply) && since < LONGEST_TTL)
                .as(
                        "granted %d ms after the grant; stood still %b, quarantine begun %b, %s",
                        since, watcher.stoodStill, watcher.beganQuarantine, mark())
                .isFalse();
    }

    /** Each of them finds the clock unwatched since the one before it, and begins what was left anew. */
    @Test
    void nodeInQuarantine_thatShortLivedProcessesUse_votesAtLast() throws Exception {
        watched(new Client());
        node.command("FLUSHALL");
        Reply reply = null;
        long token = 7;
        while (!GRANTED.equals(reply) && passed.toMillis() < 2 * QUARANTINE_MILLIS + 10_000) {
            pass(Duration.ofSeconds(5)); // a job that tries a lock, and ends
            Client job = new Client();
            job.monitor();
            reply = job.send(acquire(claim(ALONE, ADA, token++)));
        }

        assertThat(reply).as("after %s, %s", passed, mark()).isEqualTo(GRANTED);
    }

    /** Another node hangs, and with it the thread that looks at all nodes. */
    @Test
    void nodeInQuarantine_thatIsLookedAtEvery3600Millis_votesAtLast() throws Exception {
        Client watcher = watched(new Client());
        node.command("FLUSHALL");
        Reply reply = null;
        long token = 7;
        while (!GRANTED.equals(reply) && passed.toMillis() < QUARANTINE_MILLIS + 10_000) {
            pass(Duration.ofMillis(3_600));
            watcher.monitor();
            reply = watcher.send(acquire(claim(ALONE, ADA, token++)));
        }

        assertThat(reply).as("after %s, %s", passed, mark()).isEqualTo(GRANTED);
    }

    /** Two steps of less than the time that may be unwatched, each while no process that watches the clock lives. */
    @Test
    void clock_thatGoesAheadTwiceBetweenTheProcessesThatLook_endsNoQuarantineEarly() throws Exception {
        Client holder = watched(new Client());
        assertThat(holder.send(acquire(claim(ALONE, ADA, 7, LONGEST_TTL)))).isEqualTo(GRANTED);
        long grantedAt = passed.toMillis();
        node.command("FLUSHALL"); // the holder is cut off from this node
        Client first = new Client();
        watch(first, 10);
        setAhead(Duration.ofMillis(3_200));
        Client second = new Client();
        second.monitor();
        watch(second, 10);
        setAhead(Duration.ofMillis(6_400));
        Client third = new Client();
        third.monitor();
        Reply reply = null;
        while (!GRANTED.equals(reply) && passed.toMillis() - grantedAt < 59_300) {
            watch(third, 1);
            reply = third.send(acquire(claim(ALONE, BOB, 19)));
        }

        assertThat(reply)
                .as("%d ms after the grant; %s", passed.toMillis() - grantedAt, mark())
                .isNotEqualTo(GRANTED);
    }

    /** Each of its requests takes so long. */
    @ParameterizedTest
    @ValueSource(longs = {600, 3_000})
    void node_thatASlowClientUses_votesAtLast(long millis) throws Exception {
        Client slow = watched(new Client());
        node.command("FLUSHALL");
        slow.betweenLookAndWrite = () -> pass(Duration.ofMillis(millis));
        Reply reply = null;
        long token = 7;
        while (!GRANTED.equals(reply) && passed.toMillis() < QUARANTINE_MILLIS + 20_000) {
            watch(slow, 1);
            reply = slow.send(acquire(claim(ALONE, ADA, token++)));
        }

        assertThat(reply).as("after %s, %s", passed, mark()).isEqualTo(GRANTED);
    }

    /** The look finds the clock right, and is the only sign that it has been set back since. */
    @Test
    void nodeWithoutItsMark_whoseClockGoesBackBeforeThatIsSet_isInQuarantineWhenItIsRight() throws Exception {
        watched(new Client());
        node.command("FLUSHALL");
        Client fresh = new Client();
        fresh.betweenLookAndWrite = () -> setBack(Duration.ofSeconds(100));
        fresh.inspect();
        setRight();

        assertThat(new Client().send(acquire(claim(ALONE, BOB, 19)))).isEqualTo(new Reply.Forgotten());
    }

    @Test
    void mark_thatIsEditedToAMomentOfTooManyDigits_isReplaced() throws Exception {
        Client watcher = watched(new Client());
        node.command("SET test:birth \"1:" + "9".repeat(18) + mark().substring(1) + "\"");
        watcher.inspect();

        assertThat(BirthMark.parse(mark())).as(mark()).isPresent();
        assertThat(mark()).doesNotContain("99999");
    }

    private void setBack(Duration by) {
        setAhead(by.negated());
    }

    private void setRight() {
        setAhead(Duration.ZERO);
    }
}
