// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.HolderEntry;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.script.ReplyDecoder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The scripts for operators against one real node, and what is made of answers that no node of ours gives. */
@Timeout(60)
class LockAdminScriptsTest {

    private static final Owner ADA = new Owner("a".repeat(40) + " 1 7 E 1 host main");
    private static final Owner BOB = new Owner("b".repeat(40));
    private static final long TTL = 10_000;
    private static final long FENCE = 70_000;

    /** What a machine may take between two lines of a test. */
    private static final long SLACK = 4_000;

    private static final List<Target> X = List.of(new Target.Exclusive("x"));

    @RegisterExtension
    private static final OneNode NODE = new OneNode();

    private Reply ask(Command command) {
        return NODE.ask(command).reply();
    }

    private static Claim claim(Target target, Owner owner, long token) {
        return new Claim(target, owner, token, TTL, FENCE);
    }

    private Reply acquire(Target target, Owner owner, long token) {
        return ask(AnyToken.acquire(claim(target, owner, token)));
    }

    private Reply acquireToRead(Owner owner, long token) {
        return ask(AnyToken.acquireIfNobodyWaits(claim(new Target.Shared("x"), owner, token)));
    }

    private Reply.Seen seen(Command command) {
        return (Reply.Seen) ask(command);
    }

    private static Command force(long token) {
        return new Command.ForceRelease(X, token, FENCE, AnyToken.MAX_SKEW_MICROS);
    }

    @Test
    void inspect_free_tellsTheLastTokenOnly() {
        acquire(X.get(0), ADA, 7);
        ask(AnyToken.release(claim(X.get(0), ADA, 7), true));
        assertThat(ask(new Command.Inspect(X))).isEqualTo(new Reply.Seen(8, List.of()));
    }

