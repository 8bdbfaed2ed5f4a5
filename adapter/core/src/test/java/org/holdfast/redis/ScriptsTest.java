// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.node.Ticket;
import org.holdfast.redis.script.LockScript;
import org.holdfast.redis.script.ReplyDecoder;
import org.holdfast.redis.script.ScriptBridge;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

/** The scripts and the channel against one real node. */
@Timeout(60)
class ScriptsTest {

    private static final Owner ADA = new Owner("a".repeat(40));
    private static final Owner BOB = new Owner("b".repeat(40));
    private static final long TTL = 10_000;
    private static final long FENCE = 70_000;

    /** What a machine may take between two lines of a test. */
    private static final long SLACK = 4_000;

    @RegisterExtension
    private static final OneNode NODE = new OneNode();

    private static Answer ask(Command command) {
        return NODE.ask(command);
    }

    private Reply acquire(Owner owner, long token) {
        return ask(AnyToken.acquire(new Claim(new Target.Exclusive("x"), owner, token, TTL, FENCE)))
                .reply();
    }

    private Reply renew(Owner owner, long token) {
        return ask(new Command.Renew(new Claim(new Target.Exclusive("x"), owner, token, TTL, FENCE)))
                .reply();
    }

    private Reply release(Owner owner, long token, boolean tombstone) {
        return ask(AnyToken.release(new Claim(new Target.Exclusive("x"), owner, token, TTL, FENCE), tombstone))
                .reply();
    }

    @Test
    void acquire_free_isGrantedWithTimesToLive() throws Exception {
        assertThat(acquire(ADA, 7)).isEqualTo(new Reply.Granted());
        assertThat(NODE.command("GET test:{x}:lock")).contains(ADA.value());
        assertThat(NODE.command("GET test:{x}:fence")).contains("\r\n7\r\n");
        assertThat(millis("PTTL test:{x}:lock")).isBetween(TTL - SLACK, TTL);
        assertThat(millis("PTTL test:{x}:fence")).isBetween(FENCE - SLACK, FENCE);
    }

    @Test
    void lock_whoseLeaseHasEnded_keepsAClientOutThatHasJustCome_andMayBeRenewed() throws Exception {
        try (NodeChannel guarded = openTrusted()) {
            awaitEnd(guarded, new Target.Exclusive("x"));
            assertThat(tell(guarded, new Command.Inspect(List.of(new Target.Exclusive("x")))))
                    .isEqualTo(new Reply.Seen(7, List.of()));
            assertThat(tell(guarded, new Command.Renew(new Claim(new Target.Exclusive("x"), ADA, 7, 100, FENCE))))
                    .as("no holder has taken it over that")
                    .isEqualTo(new Reply.Granted());
            Thread.sleep(150);
            assertThat(tell(guarded, AnyToken.acquire(new Claim(new Target.Exclusive("x"), BOB, 8, TTL, FENCE))))
                    .as("it cannot know whether the node's clock is right")
                    .isInstanceOf(Reply.Held.class);
        }
    }

    @Test
    void readers_whoseLeasesHaveEnded_keepAWriterOutThatHasJustCome() throws Exception {
        try (NodeChannel guarded = openTrusted()) {
            awaitEnd(guarded, new Target.Shared("x"));
            assertThat(NODE.command("EXISTS test:{x}:readers")).isEqualTo(":1\r\n");
            assertThat(tell(guarded, new Command.Inspect(List.of(new Target.Exclusive("x")))))
                    .isEqualTo(new Reply.Seen(7, List.of()));
            assertThat(tell(guarded, AnyToken.acquire(new Claim(new Target.Exclusive("x"), BOB, 8, TTL, FENCE))))
                    .isInstanceOf(Reply.Held.class);
        }
    }

    @Test
    void permit_whoseLeaseHasEnded_isFree() throws Exception {
        try (NodeChannel guarded = openTrusted()) {
            awaitEnd(guarded, new Target.Permit("x", 0));
            assertThat(tell(guarded, new Command.FindPermit("x", 1, 0))).isEqualTo(new Reply.Free(0));
        }
    }

