// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.redis.script.LockScript;
import org.holdfast.redis.script.ReplyDecoder;
import org.holdfast.redis.script.ScriptBridge;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a real node of a cluster keeps of a slot in which a lock is held, where the slot has lost its keys or what is
 * kept of it. No client has seen that yet.
 */
class KeptSlotsTest extends NodeWithClock {

    private static final String SLOT = "16287";
    private static final String USED = "test:{n}:used";
    private static final String KEPT = "test:{x}:kept";

    /** More than a quarantine. */
    private static final Duration BEHIND = Duration.ofSeconds(-80);

    private String process = "";

    @BeforeEach
    void takeALockInTheSlot() throws Exception {
        process = mark().split(" ")[3];
        node.command("ZADD " + USED + " 0 all"); // as mark.lua begins it in a cluster
        assertThat(attempt(7)).isEqualTo(GRANTED);
    }

    @Test
    void slot_thatHasLostItsKeys_waits() throws Exception {
        loseKeys();
        assertThat(attempt(9)).isInstanceOf(Reply.Quarantined.class);
        assertThat(attempt(11)).isInstanceOf(Reply.Quarantined.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void slot_thatHasLostItsKeysBeforeTheClockIsBehindForAMoment_waitsNoShorter(boolean isLossNoted) throws Exception {
        loseKeys();
        if (isLossNoted) {
            assertThat(attempt(9)).isInstanceOf(Reply.Quarantined.class);
        }

        clock.set(BEHIND);
        assertThat(attempt(11)).isEqualTo(new Reply.Forgotten());
        clock.setRight();

        assertThat(attempt(13)).isInstanceOf(Reply.Quarantined.class);
    }

    /** No look has shown that it was later: the moment is ahead for as long as the step lasts. */
    @Test
    void slot_thatHasLostItsKeysBeforeTheClockIsSetBackALittle_waitsNoShorter() throws Exception {
        loseKeys();
        assertThat(attempt(9)).isInstanceOf(Reply.Quarantined.class);
        String noted = node.command("GET " + KEPT);

        clock.set(Duration.ofMillis(-400));
        assertThat(attempt(11)).isInstanceOf(Reply.Quarantined.class);

        assertThat(node.command("GET " + KEPT)).isEqualTo(noted);
    }

    @Test
    void slot_thatHasLostItsKeysBeforeTheClockIsSetBackForGood_waitsAnew() throws Exception {
        loseKeys();
        assertThat(attempt(9)).isInstanceOf(Reply.Quarantined.class);

        clock.set(BEHIND);
        look();
        attempt(11);

        long since = Long.parseLong(kept().split(" ")[0]);
        assertThat(since).isBetween(nodeMicros() / 1_000 - 60_000, nodeMicros() / 1_000);
    }

    @Test
    void slot_whoseKeyIsOfAnotherType_waitsAndIsKeptAnew() throws Exception {
        loseKeys();
        node.command("RPUSH " + KEPT + " 0");

        assertThat(attempt(9)).isInstanceOf(Reply.Quarantined.class);
        assertThat(kept()).endsWith(" " + process);
    }

    @Test
    void slot_whoseKeyHoldsWhatNoScriptWrites_waitsAlsoWhereItIsNotListed() throws Exception {
        node.command("DEL test:{x}:lock test:{x}:fence " + USED);
        node.command("SET " + KEPT + " other");

        assertThat(attempt(9)).isInstanceOf(Reply.Quarantined.class);
        assertThat(kept()).endsWith(" " + process);
    }

    @Test
    void listOfAnotherType_isWrittenAnew() throws Exception {
        node.command("DEL " + USED);
        node.command("SET " + USED + " other");

        assertThat(attempt(9)).isInstanceOf(Reply.Held.class);
        assertThat(node.command("ZSCORE " + USED + " " + SLOT)).contains("0");
    }

    /** As where the home of the node is moved, and the move is given up after this key: then the slot is moved. */
    @Test
    void slot_thatHasLostItsKeysAfterTheListWasLost_waits() throws Exception {
        node.command("DEL " + USED);
        loseKeys();

        assertThat(attempt(9)).isInstanceOf(Reply.Quarantined.class);
        assertThat(attempt(11)).isInstanceOf(Reply.Quarantined.class);
    }

    @Test
    void slot_thatHasLostItsKeysAfterTheListWasBegunByAnother_waits() throws Exception {
        long begun = nodeMicros() / 1_000 - QUARANTINE_MILLIS;
        node.command("DEL " + USED);
        node.command("ZADD " + USED + " " + begun + " all");
        loseKeys();

        assertThat(attempt(9)).isInstanceOf(Reply.Quarantined.class);
    }

    /** No lock of before can be held any more. */
    @Test
    void slot_thatIsUsedFirstLongAfterTheListWasBegun_doesNotWait() throws Exception {
        long begun = nodeMicros() / 1_000 - 3 * QUARANTINE_MILLIS;
        node.command("DEL " + USED);
        node.command("ZADD " + USED + " " + begun + " all");
        loseKeys();

        assertThat(attempt(9)).isEqualTo(GRANTED);
    }

    /** Its clock was ahead for a moment when the list was begun. */
    @Test
    void slot_thatHasLostItsKeysAfterTheListWasBegunByAClockAhead_waits() throws Exception {
        long begun = nodeMicros() / 1_000 + QUARANTINE_MILLIS;
        node.command("DEL " + USED);
        node.command("ZADD " + USED + " " + begun + " all");
        loseKeys();

        assertThat(attempt(9)).isInstanceOf(Reply.Quarantined.class);
    }

    /** A moment by this clock would be long ago when it is right again. */
    @Test
    void list_thatIsLostWhileTheClockIsBehind_isBegunWithoutAMoment() throws Exception {
        node.command("DEL " + USED);
        loseKeys();
        clock.set(BEHIND.multipliedBy(10));
        attempt(9);
        clock.setRight();

        assertThat(node.command("ZSCORE " + USED + " all")).startsWith("$-1");
        assertThat(attempt(11)).isInstanceOf(Reply.Quarantined.class);
    }

    /** A renewal goes on then. It needs no moment, and the slot must be known to have been used. */
    @Test
    void slot_inWhichALockWasRenewedOnlyWhileTheClockWasBehind_waitsWhereItHasLostItsKeys() throws Exception {
        node.command("ZREM " + USED + " " + SLOT);
        clock.set(BEHIND);
        assertThat(ask(LockScript.RENEW_IN_SHARD, renew(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);
        clock.setRight();
        loseKeys();

        assertThat(attempt(9)).isInstanceOf(Reply.Quarantined.class);
    }

    /** A renewal needs no memory. The list, which mark.lua has begun at the next home of the node, needs some. */
    @Test
    void slot_thatHasLostItsKeysAfterItsLockWasRenewedOnAFullNode_waits() throws Exception {
        node.command("DEL " + USED);
        node.command("ZADD " + USED + " 0 all");
        node.command("CONFIG SET maxmemory 1");
        assertThat(ask(LockScript.RENEW_IN_SHARD, renew(claim(ALONE, ADA, 7)))).isEqualTo(GRANTED);

        loseKeys();
        node.command("CONFIG SET maxmemory 0");
        assertThat(attempt(9)).isInstanceOf(Reply.Quarantined.class);
    }

    /** Another user may read it, and would find that no script has run in the slot. */
    @Test
    void slot_usedByAUserThatMayNotReadTheList_isListed() throws Exception {
        node.command("DEL " + USED);
        node.command("ACL SETUSER default -zscore");
        assertThat(attempt(9)).isInstanceOf(Reply.Held.class);

        node.command("ACL SETUSER default +zscore");
        loseKeys();
        assertThat(attempt(11)).isInstanceOf(Reply.Quarantined.class);
    }

    /** As a node does when the slot is taken from it. */
    private void loseKeys() throws Exception {
        node.command("DEL test:{x}:lock test:{x}:fence " + KEPT);
    }

    private String kept() throws Exception {
        return line("GET " + KEPT);
    }

    private String line(String command) throws Exception {
        return node.command(command).lines().skip(1).findFirst().orElseThrow();
    }

    private Reply attempt(long token) {
        return ask(LockScript.ACQUIRE_IN_SHARD, acquire(claim(ALONE, token == 7 ? ADA : BOB, token)));
    }

    private Reply ask(LockScript script, Command command) {
        ScriptCall alone = ScriptBridge.whole(command, "test", QUARANTINE_MILLIS * 1_000);
        int locks = alone.keys().size() - 2;
        List<String> arguments = new ArrayList<>(alone.arguments());
        arguments.addAll(List.of(SLOT, USED, KEPT, "test:heartbeat", "test:birth", "0", process));
        String source = new String(script.source(), StandardCharsets.UTF_8);
        return ReplyDecoder.answer(0, eval(new ScriptCall(source, alone.keys().subList(0, locks), arguments)))
                .reply();
    }
}
