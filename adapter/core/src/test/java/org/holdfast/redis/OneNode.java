// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.GuardMode;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.guard.AcceptedSettings;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.redis.address.VoterAddresses;
import org.holdfast.redis.health.NodeLogLimiters;
import org.holdfast.redis.voter.Locators;
import org.holdfast.redis.wire.ConnectionSecurity;
import org.holdfast.redis.wire.NodeConnector;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real node for the tests of a class, empty for each of them, and a channel to it. */
final class OneNode implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    /** A machine that stands still for a second is not a node that hangs. */
    static final Duration NODE_TIMEOUT = Duration.ofSeconds(2);

    /** With a quarantine that no test waits for. */
    static final AcceptedSettings AGREEMENTS = new AcceptedSettings(new SharedSettings(60_000, 600_000, 0.01));

    private RedisServer redis;
    private NodeChannel channel;

    @Override
    public void beforeAll(ExtensionContext context) {
        redis = RedisServer.start(Path.of("target", "redis"));
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        redis.command("FLUSHALL");
        channel = open(false);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        channel.close();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        redis.close();
    }

    /** @param guarded whether the node is in quarantine when it may have forgotten locks */
    NodeChannel open(boolean guarded) {
        return open(redis, guarded);
    }

    /** Opens a channel that knows of no look at the node but its own. */
    static NodeChannel open(RedisServer redis, boolean guarded) {
        return open(redis.uri(), guarded);
    }

    static NodeChannel open(String uri, boolean guarded) {
        return group(uri, guarded, new WaitlessTime()).open();
    }

    static NodeGroup group(String uri, boolean guarded, Time time) {
        return new NodeGroup(
                new Locators(
                                VoterAddresses.parse(uri, "nodes", new ArrayList<>()),
                                new NodeConnector(ConnectionSecurity.DEFAULT, NODE_TIMEOUT, Runnable::run, time),
                                0.01,
                                time)
                        .connector(),
                "test",
                new GuardPolicy(guarded ? GuardMode.QUARANTINE : GuardMode.OFF, AGREEMENTS),
                time,
                Recorder.NONE,
                new NodeLogLimiters(time),
                WakeUp.NONE);
    }

    /** Has its memory be whole since long ago, by its birth mark. */
    static void endQuarantine(RedisServer redis) throws IOException {
        redis.command(
                "EVAL \"for i = 1, 2 do redis.call('SET', KEYS[i],"
                        + " (string.gsub(redis.call('GET', KEYS[i]), '^%d+', '1')), 'KEEPTTL') end\" 2 test:birth test:heartbeat");
    }

    RedisServer redis() {
        return redis;
    }

    /** Returns what the node answers, as it sends it. */
    String command(String command) throws IOException {
        return redis.command(command);
    }

    Round send(Command command) {
        return channel.send(command, NodeSet.of(0));
    }

    Answer ask(Command command) {
        return answerTo(send(command));
    }

    static Answer answerTo(Round round) {
        return round.next(System.nanoTime() + TimeUnit.SECONDS.toNanos(5));
    }

    /** Passes only where the test lets it pass: on a slow machine a window would be over too early. */
    static final class SteppedTime extends WaitlessTime {
        private final AtomicLong nanos = new AtomicLong();

        @Override
        public long nanoTime() {
            return nanos.get();
        }

        @Override
        public long epochMicros() {
            return nanos.get() / 1_000;
        }

        void pass(Duration duration) {
            nanos.addAndGet(duration.toNanos());
        }
    }

    static class WaitlessTime implements Time {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public long epochMicros() {
            return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
        }

        @Override
        public Signal newSignal() {
            throw new UnsupportedOperationException();
        }
    }
}
