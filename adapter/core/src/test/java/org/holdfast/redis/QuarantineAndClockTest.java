// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.guard.ClockMonitor;
import org.holdfast.protocol.guard.MarkChange;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.guard.NodeGuard;
import org.holdfast.protocol.guard.NodeProbe;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.script.ReplyDecoder;
import org.holdfast.redis.script.ScriptBridge;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients with their guard and their watch over the clock, on a real node that has forgotten locks and whose clock
 * moves.
 */
class QuarantineAndClockTest extends NodeWithClock {

    private static final long LONGEST_TTL = OneNode.AGREEMENTS.widest().maxLeaseTtlMillis();
    private static final Target BOTH = new Target.Exclusive(List.of("x", "y"));

    /** How much time has passed for all, by a right clock, beside what really has. */
    private Duration passed = Duration.ZERO;

    private Duration behind = Duration.ZERO;
    private BirthMark.Process process;

    private final Time time = new Time() {
        @Override
        public long nanoTime() {
            return System.nanoTime() + passed.toNanos();
        }

        @Override
        public long epochMicros() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Signal newSignal() {
            throw new UnsupportedOperationException();
        }
    };

    /** A process: its guard and its watch over the clock. */
    private final class Client implements NodeProbe {

        private final ClockMonitor clocks = new ClockMonitor(1, OneNode.AGREEMENTS.widest());
        private final NodeGuard guard = new NodeGuard(0, OneNode.AGREEMENTS, false, clocks, time);
        private Runnable betweenLookAndWrite = () -> {};

        NodeGuard.Admission inspect() {
            return guard.admit(this);
        }

        /** Sends a command once, and again if the client believes the node's clock. */
        Reply send(Command command) {
            Answer answer = send(command, 0);
            return answer.reply() instanceof Reply.Ended ended
                    ? send(command, ended.atMillis()).reply()
                    : answer.reply();
        }

        private Answer send(Command command, long vouchedMillis) {
            long sentAt = time.nanoTime();
            Answer answer = ReplyDecoder.answer(
                    0, eval(ScriptBridge.call(command, "test", QUARANTINE_MILLIS * 1_000, vouchedMillis)));
            return clocks.weigh(answer, command, sentAt, time.nanoTime());
        }

        @Override
        public Sight look() {
            long sentAt = time.nanoTime();
            String mark = ask("GET test:birth");
            boolean heartbeat = !ask("GET test:heartbeat").isEmpty();
            long now = nodeMicros();
            clocks.note(0, sentAt, time.nanoTime(), now);
            return new Sight(new NodeFacts(process, true, false, false, Optional.empty(), now), mark, heartbeat);
        }

        @Override
        public Optional<Long> write(MarkChange change) {
            betweenLookAndWrite.run();
            long sentAt = time.nanoTime();
            List<?> reply = (List<?>) eval(ScriptBridge.mark("test", change));
            clocks.note(0, sentAt, time.nanoTime(), (Long) reply.get(2));
            return ScriptBridge.markedAt(reply);
        }
    }

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

    private Client watched(Client client) {
        process = BirthMark.parse(mark()).orElseThrow().process();
        client.inspect();
        return client;
    }

    private void pass(Duration more) {
        passed = passed.plus(more);
        clock.set(passed.minus(behind));
    }

    private void setBack(Duration by) {
        behind = by;
        pass(Duration.ZERO);
    }

    private void setRight() {
        setBack(Duration.ZERO);
    }

    private String ask(String command) {
        Object value = eval(new ScriptBridge.Call(
                "return redis.call('GET', KEYS[1]) or ''", List.of(command.substring(4)), List.of()));
        return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : (String) value;
    }
}