    /** A channel that finds no quarantine when it looks: one that has found it would believe nothing before its end. */
    private static NodeChannel openTrusted() throws Exception {
        try (NodeChannel first = NODE.open(true)) {
            first.prepare();
        }
        OneNode.endQuarantine(NODE.redis());
        NodeChannel guarded = NODE.open(true);
        guarded.prepare();
        return guarded;
    }

    private static Reply tell(NodeChannel channel, Command command) {
        return OneNode.answerTo(channel.send(command, NodeSet.of(0))).reply();
    }

    /** Has ADA take it for 100 ms, and waits until that is over: the node's own clock decides. */
    private static void awaitEnd(NodeChannel channel, Target target) throws Exception {
        Claim claim = new Claim(target, ADA, 7, 100, FENCE);
        Command acquire =
                target instanceof Target.Shared ? AnyToken.acquireIfNobodyWaits(claim) : AnyToken.acquire(claim);
        assertThat(tell(channel, acquire)).isEqualTo(new Reply.Granted());
        Thread.sleep(150);
        assertThat(NODE.command("KEYS *:lock")).as("it lingers").startsWith("*1");
    }

    private static long millis(String command) throws Exception {
        return Long.parseLong(NODE.command(command).substring(1).trim());
    }

    @Test
    void acquire_heldByAnother_tellsForHowLong() {
        acquire(ADA, 7);
        assertThat(acquire(BOB, 8))
                .asInstanceOf(type(Reply.Held.class))
                .satisfies(held -> assertThat(held.remainingMillis()).isBetween(TTL - SLACK, TTL));
    }

    @Test
    void acquire_sentTwiceByTheSameOwner_isGrantedTwice() {
        acquire(ADA, 7);
        assertThat(acquire(ADA, 7)).isEqualTo(new Reply.Granted());
    }

    @Test
    void acquire_withATokenNotLargerThanTheLast_isRefusedWithThat() {
        long large = 1_800_000_000_123_456L;
        acquire(ADA, large);
        release(ADA, large, true);
        assertThat(acquire(BOB, large)).isEqualTo(new Reply.TokenTooSmall(large + 1));
        assertThat(acquire(BOB, large + 1)).isEqualTo(new Reply.TokenTooSmall(large + 1));
        assertThat(acquire(BOB, large + 2)).isEqualTo(new Reply.Granted());
    }

    @Test
    void release_byItsOwner_freesAndLeavesATombstoneOnlyIfTold() {
        acquire(ADA, 7);
        assertThat(release(ADA, 7, false)).isEqualTo(new Reply.Released(0));
        assertThat(acquire(BOB, 8)).isEqualTo(new Reply.Granted());
        assertThat(release(BOB, 8, true)).isEqualTo(new Reply.Released(0));
        assertThat(acquire(ADA, 9)).isEqualTo(new Reply.TokenTooSmall(9));
    }

    @Test
    void release_byAnother_touchesNothing() throws Exception {
        acquire(ADA, 7);
        assertThat(release(BOB, 3, true)).isInstanceOf(Reply.Held.class);
        assertThat(NODE.command("GET test:{x}:lock")).contains(ADA.value());
        assertThat(renew(ADA, 7)).isEqualTo(new Reply.Granted());
    }

    @Test
    void release_ofNothing_saysSoAndStillLeavesTheTombstone() {
        assertThat(release(ADA, 7, true)).isEqualTo(new Reply.Gone());
        assertThat(acquire(ADA, 7))
                .as("the acquisition that the release has overtaken")
                .isEqualTo(new Reply.TokenTooSmall(8));
        assertThat(renew(ADA, 7)).as("a renewal that was still under way").isEqualTo(new Reply.TokenTooSmall(8));
    }

    @Test
    void undoneAttempt_staysRefusedAndKeepsNobodyFromHealing() throws Exception {
        acquire(ADA, 7);
        NODE.command("DEL test:{x}:lock");
        acquire(BOB, 20);
        acquire(BOB, 20); // asked again, since the reply was lost
        assertThat(release(BOB, 20, false)).isEqualTo(new Reply.Released(0));
        assertThat(fence()).isEqualTo("20 7");
        assertThat(millis("PTTL test:{x}:fence")).isGreaterThan(FENCE - SLACK);
        assertThat(acquire(BOB, 20)).as("sent twice below us").isEqualTo(new Reply.TokenTooSmall(20));
        assertThat(renew(ADA, 6)).as("of an earlier lease").isEqualTo(new Reply.TokenTooSmall(7));
        assertThat(renew(ADA, 7)).isEqualTo(new Reply.Granted());
        release(ADA, 7, true);
        assertThat(fence()).isEqualTo("20 8");
        assertThat(renew(ADA, 7)).isEqualTo(new Reply.TokenTooSmall(8));
        assertThat(acquire(ADA, 21)).isEqualTo(new Reply.Granted());
        assertThat(fence()).isEqualTo("21");
    }

