// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;
import static org.holdfast.redis.OneLock.ADA;
import static org.holdfast.redis.OneLock.BOB;
import static org.holdfast.redis.OneLock.FENCE;
import static org.holdfast.redis.OneLock.SLACK;
import static org.holdfast.redis.OneLock.TTL;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.node.Ticket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The scripts that acquire, renew and release against one real node. */
@Timeout(60)
class ScriptsTest {

    @RegisterExtension
    private static final OneNode NODE = new OneNode();

    private final OneLock lock = new OneLock(NODE);

    @Test
    void acquire_free_isGrantedWithTimesToLive() throws Exception {
        assertThat(lock.acquire(ADA, 7)).isEqualTo(new Reply.Granted());
        assertThat(NODE.command("GET test:{x}:lock")).contains(ADA.value());
        assertThat(NODE.command("GET test:{x}:fence")).contains("\r\n7\r\n");
        assertThat(lock.millis("PTTL test:{x}:lock")).isBetween(TTL - SLACK, TTL);
        assertThat(lock.millis("PTTL test:{x}:fence")).isBetween(FENCE - SLACK, FENCE);
    }

    @Test
    void acquire_heldByAnother_tellsForHowLong() {
        lock.acquire(ADA, 7);
        assertThat(lock.acquire(BOB, 8))
                .asInstanceOf(type(Reply.Held.class))
                .satisfies(held -> assertThat(held.remainingMillis()).isBetween(TTL - SLACK, TTL));
    }

    @Test
    void acquire_sentTwiceByTheSameOwner_isGrantedTwice() {
        lock.acquire(ADA, 7);
        assertThat(lock.acquire(ADA, 7)).isEqualTo(new Reply.Granted());
    }

    @Test
    void acquire_withATokenNotLargerThanTheLast_isRefusedWithThat() {
        long large = 1_800_000_000_123_456L;
        lock.acquire(ADA, large);
        lock.release(ADA, large, true);
        assertThat(lock.acquire(BOB, large)).isEqualTo(new Reply.TokenTooSmall(large + 1));
        assertThat(lock.acquire(BOB, large + 1)).isEqualTo(new Reply.TokenTooSmall(large + 1));
        assertThat(lock.acquire(BOB, large + 2)).isEqualTo(new Reply.Granted());
    }

    @Test
    void release_byItsOwner_freesAndLeavesATombstoneOnlyIfTold() {
        lock.acquire(ADA, 7);
        assertThat(lock.release(ADA, 7, false)).isEqualTo(new Reply.Released(0));
        assertThat(lock.acquire(BOB, 8)).isEqualTo(new Reply.Granted());
        assertThat(lock.release(BOB, 8, true)).isEqualTo(new Reply.Released(0));
        assertThat(lock.acquire(ADA, 9)).isEqualTo(new Reply.TokenTooSmall(9));
    }

    @Test
    void release_byAnother_touchesNothing() throws Exception {
        lock.acquire(ADA, 7);
        assertThat(lock.release(BOB, 3, true)).isInstanceOf(Reply.Held.class);
        assertThat(NODE.command("GET test:{x}:lock")).contains(ADA.value());
        assertThat(lock.renew(ADA, 7)).isEqualTo(new Reply.Granted());
    }

    @Test
    void release_ofNothing_saysSoAndStillLeavesTheTombstone() {
        assertThat(lock.release(ADA, 7, true)).isEqualTo(new Reply.Gone());
        assertThat(lock.acquire(ADA, 7))
                .as("the acquisition that the release has overtaken")
                .isEqualTo(new Reply.TokenTooSmall(8));
        assertThat(lock.renew(ADA, 7)).as("a renewal that was still under way").isEqualTo(new Reply.TokenTooSmall(8));
    }

    @Test
    void release_isPublished() throws Exception {
        lock.acquire(ADA, 7);
        try (java.net.Socket subscriber =
                new java.net.Socket("127.0.0.1", NODE.redis().port())) {
            subscriber.setSoTimeout(5_000);
            subscriber.getOutputStream().write("SUBSCRIBE test:{x}:released\r\n".getBytes(StandardCharsets.UTF_8));
            byte[] bytes = new byte[1_024];
            subscriber.getInputStream().read(bytes);
            lock.release(ADA, 7, true);
            int length = subscriber.getInputStream().read(bytes);
            assertThat(new String(bytes, 0, length, StandardCharsets.UTF_8))
                    .contains("message", "test:{x}:released", ADA.value());
        }
    }

    @Test
    void renew_byItsOwner_extends() throws Exception {
        lock.acquire(ADA, 7);
        NODE.command("PEXPIRE test:{x}:lock 500");
        assertThat(lock.renew(ADA, 7)).isEqualTo(new Reply.Granted());
        assertThat(lock.millis("PTTL test:{x}:lock")).isGreaterThan(TTL - SLACK);
    }

