// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.holdfast.redis.OneLock.ADA;
import static org.holdfast.redis.OneLock.BOB;
import static org.holdfast.redis.OneLock.FENCE;
import static org.holdfast.redis.OneLock.TTL;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.node.Ticket;
import org.holdfast.redis.script.LockScript;
import org.holdfast.redis.script.ScriptBridge;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** The scripts on one real node that has no free memory. */
@Timeout(60)
class FullMemoryTest {

    @RegisterExtension
    private static final OneNode NODE = new OneNode();

    private final OneLock lock = new OneLock(NODE);

    @Test
    void nodeWithoutFreeMemory_stillReleasesRenewsAndUndoes() throws Exception {
        Claim reader = new Claim(new Target.Shared("r"), ADA, 7, TTL, FENCE);
        Claim two = new Claim(new Target.Exclusive(List.of("v", "w")), ADA, 7, TTL, FENCE);
        Ticket ticket = new Ticket("q", BOB, 5, false, false, TTL);
        Claim held = new Claim(new Target.Exclusive("x"), ADA, 7, 3 * TTL, FENCE); // also where all this takes long
        assertThat(NODE.ask(AnyToken.acquire(held)).reply()).isEqualTo(new Reply.Granted());
        NODE.ask(AnyToken.acquireIfNobodyWaits(reader));
        NODE.ask(AnyToken.acquire(two));
        NODE.ask(new Command.Refresh(List.of(ticket)));
        NODE.command("CONFIG SET maxmemory-policy noeviction");
        NODE.command("CONFIG SET maxmemory 1");
        try {
            assertThat(NODE.command("SET a b")).startsWith("-OOM");
            assertThat(lock.acquire(BOB, 8)).as("held").isInstanceOf(Reply.Held.class);
            for (Claim claim : List.of(reader, two)) {
                assertThat(NODE.ask(new Command.Renew(claim)).reply()).isEqualTo(new Reply.Granted());
                assertThat(NODE.ask(AnyToken.release(claim, true)).reply()).isEqualTo(new Reply.Released(0));
                assertThat(NODE.ask(new Command.Renew(claim)).reply()).isEqualTo(new Reply.TokenTooSmall(8));
            }
            assertThat(lock.renew(ADA, 7)).isEqualTo(new Reply.Granted());
            assertThat(lock.release(ADA, 7, false)).isEqualTo(new Reply.Released(0));
            assertThat(lock.release(BOB, 9, true))
                    .as("a tombstone where there is nothing")
                    .isEqualTo(new Reply.Gone());
            assertThat(lock.renew(BOB, 9)).isEqualTo(new Reply.TokenTooSmall(10));
            assertThat(lock.acquire(BOB, 11))
                    .asInstanceOf(type(Reply.Refused.class))
                    .extracting(Reply.Refused::reason)
                    .asString()
                    .contains("OOM");
            assertThat(NODE.ask(new Command.Refresh(List.of(ticket))).reply()).isEqualTo(new Reply.Noted());
            assertThat(NODE.ask(new Command.Leave(ticket, true)).reply()).isEqualTo(new Reply.Noted());
        } finally {
            NODE.command("CONFIG SET maxmemory 0");
        }
    }

    /** One that could not note its slots would be set aside, with every lease on it. */
    @Test
    void nodeWithoutFreeMemory_stillNotesSlots() throws Exception {
        try (Jedis node = new Jedis("127.0.0.1", NODE.redis().port())) {
            assertThat(noteSlots(node, "", "a 1 0-9:5")).isEqualTo(1L);
            node.configSet("maxmemory", "1");
            assertThat(noteSlots(node, "a 1 0-9:5", "a 1 0-9:5 10-11:7")).isEqualTo(1L);
            assertThat(noteSlots(node, "another", "b 1 0-9:5")).isEqualTo(0L);
            assertThat(node.get("test:slots")).isEqualTo("a 1 0-9:5 10-11:7");
        } finally {
            NODE.command("CONFIG SET maxmemory 0");
        }
    }

    private static Object noteSlots(Jedis node, String seen, String record) {
        String script = new String(LockScript.SLOTS.source(), StandardCharsets.UTF_8);
        return node.eval(script, List.of("test:slots"), List.of(seen, record));
    }

    @Test
    void nodeWithoutFreeMemory_isFreedByForce() throws Exception {
        lock.acquire(ADA, 7);
        NODE.command("CONFIG SET maxmemory 1");
        try {
            Command force =
                    new Command.ForceRelease(List.of(new Target.Exclusive("x")), 9, FENCE, AnyToken.MAX_SKEW_MICROS);
            assertThat(NODE.ask(force).reply()).isInstanceOf(Reply.Seen.class);
            assertThat(lock.renew(ADA, 7)).isEqualTo(new Reply.TokenTooSmall(9));
        } finally {
            NODE.command("CONFIG SET maxmemory 0");
        }
    }

    /** As callers without a guard leave it. */
    @Test
    void lockOfAnotherOwner_whoseFenceSaysNothingOfALease_isHeldOnAFullNode() throws Exception {
        try (Jedis node = new Jedis("127.0.0.1", NODE.redis().port())) {
            long now = Long.parseLong(node.time().get(0)) * 1_000_000;
            node.set("full:heartbeat", (now - 200_000_000) + " " + now);
            node.set(
                    "full:{x}:lock", "0 1 " + BOB.value(), SetParams.setParams().px(TTL));
            node.set("full:{x}:fence", "5");
            Claim claim = new Claim(new Target.Exclusive("x"), ADA, now, TTL, FENCE);
            ScriptCall call = ScriptBridge.call(
                    new Command.Acquire(claim, Optional.empty(), 10_000_000), "full", TimeUnit.MINUTES.toMicros(1));
            NODE.command("CONFIG SET maxmemory-policy noeviction");
            NODE.command("CONFIG SET maxmemory 1");
            Object raw = node.eval(call.source(), call.keys(), call.arguments());
            assertThat(ScriptBridge.answer(0, raw).reply()).isInstanceOf(Reply.Held.class);
        } finally {
            NODE.command("CONFIG SET maxmemory 0");
        }
    }
}