    @Test
    void inspect_ofSeveral_tellsWhichIsWhose() {
        acquire(new Target.Exclusive("y"), ADA, 7);
        acquire(new Target.Permit("x", 1), BOB, 9);
        List<Target> locks = List.of(new Target.Exclusive("x"), new Target.Exclusive("y"));
        assertThat(seen(new Command.Inspect(locks)).holderEntries())
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.lock()).isEqualTo(1);
                    assertThat(each.reads()).isFalse();
                    assertThat(each.value()).isEqualTo(ADA.value());
                    assertThat(each.remainingMillis()).isBetween(TTL - SLACK, TTL);
                });
        List<Target> permits = List.of(new Target.Permit("x", 0), new Target.Permit("x", 1));
        Reply.Seen seen = seen(new Command.Inspect(permits));
        assertThat(seen.lastToken()).isEqualTo(9);
        assertThat(seen.holderEntries())
                .extracting(HolderEntry::lock, HolderEntry::value)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(1, BOB.value()));
    }

    @Test
    void inspect_ofReaders_tellsThoseThatHaveNotEnded() throws Exception {
        acquireToRead(ADA, 7);
        acquireToRead(BOB, 8);
        NODE.command("ZADD test:{x}:readers 1 expired -9000000000000 released");
        assertThat(seen(new Command.Inspect(X)).holderEntries())
                .allMatch(HolderEntry::reads)
                .allMatch(each -> each.remainingMillis() > TTL - SLACK && each.remainingMillis() <= TTL)
                .extracting(HolderEntry::value)
                .containsExactlyInAnyOrder(ADA.value(), BOB.value());
    }

    @Test
    void inspect_ofManyLongReaders_keepsTheAnswerSmall() throws Exception {
        NODE.command(
                "EVAL \"redis.call('SET', KEYS[1], 'readers 1') for i = 1, 1500 do"
                        + " redis.call('ZADD', KEYS[2], 9e12, i .. string.rep('x', 500)) end\" 2 test:{x}:lock test:{x}:readers");
        assertThat(seen(new Command.Inspect(X)).holderEntries())
                .hasSize(HolderEntry.MOST)
                .allMatch(each -> each.value().length() == HolderEntry.MOST_OF_VALUE);
    }

    @Test
    void inspect_changesNothing() throws Exception {
        acquire(X.get(0), ADA, 7);
        ask(new Command.Inspect(X));
        assertThat(NODE.command("GET test:{x}:fence")).contains("\r\n7\r\n");
        assertThat(NODE.command("GET test:{x}:lock")).contains(ADA.value());
    }

    @Test
    void forceRelease_frees_tellsWhomAndRefusesThemFromThenOn() throws Exception {
        acquire(X.get(0), ADA, 7);
        Reply.Seen gone = seen(force(20));
        assertThat(gone.lastToken()).isEqualTo(20);
        assertThat(gone.holderEntries()).extracting(HolderEntry::value).containsExactly(ADA.value());
        assertThat(ask(new Command.Renew(claim(X.get(0), ADA, 7)))).isEqualTo(new Reply.TokenTooSmall(20));
        assertThat(NODE.command("PTTL test:{x}:fence")).matches(":(6[6-9]|70)\\d{3}\\s+");
        assertThat(acquire(X.get(0), BOB, 21)).isEqualTo(new Reply.Granted());
    }

    @Test
    void forceRelease_ofReaders_letsNoneOfThemBack() {
        acquireToRead(ADA, 7);
        assertThat(seen(force(20)).holderEntries()).hasSize(1);
        Command renewal = new Command.Renew(claim(new Target.Shared("x"), ADA, 7));
        assertThat(ask(renewal)).isEqualTo(new Reply.TokenTooSmall(20));
        assertThat(acquireToRead(BOB, 21)).isEqualTo(new Reply.Granted());
        assertThat(ask(renewal)).as("among later readers").isInstanceOf(Reply.TokenTooSmall.class);
    }

    @Test
    void forceRelease_thatComesLate_leavesALaterHolderAlone() throws Exception {
        acquire(X.get(0), ADA, 21);
        assertThat(ask(force(20))).isEqualTo(new Reply.Seen(21, List.of()));
        assertThat(ask(force(21))).isEqualTo(new Reply.Seen(21, List.of()));
        assertThat(NODE.command("GET test:{x}:lock")).contains(ADA.value());
        assertThat(ask(new Command.Renew(claim(X.get(0), ADA, 21)))).isEqualTo(new Reply.Granted());
    }

    @Test
    void forceRelease_amongAttemptsThatWereUndone_throwsOutTheHolderAllTheSame() throws Exception {
        acquire(X.get(0), ADA, 7);
        ask(AnyToken.undoLost(claim(X.get(0), BOB, 30))); // refused, and undone, since the operator has looked
        assertThat(seen(force(20)).holderEntries())
                .extracting(HolderEntry::value)
                .containsExactly(ADA.value());
        assertThat(NODE.command("EXISTS test:{x}:lock")).isEqualTo(":0\r\n");
        assertThat(NODE.command("GET test:{x}:fence")).as("none falls").contains("\r\n31 20\r\n");
        assertThat(ask(new Command.Renew(claim(X.get(0), ADA, 7)))).isEqualTo(new Reply.TokenTooSmall(20));
    }

    private static Command forceOf(Owner holder, long token) {
        return new Command.ForceRelease(X, token, FENCE, AnyToken.MAX_SKEW_MICROS, Optional.of(holder));
    }

    @Test
    void forceRelease_ofOneHolder_leavesAnotherOneThatCameSince() throws Exception {
        acquire(X.get(0), BOB, 9);
        assertThat(ask(forceOf(ADA, 20))).isEqualTo(new Reply.Seen(9, List.of()));
        assertThat(NODE.command("GET test:{x}:fence")).contains("\r\n9\r\n");
        assertThat(ask(new Command.Renew(claim(X.get(0), BOB, 9)))).isEqualTo(new Reply.Granted());
    }

    @Test
    void forceRelease_ofOneHolder_leavesReaders() {
        acquireToRead(BOB, 9);
        assertThat(ask(forceOf(ADA, 20))).isEqualTo(new Reply.Seen(9, List.of()));
        assertThat(ask(new Command.Renew(claim(new Target.Shared("x"), BOB, 9))))
                .isEqualTo(new Reply.Granted());
        assertThat(acquireToRead(ADA, 10)).isEqualTo(new Reply.Granted());
    }

    @Test
    void forceRelease_ofOneHolder_removesItAndRefusesItWhereItIsMissing() throws Exception {
        acquire(X.get(0), ADA, 7);
        assertThat(seen(forceOf(ADA, 20)).holderEntries())
                .extracting(HolderEntry::value)
                .containsExactly(ADA.value());
        assertThat(ask(new Command.Renew(claim(X.get(0), ADA, 7)))).isEqualTo(new Reply.TokenTooSmall(20));
        NODE.command("DEL test:{x}:fence");
        assertThat(ask(forceOf(ADA, 30))).isEqualTo(new Reply.Seen(30, List.of()));
        assertThat(ask(new Command.Renew(claim(X.get(0), ADA, 7)))).isEqualTo(new Reply.TokenTooSmall(30));
    }

    @Test
    void forceRelease_ofOneHolder_isFinalWhereAnotherAttemptIsUndone() {
        acquire(X.get(0), BOB, 9); // this node has missed ADA's lease
        ask(forceOf(ADA, 20));
        ask(AnyToken.undoLost(claim(X.get(0), BOB, 9)));
        assertThat(ask(new Command.Renew(claim(X.get(0), ADA, 7)))).isInstanceOf(Reply.TokenTooSmall.class);
    }

    @Test
    void forceRelease_ofNothing_leavesTheTokenAndTellsNobody() throws Exception {
        assertThat(ask(force(20))).isEqualTo(new Reply.Seen(20, List.of()));
        assertThat(acquire(X.get(0), ADA, 20)).isEqualTo(new Reply.TokenTooSmall(20));
    }

    @Test
    void forceRelease_isPublished_andLeavesTheQueue() throws Exception {
        acquire(X.get(0), ADA, 7);
        NODE.command("ZADD test:{x}:queue 5 ticket");
        try (java.net.Socket subscriber =
                new java.net.Socket("127.0.0.1", NODE.redis().port())) {
            subscriber.setSoTimeout(5_000);
            subscriber.getOutputStream().write("SUBSCRIBE test:{x}:released\r\n".getBytes(StandardCharsets.UTF_8));
            byte[] bytes = new byte[1_024];
            subscriber.getInputStream().read(bytes);
            ask(force(20));
            int length = subscriber.getInputStream().read(bytes);
            assertThat(new String(bytes, 0, length, StandardCharsets.UTF_8)).contains("message", "test:{x}:released");
        }
        assertThat(NODE.command("EXISTS test:{x}:queue")).isEqualTo(":1\r\n");
    }

    @Test
    void fence_thatIsNoNumber_isPutRight() throws Exception {
        NODE.command("SET test:{x}:fence nonsense");
        assertThat(ask(new Command.Inspect(X))).isEqualTo(new Reply.Seen(0, List.of()));
        ask(force(20));
        assertThat(NODE.command("GET test:{x}:fence")).contains("\r\n20\r\n");
    }

    private static Object row(Object lock, Object reads, Object value, Object left) {
        return Arrays.asList(lock, reads, value, left);
    }

    private static Reply understood(Object... words) {
        return ReplyDecoder.answer(0, Arrays.asList(words)).reply();
    }

    @Test
    void answer_asOurScriptsGiveIt_isUnderstood() {
        byte[] value = {'a', (byte) 0xff};
        assertThat(understood(14L, 5L, 1L, List.of(row(3L, 1L, value, 9L))))
                .asInstanceOf(type(Reply.Seen.class))
                .satisfies(seen ->
                        assertThat(seen.holderEntries()).containsExactly(new HolderEntry(3, true, "a\u00ff", 9)));
    }

    @Test
    void answer_thatNoScriptOfOursGives_isRefused() {
        byte[] value = {'a'};
        for (Object rows : Arrays.asList(
                null,
                "text",
                List.of("text"),
                List.of(List.of()),
                List.of(row(-1L, 0L, value, 9L)),
                List.of(row(1_000L, 0L, value, 9L)),
                List.of(row(0L, "0", value, 9L)),
                List.of(row(0L, 0L, "text", 9L)),
                List.of(row(0L, 0L, null, 9L)),
                List.of(row(0L, 0L, new byte[257], 9L)),
                List.of(row(0L, 0L, value, -1L)),
                Collections.nCopies(1_001, row(0L, 0L, value, 9L)))) {
            assertThat(understood(14L, 5L, 1L, rows)).isInstanceOf(Reply.Refused.class);
        }
        List<Object> good = List.of(row(0L, 0L, value, 9L));
        assertThat(understood(1L, 0L, 1L, good)).as("a grant with more").isInstanceOf(Reply.Refused.class);
        assertThat(understood(14L, 5L, 1L)).isInstanceOf(Reply.Refused.class);
        assertThat(understood(14L, -1L, 1L, good)).isInstanceOf(Reply.Refused.class);
        assertThat(understood(14L, Long.MAX_VALUE, 1L, good)).isInstanceOf(Reply.Refused.class);
        assertThat(understood(14L, 5L, 1L, good, 1L)).isInstanceOf(Reply.Refused.class);
    }
}