    @Test
    void renew_ofALostKey_healsUnlessALaterLeaseWasGranted() throws Exception {
        lock.acquire(ADA, 7);
        NODE.command("DEL test:{x}:lock");
        assertThat(lock.renew(ADA, 7)).isEqualTo(new Reply.Granted());

        NODE.command("DEL test:{x}:lock");
        lock.acquire(BOB, 8);
        assertThat(lock.renew(ADA, 7)).isInstanceOf(Reply.Held.class);
        NODE.command("DEL test:{x}:lock");
        assertThat(lock.renew(ADA, 7)).isEqualTo(new Reply.TokenTooSmall(8));
    }

    @Test
    void renew_whileAContenderHasLeftATombstone_extendsAndKeepsThat() throws Exception {
        lock.acquire(ADA, 7);
        lock.release(BOB, 11, true); // BOB's acquisition got no answer, and is being undone
        assertThat(lock.renew(ADA, 7)).isEqualTo(new Reply.Granted());
        assertThat(NODE.command("GET test:{x}:fence")).contains("\r\n12\r\n");
        assertThat(lock.millis("PTTL test:{x}:fence")).isGreaterThan(FENCE - SLACK);

        lock.release(ADA, 7, true);
        assertThat(lock.acquire(BOB, 11))
                .as("the undone acquisition arrives late")
                .isEqualTo(new Reply.TokenTooSmall(12));
    }

    @Test
    void reader_releasedWhileAnotherHadTheLockAlone_doesNotComeInWhenThatOneGoesOnReading() {
        Claim reader = new Claim(new Target.Shared("x"), BOB, 9, TTL, FENCE);
        lock.acquire(ADA, 7);
        NODE.ask(AnyToken.release(reader, true));
        NODE.ask(new Command.Renew(new Claim(new Target.Shared("x"), ADA, 7, TTL, FENCE)));

        assertThat(NODE.ask(AnyToken.acquireIfNobodyWaits(reader)).reply()).isEqualTo(new Reply.TokenTooSmall(10));
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
                assertThat(NODE.ask(new Command.Acquire(claim, queueing, 300_000_000))
                                .reply())
                        .asInstanceOf(type(Reply.TokenSkewed.class))
                        .satisfies(far -> assertThat(far.aheadMillis()).isBetween(off / 1_000 - 10_000, off / 1_000));
            }
            assertThat(NODE.ask(new Command.ForceRelease(
                                    List.of(new Target.Exclusive("x")), now + off, FENCE, 300_000_000))
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
            assertThat(NODE.ask(acquire).reply()).isInstanceOf(known ? Reply.Granted.class : Reply.TokenSkewed.class);
        }
    }

    private Reply askInTurn(Ticket ticket) {
        Claim claim = new Claim(new Target.Exclusive("x"), ADA, 7, TTL, FENCE);
        return NODE.ask(new Command.Acquire(
                        claim, Optional.of(new Command.Queueing(Optional.of(ticket))), AnyToken.MAX_SKEW_MICROS))
                .reply();
    }

    @Test
    void ticket_granted_tellsOfThoseBehindItUpToTheFirstThatReads() throws Exception {
        Ticket mine = new Ticket("x", BOB, 6, false, false, TTL);
        assertThat(askInTurn(mine)).isEqualTo(new Reply.Granted());
        for (int number = 7; number < 30; number++) {
            NODE.command("ZADD test:{x}:queue " + number + " waiter-" + number);
        }
        assertThat(askInTurn(mine))
                .isEqualTo(new Reply.Granted(LongStream.range(7, 22).boxed().toList()));
        NODE.command("ZADD test:{x}:queue-reading 9 reader 40 reader-that-came-later");
        assertThat(askInTurn(mine)).isEqualTo(new Reply.Granted(List.of(7L, 8L)));
        NODE.command("ZADD test:{x}:queue 8 number-of-another");
        assertThat(askInTurn(mine)).as("it may be before").isEqualTo(new Reply.Granted(List.of(7L)));
        NODE.command("ZADD test:{x}:queue 6 number-of-mine");
        assertThat(askInTurn(mine)).isEqualTo(new Reply.Granted());
    }

    /** As a clock leaves it behind that was an hour ahead while a waiter drew its ticket. */
    @Test
    void ticket_thatExpiresLaterThanItMay_keepsOthersOutForOneTtl() throws Exception {
        NODE.command("ZADD test:{x}:queue 5 gone");
        NODE.command("ZADD test:{x}:tickets " + (System.currentTimeMillis() + 3_600_000) + " gone");
        Ticket mine = new Ticket("x", BOB, 6, false, false, 300);
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
        assertThat(NODE.ask(AnyToken.acquire(new Claim(new Target.Exclusive("x"), ADA, 7, TTL, FENCE)))
                        .nodeMicros())
                .isBetween(now - 1_000_000, now + 5_000_000);
    }

    @Test
    void keysOfAnotherType_areAnErrorAndNeverAGrant() throws Exception {
        NODE.command("LPUSH test:{x}:lock garbage");
        assertThat(lock.acquire(ADA, 7)).isInstanceOf(Reply.Refused.class);
        NODE.command("DEL test:{x}:lock");
        NODE.command("SET test:{x}:fence garbage");
        assertThat(lock.acquire(ADA, 7)).isInstanceOf(Reply.Refused.class);
        assertThat(NODE.command("EXISTS test:{x}:lock")).isEqualTo(":0\r\n");
    }
}
