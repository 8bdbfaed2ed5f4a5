// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.script.ReplyDecoder;
import org.holdfast.redis.script.ScriptBridge;
import org.holdfast.testkit.ClockShim;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/** A real node for one test, which sets the node's clock; and what clients ask that node. */
@Timeout(60)
abstract class NodeWithClock {

    static final Owner ADA = new Owner("a".repeat(40));
    static final Owner BOB = new Owner("b".repeat(40));
    static final Owner CAT = new Owner("c".repeat(40));
    static final Owner DAN = new Owner("d".repeat(40));
    static final long TTL = 30_000;
    /** More than the lease, less than the quarantine. */
    static final Duration JUMP = Duration.ofSeconds(40);

    static final Target ALONE = new Target.Exclusive("x");
    static final Target READING = new Target.Shared("x");
    static final Reply GRANTED = new Reply.Granted();

    private static final long QUARANTINE_MICROS =
            OneNode.AGREEMENTS.widest().quarantine().toNanos() / 1_000;
    static final long QUARANTINE_MILLIS = QUARANTINE_MICROS / 1_000;
    static final long LINGER_MILLIS = OneNode.AGREEMENTS.widest().linger().toMillis();

    @TempDir
    Path directory;

    ClockShim clock;
    RedisServer node;
    private Jedis jedis;

    @BeforeEach
    void start() throws Exception {
        clock = ClockShim.in(directory).orElse(null);
        assumeTrue(clock != null, ClockShim.NEEDS);
        node = RedisServer.startWithClock(directory, clock);
        look();
        OneNode.endQuarantine(node); // a client that has found it would believe nothing before its end
        jedis = new Jedis("127.0.0.1", node.port(), 20_000); // a node may stand still
    }

    @AfterEach
    void stop() {
        if (node != null) {
            jedis.close();
            node.close();
        }
    }

    /** Looks at the node, as a client does that has just started. */
    void look() throws IOException {
        try (NodeChannel client = OneNode.open(node, true)) {
            client.prepare();
        }
    }

    void assertIsStillHeld(Claim held) {
        assertThat(ask(acquire(claim(held.target() instanceof Target.Shared ? ALONE : held.target(), BOB, 19))))
                .isInstanceOf(Reply.Held.class);
        assertThat(ask(renew(held))).isEqualTo(GRANTED);
        assertThat(ask(end(held))).isEqualTo(new Reply.Released(0));
    }

    static Claim claim(Target target, Owner owner, long token) {
        return claim(target, owner, token, TTL);
    }

    static Claim claim(Target target, Owner owner, long token, long ttlMillis) {
        return new Claim(target, owner, token, ttlMillis, TTL + 60_000);
    }

    static Command acquire(Claim claim) {
        return claim.target() instanceof Target.Shared ? AnyToken.acquireIfNobodyWaits(claim) : AnyToken.acquire(claim);
    }

    static Command renew(Claim lease) {
        return new Command.Renew(lease);
    }

    /** Ends a lease. */
    static Command end(Claim lease) {
        return AnyToken.release(lease, true);
    }

    /** Undoes an attempt whose answer came. */
    static Command undo(Claim attempt) {
        return AnyToken.release(attempt, false);
    }

    /** Releases the lock by force, with a token that the operator has drawn. */
    static Command force(long token) {
        return new Command.ForceRelease(List.of(ALONE), token, TTL + 60_000, AnyToken.MAX_SKEW_MICROS);
    }

    /** Sends it as another process would that does not know this node's clock: it sees no jump in the answer. */
    Reply ask(Command command) {
        return askVouching(command, 0);
    }

    /** Sends it as another process would that has watched this node's clock, and believes it. */
    Reply askVouching(Command command) {
        return ask(command) instanceof Reply.Ended ended ? askVouching(command, ended.atMillis()) : ask(command);
    }

    /** @param vouchedMillis leases that ended until then by the node's clock have ended */
    Reply askVouching(Command command, long vouchedMillis) {
        return ReplyDecoder.answer(0, eval(ScriptBridge.call(command, "test", QUARANTINE_MICROS, vouchedMillis)))
                .reply();
    }

    /** Sends a renewal by which the lock may end earlier, as a client does that knows the node's right clock. */
    Reply askShortening(Claim lease) {
        return askShortening(lease, System.currentTimeMillis());
    }

    /** @param rightMillis what a clock shows that is right */
    Reply askShortening(Claim lease, long rightMillis) {
        Command.Renew last = new Command.Renew(lease, true);
        return ReplyDecoder.answer(0, eval(ScriptBridge.shortening(last, "test", QUARANTINE_MICROS, rightMillis)))
                .reply();
    }

    Object eval(ScriptCall call) {
        return jedis.eval(call.source(), call.keys(), call.arguments());
    }

    /** Returns the node's clock, in microseconds. */
    long nodeMicros() {
        List<?> now = (List<?>) eval(new ScriptCall("return redis.call('TIME')", List.of("test:birth"), List.of()));
        return Long.parseLong((String) now.get(0)) * 1_000_000 + Long.parseLong((String) now.get(1));
    }

    /** Returns the birth mark. */
    String mark() {
        return jedis.get(ScriptBridge.markKey("test"));
    }

    /** Returns for how many milliseconds more a key lasts by the node's clock, or less than 0 if it is gone. */
    long lastsFor(String key) {
        return jedis.pttl(key);
    }

    /** Returns by how much one key outlives another: both are looked at in the same moment. */
    long outlivesBy(String key, String other) {
        return (Long) jedis.eval(
                "return redis.call('PTTL', KEYS[1]) - redis.call('PTTL', KEYS[2])", List.of(key, other), List.of());
    }
}
