// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.latch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.holdfast.CountDownUnconfirmedException;
import org.holdfast.LockException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a caller that waits for a latch learns of it from the nodes. */
class LatchesTest extends LatchOnThreeNodes {

    @Test
    void await_readsOfAMajority_opensByTheirUnion() throws Exception {
        memory.get(0).add("a");
        memory.get(1).add("b");
        nodes.node(2, NOT_SENT);
        assertThat(latch.await(Duration.ZERO)).isTrue();
    }

    @Test
    void await_readsOfAMinority_isAnOutage() {
        memory.get(0).addAll(Set.of("a", "b"));
        nodes.node(1, NOT_SENT).node(2, NOT_SENT);
        assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(() -> latch.await(Duration.ZERO));
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> latch.await(Duration.ofSeconds(1)));
    }

    /** A publication has the waiter ask just before its time is over. */
    @Test
    void await_whoseLastRoundIsCutShort_isNoOutage() throws Exception {
        fixture.notifications.heard = true;
        nodes.latency(0, 20).latency(1, 20).latency(2, 20);
        nodes.node(0, command -> {
            fixture.notifications.announce("x");
            return new Reply.Counted(memory.get(0));
        });
        for (int millis = 1; millis < 140; millis++) {
            assertThat(latch.await(Duration.ofMillis(millis)))
                    .as("%d ms", millis)
                    .isFalse();
        }
    }

    /** It is known without the nodes that have not answered yet. */
    @Test
    void await_whoseLastRoundIsCutShortAndHasNoMajority_isAnOutage() {
        int[] asked = new int[1];
        for (int node = 0; node < 2; node++) {
            int each = node;
            nodes.node(node, command -> asked[0]++ < 2 ? new Reply.Counted(memory.get(each)) : NOT_SENT);
        }
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> latch.await(Duration.ofMillis(100)));
    }

    @Test
    void await_sameCallAtAllNodes_countsOnce() throws Exception {
        memory.forEach(ids -> ids.add("a"));
        assertThat(latch.await(Duration.ZERO)).isFalse();
    }

    @Test
    void await_asksOnceBeforeItWaitsAndTellsItsConnection() throws Exception {
        latch.await(Duration.ZERO);
        assertThat(waits).isZero();
        assertThat(rounds()).isEqualTo(1);
        latch.await(Duration.ofMillis(10));
        assertThat(waits).isEqualTo(1);
        assertThat(fixture.notifications.listening).isEmpty();
        assertThat(fixture.engine.latches().size()).isZero();
    }

    @Test
    void waiter_thatIsToldOfCalls_asksSeldom() throws Exception {
        fixture.notifications.heard = true;
        assertThat(latch.await(Duration.ofSeconds(6))).isFalse();
        assertThat(rounds()).isBetween(7, 13);
    }

    @Test
    void waiter_thatIsToldOfACall_asksAtOnceAndNoMoreThanTwentyFiveTimesASecond() throws Exception {
        fixture.notifications.heard = true;
        List<Long> asked = new ArrayList<>();
        nodes.node(0, command -> {
            asked.add(fixture.time.nanoTime());
            fixture.notifications.announce("x"); // another process counts down all the time
            return new Reply.Counted(Set.of());
        });
        assertThat(latch.await(Duration.ofSeconds(2))).isFalse();
        assertThat(asked.size()).isBetween(40, 52);
    }

    @Test
    void waiter_bringsALostCallBack() throws Exception {
        memory.get(0).add("a");
        latch.await(Duration.ofSeconds(3));
        assertThat(memory).allMatch(ids -> ids.equals(Set.of("a")));
        int sent = rounds();
        latch.await(Duration.ofSeconds(3));
        assertThat(nodes.sent(Command.UseLatch.class).subList(3 * sent, 3 * rounds()))
                .as("then all have it")
                .allMatch(each -> ((Command.UseLatch) each.command()).ids().isEmpty());
    }

    /** Where no node remembers a call, the waiter does. */
    @Test
    void waiter_whoseNodesHaveAllForgottenACall_countsItAllTheSame() throws Exception {
        memory.forEach(ids -> ids.add("a"));
        int[] asked = new int[1];
        nodes.node(0, command -> {
            if (asked[0]++ == 3) {
                memory.forEach(Set::clear);
                memory.get(0).add("b");
            } else {
                memory.get(0).addAll(((Command.UseLatch) command).ids());
            }
            return new Reply.Counted(memory.get(0));
        });
        assertThat(latch.await(Duration.ofSeconds(3))).isTrue();
    }

    @Test
    void waiter_ofAConnectionThatIsClosed_endsAtOnce() {
        fixture.notifications.heard = true;
        int[] asked = new int[1];
        nodes.node(0, command -> {
            if (asked[0]++ == 1) {
                open = false;
                caller.wakeAll();
            }
            return new Reply.Counted(memory.get(0));
        });
        long begun = fixture.time.nanoTime();
        assertThatIllegalStateException().isThrownBy(() -> latch.await(Duration.ofSeconds(3_600)));
        assertThat(fixture.time.nanoTime() - begun)
                .isLessThan(Duration.ofMillis(100).toNanos());
        assertThat(fixture.engine.latches().size()).isZero();
    }

    @Test
    void disagreement_ofAMinority_isOutvoted() throws Exception {
        nodes.node(0, new Reply.LatchReset(5));
        latch.countDown();
        latch.countDown();
        assertThat(latch.await(Duration.ZERO)).isTrue();
    }

    @Test
    void disagreement_thatLeavesNoMajority_isRefused() {
        nodes.node(0, new Reply.LatchReset(5)).node(1, new Reply.LatchReset(5));
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> latch.await(Duration.ofSeconds(1)))
                .withMessageContaining("HF0219");
        nodes.node(0, new Reply.LatchDiffers(7)).node(1, new Reply.LatchDiffers(7));
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(latch::countDown)
                .withMessageContaining("HF0220")
                .withMessageContaining("count 7")
                .withMessageContaining("count 2");
    }

    /** With the node that is away, a majority may agree. */
    @Test
    void disagreement_ofOneNodeWhileAnotherIsAway_isAnOutage() {
        nodes.node(0, new Reply.LatchReset(5)).node(1, NOT_SENT);
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> latch.await(Duration.ZERO))
                .withMessageContaining("it has generation 5");
        nodes.node(0, new Reply.LatchDiffers(7));
        assertThatExceptionOfType(CountDownUnconfirmedException.class)
                .isThrownBy(latch::countDown)
                .withMessageContaining("it has the count 7");
        assertThat(memory.get(2)).as("so it may count").hasSize(1);
    }

    @Test
    void disagreement_ofOneNodeWhileAnotherIsAwayForAMoment_isWaitedOut() throws Exception {
        memory.forEach(ids -> ids.addAll(Set.of("a", "b")));
        int[] asked = new int[1];
        nodes.node(0, new Reply.LatchDiffers(7));
        nodes.node(1, command -> asked[0]++ < 3 ? NO_ANSWER : new Reply.Counted(memory.get(1)));
        assertThat(latch.await(Duration.ofSeconds(5))).isTrue();
    }

    @ParameterizedTest
    @MethodSource
    void answer_thatTheScriptDoesNotReturn_isNoVote(Reply impossible) {
        nodes.node(0, impossible).node(1, impossible);
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> latch.await(Duration.ZERO))
                .withMessageContaining("the node returned what no script of ours returns");
    }

    static Stream<Reply> answer_thatTheScriptDoesNotReturn_isNoVote() {
        return Stream.of(
                new Reply.Counted(Set.of("a", "b", "c")), // more than the count
                new Reply.LatchReset(0),
                new Reply.LatchDiffers(2));
    }

    @Test
    void calls_afterTheServiceHasStopped_askNothing() {
        fixture.engine.stopWaiting();
        assertThatIllegalStateException().isThrownBy(latch::countDown);
        assertThatIllegalStateException().isThrownBy(() -> latch.await(Duration.ZERO));
        assertThat(nodes.sent).isEmpty();
    }

    @Test
    void waiter_whenTheServiceStops_endsAtOnce() {
        fixture.notifications.heard = true;
        int[] asked = new int[1];
        nodes.node(0, command -> {
            if (asked[0]++ == 1) {
                assertThat(fixture.engine.latches().size()).isOne();
                fixture.engine.stopWaiting();
            }
            return new Reply.Counted(memory.get(0));
        });
        long begun = fixture.time.nanoTime();
        assertThatIllegalStateException().isThrownBy(() -> latch.await(Duration.ofSeconds(3_600)));
        assertThat(fixture.time.nanoTime() - begun)
                .isLessThan(Duration.ofMillis(100).toNanos());
    }

    @Test
    void latch_ofAConnectionThatIsClosed_isNotOpened() {
        open = false;
        assertThatIllegalStateException()
                .isThrownBy(() -> fixture.engine.latches().open(new Latch("x", 0, 2), Duration.ZERO, caller));
    }

    @Test
    void disagreement_isReportedByTheRoundThatShowsIt() {
        nodes.node(0, new Reply.LatchReset(5)).node(1, new Reply.LatchReset(5));
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> latch.await(Duration.ZERO))
                .withMessageContaining("HF0219");
        int[] asked = new int[1];
        for (int node = 0; node < 2; node++) {
            nodes.node(node, command -> asked[0]++ < 2 ? new Reply.Counted(Set.of()) : new Reply.LatchReset(5));
        }
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> latch.await(Duration.ofMillis(100)))
                .withMessageContaining("HF0219");
    }

    /** The node that has not answered makes no majority. */
    @Test
    void await_whoseLastRoundFindsNoMajorityJustBeforeItsEnd_isAnOutage() {
        int[] asked = new int[1];
        for (int node = 0; node < 2; node++) {
            int each = node;
            nodes.node(node, command -> asked[0]++ < 2 ? new Reply.Counted(memory.get(each)) : NOT_SENT);
        }
        nodes.latency(2, 10_000);
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() -> latch.await(Duration.ofMillis(90)));
    }
}
