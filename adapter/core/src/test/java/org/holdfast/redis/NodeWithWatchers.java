// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.guard.AcceptedSettings;
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

/** A real node whose clock a test sets, and clients with their guard, their watch over the clock and their monitor. */
abstract class NodeWithWatchers extends NodeWithClock {

    /** How much time has passed for all, by a right clock, beside what really has. */
    Duration passed = Duration.ZERO;

    private Duration ahead = Duration.ZERO;
    BirthMark.Process process;

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
    final class Client implements NodeProbe, NodeMonitor.Sight {

        private final ClockMonitor clocks;
        private final int nodes;
        private final NodeGuard guard;
        private final NodeMonitor monitor;
        Runnable betweenLookAndWrite = () -> {};
        boolean stoodStill;
        boolean beganQuarantine;

        Client() {
            this(1);
        }

        /** @param nodes the real one, and others whose clocks are right */
        Client(int nodes) {
            this.nodes = nodes;
            clocks = new ClockMonitor(nodes, OneNode.AGREEMENTS.widest());
            guard = new NodeGuard(0, OneNode.AGREEMENTS, new AcceptedSettings.OfOthers(), false, clocks, time);
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
            return clocks.weigh(answer, command, 0, sentAt, time.nanoTime());
        }

        @Override
        public NodeProbe.Sight look() {
            long sentAt = time.nanoTime();
            String mark = ask("GET test:birth");
            boolean heartbeat = !ask("GET test:heartbeat").isEmpty();
            long now = nodeMicros();
            clocks.note(0, 0, sentAt, time.nanoTime(), now);
            return new NodeProbe.Sight(
                    new NodeFacts(process, true, false, false, Optional.empty(), now), mark, heartbeat);
        }

        @Override
        public Optional<Long> write(MarkChange change) {
            betweenLookAndWrite.run();
            long sentAt = time.nanoTime();
            List<?> reply = (List<?>) eval(ScriptBridge.mark("test", change));
            clocks.note(0, 0, sentAt, time.nanoTime(), (Long) reply.get(2));
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
        public long nanosUntilLook(int node) {
            return 0;
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
                clocks.note(node, 0, now, now, now / 1_000 + 1_000_000_000_000L);
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
            clocks.note(0, 0, sentAt, time.nanoTime(), nodeMicros());
            return BirthMark.parse(mark)
                    .filter(it -> clocks.isVouchedFor(0, it.steadyMicros(), it.watchedMicros()))
                    .isPresent();
        }
    }

    Client watched(Client client) {
        process = BirthMark.parse(mark()).orElseThrow().process();
        client.inspect();
        return client;
    }

    /** Lets a process look for so many times, nine in ten seconds. */
    void watch(Client client, int looks) {
        for (int i = 0; i < looks; i++) {
            pass(Duration.ofMillis(1_050));
            client.monitor();
        }
    }

    void pass(Duration more) {
        passed = passed.plus(more);
        clock.set(passed.plus(ahead));
    }

    void setAhead(Duration by) {
        ahead = by;
        pass(Duration.ZERO);
    }

    private String ask(String command) {
        Object value = eval(
                new ScriptCall("return redis.call('GET', KEYS[1]) or ''", List.of(command.substring(4)), List.of()));
        return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : (String) value;
    }
}