    @Test
    void lostAttempt_staysRefusedAndKeepsNobodyFromHealing() throws Exception {
        Claim lost = new Claim(new Target.Exclusive("x"), BOB, 20, TTL, FENCE);
        ask(AnyToken.undoLost(lost));
        assertThat(fence()).isEqualTo("21 0");
        assertThat(acquire(BOB, 20)).isEqualTo(new Reply.TokenTooSmall(21));
        assertThat(renew(ADA, 7)).isEqualTo(new Reply.Granted());
        assertThat(fence()).isEqualTo("21 7");
        acquire(ADA, 7);
        ask(AnyToken.undoLost(lost));
        assertThat(renew(ADA, 7)).isEqualTo(new Reply.Granted());
    }

    @Test
    void undoneAttempt_keepsTheTombstoneOfALeaseThatCameMeanwhile() throws Exception {
        acquire(BOB, 20);
        release(ADA, 7, true);
        release(BOB, 20, false);
        assertThat(fence()).isEqualTo("20 8");
        assertThat(renew(ADA, 7)).isEqualTo(new Reply.TokenTooSmall(8));
    }

    @Test
    void undoneAttempt_ofALeaseThatWasRenewed_keepsItsToken() throws Exception {
        acquire(BOB, 20);
        renew(BOB, 20);
        release(BOB, 20, false);
        assertThat(fence()).isEqualTo("20");
    }

    @Test
    void undoneReaders_keepNobodyFromHealingWhenTheLastOneIsUndone() throws Exception {
        assertThat(read(ADA, 20)).isEqualTo(new Reply.Granted());
        assertThat(read(BOB, 22)).isEqualTo(new Reply.Granted());
        releaseReader(BOB, 22, false);
        assertThat(fence()).isEqualTo("22");
        releaseReader(ADA, 20, false);
        assertThat(fence()).isEqualTo("22 0");
        assertThat(NODE.command("EXISTS test:{x}:lock test:{x}:readers")).isEqualTo(":0\r\n");

        Command renewReader = new Command.Renew(new Claim(new Target.Shared("x"), ADA, 7, TTL, FENCE));
        assertThat(ask(renewReader).reply()).as("heals").isEqualTo(new Reply.Granted());
        assertThat(read(BOB, 22)).isEqualTo(new Reply.TokenTooSmall(22));
        assertThat(ask(new Command.Renew(new Claim(new Target.Shared("x"), BOB, 6, TTL, FENCE)))
                        .reply())
                .as("heals too, among readers")
                .isEqualTo(new Reply.Granted());
    }

    @Test
    void undoneReader_keepsTheTokensOfThoseThatHaveRead() throws Exception {
        read(ADA, 20);
        read(BOB, 22);
        releaseReader(ADA, 20, true);
        releaseReader(BOB, 22, false);
        assertThat(fence()).isEqualTo("22 21");

        read(ADA, 30);
        ask(new Command.Renew(new Claim(new Target.Shared("x"), ADA, 30, TTL, FENCE)));
        releaseReader(ADA, 30, false);
        assertThat(fence()).isEqualTo("30");

        read(ADA, 40);
        release(BOB, 32, true); // of a lease to have it alone
        releaseReader(ADA, 40, false);
        assertThat(fence()).isEqualTo("40 33");
    }

    private static String fence() throws Exception {
        return NODE.command("GET test:{x}:fence").split("\r\n")[1];
    }

