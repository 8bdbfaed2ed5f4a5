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
import org.holdfast.protocol.guard.NodeMonitor;
import org.holdfast.protocol.guard.NodeProbe;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.redis.script.ReplyDecoder;
import org.holdfast.redis.script.ScriptBridge;
import org.junit.jupiter.api.Test;

/** What clients with their guard, their watch over the clock and their monitor grant on a node whose clock moves. */
class AttackTest extends NodeWithClock {

    private static final long LONGEST_TTL = OneNode.AGREEMENTS.widest().maxLeaseTtlMillis();

    /** How much time has passed for all, by a right clock, beside what really has. */
    private Duration passed = Duration.ZERO;

    private Duration ahead = Duration.ZERO;
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

    /** A process: its guard, its watch over the clock, and the monitor that decides what a jump comes to. */
    private final class Client implements NodeProbe, NodeMonitor.Sight {

        private final ClockMonitor clocks;
        private final int nodes;
        private final NodeGuard guard;
        private final NodeMonitor monitor;
        private Runnable betweenLookAndWrite = () -> {};
        private boolean stoodStill;
        private boolean beganQuarantine;

        Client() {
            this(1);
        }

        /** @param nodes the real one, and others whose clocks are right */
        Client(int nodes) {
            this.nodes = nodes;
            clocks = new ClockMonitor(nodes, OneNode.AGREEMENTS.widest());
            guard = new NodeGuard(0, OneNode.AGREEMENTS, false, clocks, time);
            monitor = new NodeMonitor(time, clocks, this, nanos -> stoodStill = true);
        }

        NodeGuard.Admission inspect() {
            return guard.admit(this);
        }

        /** Does what the monitor's thread does when it is due. */
        void monitor() {
            for (int i = 0; i < 3 && monitor.isDue(); i++) {
                monitor.look();
            }
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
        public NodeProbe.Sight look() {
            long sentAt = time.nanoTime();
            String mark = ask("GET test:birth");
            boolean heartbeat = !ask("GET test:heartbeat").isEmpty();
            long now = nodeMicros();
            clocks.note(0, sentAt, time.nanoTime(), now);
            return new NodeProbe.Sight(
                    new NodeFacts(process, true, false, false, Optional.empty(), now), mark, heartbeat);
        }

        @Override
        public Optional<Long> write(MarkChange change) {
            betweenLookAndWrite.run();
            long sentAt = time.nanoTime();
            List<?> reply = (List<?>) eval(ScriptBridge.mark("test", change));
            clocks.note(0, sentAt, time.nanoTime(), (Long) reply.get(2));
            return ScriptBridge.markedAt(reply);
        }

        @Override
        public int count() {
            return nodes;
        }

        @Override
        public boolean isAsked(int node) {
            return true;
        }

        @Override
        public boolean isLookDue(int node) {
            return true;
        }

        @Override
        public boolean claimLook(int node) {
            return true;
        }

        @Override
        public void look(int node) {
            if (node == 0) {
                inspect();
            } else {
                long now = time.nanoTime();
                clocks.note(node, now, now, now / 1_000 + 1_000_000_000_000L);
            }
        }

        @Override
        public boolean quarantine(int node, String reason) {
            beganQuarantine = true;
            return guard.quarantine(this, reason);
        }

        @Override
        public boolean isVouchedFor(int node) {
            long sentAt = time.nanoTime();
            String mark = ask("GET test:birth");
            clocks.note(0, sentAt, time.nanoTime(), nodeMicros());
            return BirthMark.parse(mark)
                    .filter(it -> clocks.isVouchedFor(0, it.steadyMicros(), it.seenMicros()))
                    .isPresent();
        }
    }

    /** The process takes its own note, which the clock has overtaken, for the testimony of another process. */
    @Test
    void clock_thatGoesAheadBetweenALookAndItsWrite_endsNoLeaseInForce() {
        Client watcher = watched(new Client());
        watch(watcher, 70);
        assertThat(new Client().send(acquire(claim(ALONE, ADA, 7, LONGEST_TTL))))
                .isEqualTo(GRANTED);
        long grantedAt = passed.toMillis();
        watcher.betweenLookAndWrite = () -> {
            watcher.betweenLookAndWrite = () -> {};
            setAhead(Duration.ofMillis(3_400));
        };
        watch(watcher, 4);
        Reply reply = null;
        while (!GRANTED.equals(reply) && passed.toMillis() - grantedAt < 59_300) {
            watch(watcher, 1);
            reply = watcher.send(acquire(claim(ALONE, BOB, 19)));
        }

        assertThat(reply)
                .as(
                        "%d ms after the grant; stood still %b, quarantine begun %b, %s",
                        passed.toMillis() - grantedAt, watcher.stoodStill, watcher.beganQuarantine, mark())
                .isNotEqualTo(GRANTED);
    }

    /** Each of them finds the clock unwatched since the one before it, and begins what was left anew. */
    @Test
    void nodeInQuarantine_thatShortLivedProcessesUse_votesAtLast() throws Exception {
        watched(new Client());
        node.command("FLUSHALL");
        Reply reply = null;
        long token = 7;
        while (!GRANTED.equals(reply) && passed.compareTo(Duration.ofMinutes(20)) < 0) {
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
        while (!GRANTED.equals(reply) && passed.compareTo(Duration.ofMinutes(20)) < 0) {
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
    }

    private Client watched(Client client) {
        process = BirthMark.parse(mark()).orElseThrow().process();
        client.inspect();
        return client;
    }

    /** Lets a process look for so many times, nine in ten seconds. */
    private void watch(Client client, int looks) {
        for (int i = 0; i < looks; i++) {
            pass(Duration.ofMillis(1_050));
            client.monitor();
        }
    }

    private void pass(Duration more) {
        passed = passed.plus(more);
        clock.set(passed.plus(ahead));
    }

    private void setAhead(Duration by) {
        ahead = by;
        pass(Duration.ZERO);
    }

    private String ask(String command) {
        Object value = eval(new ScriptBridge.Call(
                "return redis.call('GET', KEYS[1]) or ''", List.of(command.substring(4)), List.of()));
        return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : (String) value;
    }
}
