// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.redis.script.ReplyDecoder;
import org.holdfast.redis.script.ScriptBridge;
import org.junit.jupiter.api.Test;

/**
 * Readers and a holder of a real node that stands still in the middle of a script, between its look at the clock and
 * what it does then. Up to Redis 7.0 a TTL counts from the command that sets or reads it, and not from the beginning of
 * the script.
 */
class StalledReadersTest extends NodeWithClock {

    /** Takes longer than the `grain` of readers.lua. */
    private static final String STALL = "for _ = 1, 10000000 do end\n";

    private static final String CLOCK_READ = "local slotSince = 0\n";

    @Test
    void readLease_grantedByAStalledNode_leavesNothingWhenItIsReleased() throws Exception {
        Claim read = claim(READING, ADA, 7);
        assertThat(askStalled(acquire(read))).isEqualTo(GRANTED);

        assertThat(ask(end(read))).isInstanceOf(Reply.Released.class);
        assertThat(node.command("EXISTS test:{x}:lock")).contains(":0");
    }

    @Test
    void readLease_renewedByAStalledNode_leavesNothingWhenItIsReleased() throws Exception {
        Claim read = claim(READING, ADA, 7);
        assertThat(ask(acquire(read))).isEqualTo(GRANTED);
        assertThat(askStalled(renew(claim(READING, ADA, 7, 2 * TTL)))).isEqualTo(GRANTED);

        assertThat(ask(end(read))).isInstanceOf(Reply.Released.class);
        assertThat(node.command("EXISTS test:{x}:lock")).contains(":0");
    }

    @Test
    void writer_continuingAsAReaderOnAStalledNode_leavesNothingWhenItIsReleased() throws Exception {
        assertThat(ask(acquire(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);
        Claim read = claim(READING, ADA, 7);
        assertThat(askStalled(renew(read))).isEqualTo(GRANTED);

        assertThat(ask(end(read))).isInstanceOf(Reply.Released.class);
        assertThat(node.command("EXISTS test:{x}:lock")).contains(":0");
    }

    /** The deleted entry ends later than the other one, by less than the node stands still. */
    @Test
    void readLeaseInForce_whoseEntryWasDeleted_keepsWritersOutWhenAnotherReaderReleasesOnAStalledNode()
            throws Exception {
        Claim other = claim(READING, CAT, 8);
        Claim deleted = claim(READING, ADA, 7, TTL + 60);
        assertThat(ask(acquire(other))).isEqualTo(GRANTED);
        assertThat(ask(acquire(deleted))).isEqualTo(GRANTED);
        node.command("ZREM test:{x}:readers " + ADA.value());

        askStalled(end(other));

        assertIsStillHeld(deleted);
    }

    @Test
    void readLeaseInForce_whoseEntryWasDeleted_keepsWritersOutWhenAReaderComesAndGoesOnAStalledNode() throws Exception {
        Claim deleted = claim(READING, ADA, 7, TTL + 60);
        Claim other = claim(READING, CAT, 8);
        assertThat(ask(acquire(deleted))).isEqualTo(GRANTED);
        node.command("ZREM test:{x}:readers " + ADA.value());

        assertThat(askStalled(acquire(other))).isEqualTo(GRANTED);
        ask(end(other));

        assertIsStillHeld(deleted);
    }

    /** It was acquired for longer than it is renewed for, and its key is lost then. */
    @Test
    void lockInForce_renewedForLessByAStalledNode_endsNoEarlierByItsFence() throws Exception {
        assertThat(ask(acquire(claim(ALONE, ADA, 7, 2 * TTL)))).isEqualTo(GRANTED);
        String fence = node.command("GET test:{x}:fence");

        assertThat(askStalled(renew(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);
        assertThat(node.command("GET test:{x}:fence")).isEqualTo(fence);
    }

    private Reply askStalled(Command command) {
        ScriptCall call = ScriptBridge.call(command, "test", QUARANTINE_MILLIS * 1_000, 0);
        String stalling = call.source().replace(CLOCK_READ, CLOCK_READ + STALL);
        assertThat(stalling).isNotEqualTo(call.source());
        return ReplyDecoder.answer(0, eval(new ScriptCall(stalling, call.keys(), call.arguments())))
                .reply();
    }
}