    @Test
    void undoneReader_keepsTheTombstoneThatItHasLeftBefore() {
        read(BOB, 22);
        read(ADA, 20);
        releaseReader(ADA, 20, true);
        assertThat(NODE.ask(AnyToken.release(new Claim(new Target.Shared("x"), ADA, 20, TTL, FENCE), false))
                        .reply())
                .isEqualTo(new Reply.Gone());
        assertThat(read(ADA, 20)).as("the acquisition that comes late").isEqualTo(new Reply.TokenTooSmall(22));
    }

    @Test
    void undoneReader_keepsTheTokenOfOneWhoseLeaseHasEndedMeanwhile() throws Exception {
        ask(AnyToken.acquireIfNobodyWaits(new Claim(new Target.Shared("x"), ADA, 20, 100, FENCE)));
        read(BOB, 22);
        Thread.sleep(150); // the node's own clock
        releaseReader(BOB, 22, false);
        assertThat(fence()).isEqualTo("22");
    }

    private static Reply read(Owner owner, long token) {
        return NODE.ask(AnyToken.acquireIfNobodyWaits(new Claim(new Target.Shared("x"), owner, token, TTL, FENCE)))
                .reply();
    }

    private static void releaseReader(Owner owner, long token, boolean tombstone) {
        assertThat(NODE.ask(AnyToken.release(new Claim(new Target.Shared("x"), owner, token, TTL, FENCE), tombstone))
                        .reply())
                .isInstanceOf(Reply.Released.class);
    }

