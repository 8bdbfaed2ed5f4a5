// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.holdfast.LogLines;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.node.SharedSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When the nodes are looked at while a clock is doubted, and what comes of the doubt. */
class DoubtsTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final VirtualTime time = new VirtualTime();
    private final long begun = time.nanoTime();
    private final LogLines log = LogLines.of("org.holdfast.protocol.guard");
    private final List<Integer> looked = new ArrayList<>();
    private final List<Long> told = new ArrayList<>();

    private ClockMonitor clockMonitor;
    private NodeMonitor nodeMonitor;
    private long[] aheadNanos;
    private boolean[] silent;
    private int notAsked = -1;
    private boolean vouchedFor;
    private boolean unreachable;
    private int quarantines;

    @AfterEach
    void listenNoMore() {
        log.close();
    }

    private final class Sight implements NodeMonitor.Sight {

        @Override
        public int count() {
            return silent.length;
        }

        @Override
        public boolean isAsked(int node) {
            return node != notAsked;
        }

        @Override
        public long nanosUntilLook(int node) {
            assertThat(node).isEqualTo(notAsked);
            return SECOND;
        }

        @Override
        public boolean claimLook(int node) {
            throw new UnsupportedOperationException("is asked");
        }

        @Override
        public void look(int node) {
            looked.add(node);
            if (!silent[node]) {
                hear(node, MILLI);
            }
        }

        @Override
        public boolean quarantine(int node, String reason) {
            assertThat(reason).contains("jumped");
            quarantines++;
            return !unreachable;
        }

        @Override
        public boolean isVouchedFor(int node) {
            return vouchedFor;
        }
    }

    /** The node answers a request half way between; our clock began anywhere. */
    private void hear(int node, long roundTrip) {
        long sent = time.nanoTime();
        long micros = 1_800_000_000_000_000L + (sent - begun + roundTrip / 2 + aheadNanos[node]) / 1_000;
        clockMonitor.note(node, 0, sent, sent + roundTrip, micros);
    }

    /** All nodes have answered, and were looked at, some time ago. */
    private void watch(int nodes, long roundTrip) {
        clockMonitor = new ClockMonitor(nodes, new SharedSettings(30_000, 600_000, 0.01));
        aheadNanos = new long[nodes];
        silent = new boolean[nodes];
        Arrays.fill(silent, true);
        nodeMonitor = new NodeMonitor(time, clockMonitor, new Sight(), told::add);
        nodeMonitor.look();
        for (int node = 0; node < nodes; node++) {
            hear(node, roundTrip);
            silent[node] = false;
        }
        looked.clear();
        time.pass(500 * MILLI);
    }

    private void jump(int node, long byNanos) {
        aheadNanos[node] = byNanos;
        hear(node, MILLI);
        time.pass(MILLI);
        assertThat(clockMonitor.isDoubted(node)).isTrue();
    }

    @Test
    void whileAClockIsDoubted_theOthersAreAskedTenTimesASecond_andItsNodeIsNot() {
        watch(3, MILLI);
        silent[1] = true;
        silent[2] = true;
        jump(0, SECOND);
        time.pass(500 * MILLI);
        nodeMonitor.look();
        assertThat(looked).containsExactly(1, 2);
        assertThat(nodeMonitor.nanosUntilDue()).isEqualTo(100 * MILLI);
        assertThat(nodeMonitor.isDue()).isFalse();
        time.pass(100 * MILLI);
        assertThat(nodeMonitor.isDue()).isTrue();
        nodeMonitor.look();
        assertThat(looked).containsExactly(1, 2, 1, 2);
        time.pass(50 * MILLI);
        nodeMonitor.look(); // as something else was due
        assertThat(looked).as("asked a moment ago").containsExactly(1, 2, 1, 2);
        assertThat(quarantines).isZero();
    }

    /** Each look at a node that does not answer takes the time in which the others could be asked. */
    @Test
    void whileAClockIsDoubted_nodesThatAreNotAsked_areNotLookedAtMoreOften() {
        watch(3, MILLI);
        silent[2] = true;
        notAsked = 1;
        jump(0, SECOND);
        time.pass(500 * MILLI);
        nodeMonitor.look();
        assertThat(looked).containsExactly(2);
    }

    /** Neither clock has moved: an answer may have been slow. */
    @Test
    void smallJump_thatTheOthersDoNotShowAndAnotherProcessHasNotSeen_isSettledAtOnce() {
        watch(3, MILLI);
        vouchedFor = true;
        jump(0, 50 * MILLI);
        nodeMonitor.look();
        assertThat(clockMonitor.isDoubted(0)).isFalse();
        assertThat(quarantines).isZero();
        assertThat(told).isEmpty();
    }

    @Test
    void doubt_fromBeforeTheFirstLook_isDueAtOnce() {
        watch(1, MILLI);
        time.pass(SECOND); // our clock began anywhere: it is negative by now
        jump(0, 2 * SECOND);
        assertThat(new NodeMonitor(time, clockMonitor, new Sight(), told::add).isDue())
                .isTrue();
    }

    @Test
    void whileNoClockIsDoubted_theNodesAreAskedOnceASecond() {
        watch(3, MILLI);
        time.pass(500 * MILLI);
        nodeMonitor.look();
        assertThat(looked).containsExactly(0, 1, 2);
        assertThat(nodeMonitor.isDue()).isFalse();
        assertThat(nodeMonitor.nanosUntilDue()).isEqualTo(SECOND);
    }

    @Test
    void nodeAhead_whereTheOthersAreNot_isPutInQuarantine_andLookedAtOnce() {
        watch(3, MILLI);
        jump(0, SECOND);
        nodeMonitor.look();
        assertThat(quarantines).isOne();
        assertThat(clockMonitor.isDoubted(0)).isFalse();
        assertThat(looked).last().isEqualTo(0);
        assertThat(told).isEmpty();
        time.pass(SECOND);
        nodeMonitor.look();
        assertThat(quarantines).isOne();
    }

    @Test
    void nodeAhead_ofWhichTheOthersHaveShownIt_isDueAtOnce() {
        watch(3, MILLI);
        time.pass(500 * MILLI);
        nodeMonitor.look();
        jump(0, SECOND);
        hear(1, MILLI);
        hear(2, MILLI);
        assertThat(nodeMonitor.isDue()).isTrue();
    }

    @Test
    void quarantine_thatCannotBegin_leavesTheDoubt_andIsTriedOnceASecond() {
        watch(3, MILLI);
        unreachable = true;
        jump(0, SECOND);
        nodeMonitor.look();
        assertThat(quarantines).isOne();
        assertThat(clockMonitor.isDoubted(0)).isTrue();
        assertThat(nodeMonitor.isDue()).isFalse();
        time.pass(SECOND - 1);
        nodeMonitor.look();
        assertThat(quarantines).as("a moment too early").isOne();
        time.pass(1);
        nodeMonitor.look();
        assertThat(quarantines).isEqualTo(2);
        unreachable = false;
        time.pass(SECOND);
        nodeMonitor.look();
        assertThat(quarantines).isEqualTo(3);
        assertThat(clockMonitor.isDoubted(0)).isFalse();

        unreachable = true;
        jump(0, 2 * SECOND);
        time.pass(100 * MILLI);
        nodeMonitor.look();
        assertThat(quarantines).as("another jump").isEqualTo(4);
    }

    @Test
    void quorumAhead_isOurStandstill_toldOnce_andNoNodeIsPutInQuarantine() {
        watch(3, MILLI);
        jump(0, 5 * SECOND);
        aheadNanos[1] = 5 * SECOND;
        aheadNanos[2] = 5 * SECOND;
        nodeMonitor.look();
        assertThat(told).singleElement().satisfies(nanos -> assertThat(nanos).isBetween(5 * SECOND, 6 * SECOND));
        assertThat(clockMonitor.doubted().isEmpty()).isTrue();
        assertThat(quarantines).isZero();
        assertThat(log.beginningWith("HF0213")).singleElement().asString().contains("a quorum of nodes");
    }

    /** The others need not wait: another process has watched that clock without a gap. */
    @Test
    void singleNode_thatAnotherProcessVouchesFor_showsOurStandstillAtOnce() {
        watch(1, MILLI);
        vouchedFor = true;
        jump(0, 2 * SECOND);
        nodeMonitor.look();
        assertThat(told).singleElement().satisfies(nanos -> assertThat(nanos).isBetween(2 * SECOND, 3 * SECOND));
        assertThat(clockMonitor.isDoubted(0)).isFalse();
        assertThat(quarantines).isZero();
        assertThat(log.beginningWith("HF0213")).singleElement().asString().contains("other processes have watched");
    }

    @Test
    void singleNode_thatNoProcessVouchesFor_isPutInQuarantineWhenAnotherProcessHadTimeToShowIt() {
        watch(1, MILLI);
        jump(0, 2 * SECOND);
        nodeMonitor.look();
        assertThat(quarantines).isZero();
        assertThat(clockMonitor.isDoubted(0)).isTrue();
        time.pass(2 * SECOND);
        nodeMonitor.look();
        assertThat(quarantines).isOne();
        assertThat(clockMonitor.isDoubted(0)).isFalse();
        assertThat(told).isEmpty();
    }

    /**
     * The first of five nodes was put in quarantine when the others were silent. Two show the same standstill later,
     * each in line with the first, and not with each other.
     */
    @Test
    void standstill_thatAQuorumShowsAroundANodeThatIsSettled_isTold() {
        watch(5, 200 * MILLI);
        clockMonitor.note(1, 0, time.nanoTime(), time.nanoTime() + MILLI, micros(0));
        clockMonitor.note(2, 0, time.nanoTime(), time.nanoTime() + MILLI, micros(0));
        for (int node = 1; node < 5; node++) {
            silent[node] = true;
        }
        jump(0, SECOND);
        time.pass(2 * SECOND);
        nodeMonitor.look();
        assertThat(clockMonitor.isDoubted(0)).as("settled as its own").isFalse();
        assertThat(told).isEmpty();
        silent[1] = false;
        silent[2] = false;
        aheadNanos[1] = 900 * MILLI;
        aheadNanos[2] = 1_060 * MILLI;
        time.pass(SECOND);
        nodeMonitor.look();
        assertThat(told).hasSize(1);
    }

    private long micros(long aheadNanos) {
        return 1_800_000_000_000_000L + (time.nanoTime() - begun + MILLI / 2 + aheadNanos) / 1_000;
    }
}