    @Test
    void nodeWithoutFreeMemory_stillReleasesRenewsAndUndoes() throws Exception {
        Claim reader = new Claim(new Target.Shared("r"), ADA, 7, TTL, FENCE);
        Claim two = new Claim(new Target.Exclusive(List.of("v", "w")), ADA, 7, TTL, FENCE);
        Ticket ticket = new Ticket("q", BOB, 5, false, false, TTL);
        acquire(ADA, 7);
        ask(AnyToken.acquireIfNobodyWaits(reader));
        ask(AnyToken.acquire(two));
        ask(new Command.Refresh(List.of(ticket)));
        NODE.command("CONFIG SET maxmemory-policy noeviction");
        NODE.command("CONFIG SET maxmemory 1");
        try {
            assertThat(NODE.command("SET a b")).startsWith("-OOM");
            assertThat(acquire(BOB, 8)).as("held").isInstanceOf(Reply.Held.class);
            for (Claim claim : List.of(reader, two)) {
                assertThat(ask(new Command.Renew(claim)).reply()).isEqualTo(new Reply.Granted());
                assertThat(ask(AnyToken.release(claim, true)).reply()).isEqualTo(new Reply.Released(0));
                assertThat(ask(new Command.Renew(claim)).reply()).isEqualTo(new Reply.TokenTooSmall(8));
            }
            assertThat(renew(ADA, 7)).isEqualTo(new Reply.Granted());
            assertThat(release(ADA, 7, false)).isEqualTo(new Reply.Released(0));
            assertThat(release(BOB, 9, true))
                    .as("a tombstone where there is nothing")
                    .isEqualTo(new Reply.Gone());
            assertThat(renew(BOB, 9)).isEqualTo(new Reply.TokenTooSmall(10));
            assertThat(acquire(BOB, 11))
                    .asInstanceOf(type(Reply.Refused.class))
                    .extracting(Reply.Refused::reason)
                    .asString()
                    .contains("OOM");
            assertThat(ask(new Command.Refresh(List.of(ticket))).reply()).isEqualTo(new Reply.Noted());
            assertThat(ask(new Command.Leave(ticket, true)).reply()).isEqualTo(new Reply.Noted());
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
        acquire(ADA, 7);
        NODE.command("CONFIG SET maxmemory 1");
        try {
            Command force =
                    new Command.ForceRelease(List.of(new Target.Exclusive("x")), 9, FENCE, AnyToken.MAX_SKEW_MICROS);
            assertThat(ask(force).reply()).isInstanceOf(Reply.Seen.class);
            assertThat(renew(ADA, 7)).isEqualTo(new Reply.TokenTooSmall(9));
        } finally {
            NODE.command("CONFIG SET maxmemory 0");
        }
    }

    @Test
    void release_isPublished() throws Exception {
        acquire(ADA, 7);
        try (java.net.Socket subscriber =
                new java.net.Socket("127.0.0.1", NODE.redis().port())) {
            subscriber.setSoTimeout(5_000);
            subscriber.getOutputStream().write("SUBSCRIBE test:{x}:released\r\n".getBytes(StandardCharsets.UTF_8));
            byte[] bytes = new byte[1_024];
            subscriber.getInputStream().read(bytes);
            release(ADA, 7, true);
            int length = subscriber.getInputStream().read(bytes);
            assertThat(new String(bytes, 0, length, StandardCharsets.UTF_8))
                    .contains("message", "test:{x}:released", ADA.value());
        }
    }

    @Test
    void renew_byItsOwner_extends() throws Exception {
        acquire(ADA, 7);
        NODE.command("PEXPIRE test:{x}:lock 500");
        assertThat(renew(ADA, 7)).isEqualTo(new Reply.Granted());
        assertThat(millis("PTTL test:{x}:lock")).isGreaterThan(TTL - SLACK);
    }

    @Test
    void renew_ofALostKey_healsUnlessALaterLeaseWasGranted() throws Exception {
        acquire(ADA, 7);
        NODE.command("DEL test:{x}:lock");
        assertThat(renew(ADA, 7)).isEqualTo(new Reply.Granted());

        NODE.command("DEL test:{x}:lock");
        acquire(BOB, 8);
        assertThat(renew(ADA, 7)).isInstanceOf(Reply.Held.class);
        NODE.command("DEL test:{x}:lock");
        assertThat(renew(ADA, 7)).isEqualTo(new Reply.TokenTooSmall(8));
    }

    @Test
    void renew_whileAContenderHasLeftATombstone_extendsAndKeepsThat() throws Exception {
        acquire(ADA, 7);
        release(BOB, 11, true); // BOB's acquisition got no answer, and is being undone
        assertThat(renew(ADA, 7)).isEqualTo(new Reply.Granted());
        assertThat(NODE.command("GET test:{x}:fence")).contains("\r\n12\r\n");
        assertThat(millis("PTTL test:{x}:fence")).isGreaterThan(FENCE - SLACK);

        release(ADA, 7, true);
        assertThat(acquire(BOB, 11)).as("the undone acquisition arrives late").isEqualTo(new Reply.TokenTooSmall(12));
    }

    @Test
    void reader_releasedWhileAnotherHadTheLockAlone_doesNotComeInWhenThatOneGoesOnReading() {
        Claim reader = new Claim(new Target.Shared("x"), BOB, 9, TTL, FENCE);
        acquire(ADA, 7);
        ask(AnyToken.release(reader, true));
        ask(new Command.Renew(new Claim(new Target.Shared("x"), ADA, 7, TTL, FENCE)));

        assertThat(ask(AnyToken.acquireIfNobodyWaits(reader)).reply()).isEqualTo(new Reply.TokenTooSmall(10));
    }

    @Test
    void token_furtherFromTheNodesClockThanAllowed_isRefusedAheadAndBehindAndLeavesNothing() throws Exception {
        long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
        for (long off : new long[] {-301_000_000, 310_000_000}) { // drawn long ago, or by a wrong clock
            for (Target target : List.of(new Target.Exclusive("x"), new Target.Shared("x"))) {
                Optional<Command.Queueing> queueing = target instanceof Target.Shared
                        ? Optional.of(new Command.Queueing(Optional.empty()))
                        : Optional.empty();
                Claim claim = new Claim(target, ADA, now + off, TTL, FENCE);
                assertThat(ask(new Command.Acquire(claim, queueing, 300_000_000))
                                .reply())
                        .asInstanceOf(type(Reply.TokenSkewed.class))
                        .satisfies(far -> assertThat(far.aheadMillis()).isBetween(off / 1_000 - 10_000, off / 1_000));
            }
            assertThat(ask(new Command.ForceRelease(List.of(new Target.Exclusive("x")), now + off, FENCE, 300_000_000))
                            .reply())
                    .isInstanceOf(Reply.TokenSkewed.class);
        }
        assertThat(NODE.command("EXISTS test:{x}:lock test:{x}:fence")).isEqualTo(":0\r\n");
    }

    @Test
    void ticket_numberedByAClockThatIsFarAhead_getsNoPlace() throws Exception {
        long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
        for (boolean known : new boolean[] {false, true}) { // once it has its place a quorum has agreed to its number
            Ticket ticket = new Ticket("x", BOB, now + 310_000_000, false, known, TTL);
            Command acquire = new Command.Acquire(
                    new Claim(new Target.Exclusive("x"), ADA, now, TTL, FENCE),
                    Optional.of(new Command.Queueing(Optional.of(ticket))),
                    300_000_000);
            assertThat(ask(acquire).reply()).isInstanceOf(known ? Reply.Granted.class : Reply.TokenSkewed.class);
        }
    }

    private Reply askInTurn(Ticket ticket) {
        Claim claim = new Claim(new Target.Exclusive("x"), ADA, 7, TTL, FENCE);
        return ask(new Command.Acquire(
                        claim, Optional.of(new Command.Queueing(Optional.of(ticket))), AnyToken.MAX_SKEW_MICROS))
                .reply();
    }

    /** As a clock leaves it behind that was an hour ahead while a waiter drew its ticket. */
    @Test
    void ticket_thatExpiresLaterThanItMay_keepsOthersOutForOneTtl() throws Exception {
        NODE.command("ZADD test:{x}:queue 5 gone");
        NODE.command("ZADD test:{x}:tickets " + (System.currentTimeMillis() + 3_600_000) + " gone");
        Ticket mine = new Ticket("x", BOB, 6, false, false, 300);
        askInTurn(mine);
        assertThat(askInTurn(mine))
                .asInstanceOf(type(Reply.Queued.class))
                .satisfies(queued -> assertThat(queued.remainingMillis()).isBetween(1L, 300L));
        await().until(() -> askInTurn(mine) instanceof Reply.Granted);
    }

    /** As an eviction leaves it behind. */
    @Test
    void ticket_whoseExpiryIsLost_keepsOthersOutForOneTtl() throws Exception {
        NODE.command("ZADD test:{x}:queue 5 gone");
        Ticket mine = new Ticket("x", BOB, 6, false, false, 300);
        assertThat(askInTurn(mine))
                .asInstanceOf(type(Reply.Queued.class))
                .satisfies(queued -> assertThat(queued.remainingMillis()).isBetween(1L, 300L));
        await().until(() -> askInTurn(mine) instanceof Reply.Granted);
    }

    @Test
    void acquisition_answered_carriesTheNodesClock() {
        long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
        assertThat(ask(AnyToken.acquire(new Claim(new Target.Exclusive("x"), ADA, 7, TTL, FENCE)))
                        .nodeMicros())
                .isBetween(now - 1_000_000, now + 5_000_000);
    }

    @Test
    void scripts_areKnownByTheShaThatTheNodeComputes() throws Exception {
        acquire(ADA, 7);
        renew(ADA, 7);
        release(ADA, 7, true);
        for (LockScript script : List.of(LockScript.ACQUIRE, LockScript.RENEW, LockScript.RELEASE)) {
            String sha = ScriptBridge.sha(script);
            assertThat(NODE.command("SCRIPT EXISTS " + sha)).as(script.name()).isEqualTo("*1\r\n:1\r\n");
        }
    }

    @Test
    void script_thatTheNodeIsNotKnownToKnow_isSentWithItsSourceAtOnceAndThenByItsSha() throws Exception {
        NODE.command("SCRIPT FLUSH");
        NODE.command("CONFIG RESETSTAT");
        acquire(ADA, 7);
        assertThat(NODE.command("INFO commandstats"))
                .contains("cmdstat_eval:calls=1,")
                .doesNotContain("cmdstat_evalsha");
        acquire(ADA, 7);
        assertThat(NODE.command("INFO commandstats"))
                .contains("cmdstat_eval:calls=1,")
                .contains("cmdstat_evalsha:calls=1,");
    }

    @Test
    void scripts_forgottenByTheNode_areSentWithTheirSourceOnceAgain() throws Exception {
        acquire(ADA, 7);
        renew(ADA, 7);
        NODE.command("SCRIPT FLUSH");
        renew(ADA, 7);
        NODE.command("CONFIG RESETSTAT");
        acquire(ADA, 7); // that script it has forgotten as well
        assertThat(NODE.command("INFO commandstats"))
                .contains("cmdstat_eval:calls=1,")
                .doesNotContain("cmdstat_evalsha");
    }

    @Test
    void script_forgottenByTheNode_isSentAgain() throws Exception {
        acquire(ADA, 7);
        NODE.command("SCRIPT FLUSH");
        assertThat(renew(ADA, 7)).isEqualTo(new Reply.Granted());
    }

    @Test
    void acquisition_thatWasGivenUpAndMetNoScript_isNotSentAgain() throws Exception {
        acquire(ADA, 7);
        release(ADA, 7, true);
        NODE.command("SCRIPT FLUSH");
        NODE.send(AnyToken.acquire(new Claim(new Target.Exclusive("x"), ADA, 9, TTL, FENCE)))
                .leave(late -> {});
        assertThat(acquire(BOB, 11)).isInstanceOf(Reply.Granted.class); // met no script either, after the other
    }

    @Test
    void keysOfAnotherType_areAnErrorAndNeverAGrant() throws Exception {
        NODE.command("LPUSH test:{x}:lock garbage");
        assertThat(acquire(ADA, 7)).isInstanceOf(Reply.Refused.class);
        NODE.command("DEL test:{x}:lock");
        NODE.command("SET test:{x}:fence garbage");
        assertThat(acquire(ADA, 7)).isInstanceOf(Reply.Refused.class);
        assertThat(NODE.command("EXISTS test:{x}:lock")).isEqualTo(":0\r\n");
    }

    @Test
    void answer_ofUnexpectedForm_isRefused() {
        assertThat(ReplyDecoder.answer(0, "OK".getBytes(StandardCharsets.UTF_8)).reply())
                .isInstanceOf(Reply.Refused.class);
        assertThat(ReplyDecoder.answer(0, List.of(1L)).reply()).isInstanceOf(Reply.Refused.class);
        assertThat(ReplyDecoder.answer(0, List.of(1L, "x", 3L)).reply()).isInstanceOf(Reply.Refused.class);
        assertThat(ReplyDecoder.answer(0, List.of(99L, 0L, 3L)).reply()).isInstanceOf(Reply.Refused.class);
        assertThat(ReplyDecoder.answer(0, null).reply()).isInstanceOf(Reply.Refused.class);
    }

    @Test
    void answers_ofAbandonedRequests_areNeverTakenForLaterOnes() {
        for (int i = 0; i < 50; i++) {
            List<Answer> late = new ArrayList<>();
            Round abandoned =
                    NODE.send(AnyToken.acquire(new Claim(new Target.Exclusive("x"), ADA, 100 + i, TTL, FENCE)));
            abandoned.leave(late::add);
            assertThat(release(ADA, 0, false)).as("the answer to the release").isIn(new Reply.Released(0));
            assertThat(late).singleElement().extracting(Answer::reply).isEqualTo(new Reply.Granted());
        }
    }

    @Test
    void hungNode_isGivenUpAfterTheNodeTimeoutAndAskedNoMore() {
        acquire(ADA, 7);
        NODE.redis().freeze();
        try {
            Command.Renew renew = new Command.Renew(new Claim(new Target.Exclusive("x"), ADA, 7, TTL, FENCE));
            Round unanswered = NODE.send(renew);
            long deadline = System.nanoTime() + OneNode.NODE_TIMEOUT.toNanos(); // not before: it counts from then
            assertThat(unanswered.next(deadline).reply()).isEqualTo(new Reply.NoAnswer("no answer for 2000 ms"));

            long begun = System.nanoTime();
            assertThat(ask(renew).reply())
                    .asInstanceOf(type(Reply.NotSent.class))
                    .extracting(Reply.NotSent::reason)
                    .asString()
                    .startsWith("no answer for 2000 ms, suspected for");
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(OneNode.NODE_TIMEOUT);
        } finally {
            NODE.redis().thaw();
        }
    }

    @Test
    void deadNode_isAnsweredForAsNotSent() {
        NODE.redis().kill();
        try {
            assertThat(acquire(ADA, 7))
                    .asInstanceOf(type(Reply.NotSent.class))
                    .extracting(Reply.NotSent::reason)
                    .asString()
                    .contains("Connection refused");
        } finally {
            NODE.redis().start();
        }
    }
}
