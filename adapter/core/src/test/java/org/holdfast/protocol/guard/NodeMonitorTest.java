// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.SharedSettings;
import org.junit.jupiter.api.Test;

class NodeMonitorTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long EPOCH_MICROS = 1_800_000_000_000_000L;

    private final ClockMonitor clockMonitor = new ClockMonitor(3, new SharedSettings(30_000, 600_000, 0.01));
    private final List<Long> told = new ArrayList<>();
    private long now;
    private boolean allAsked;
    private boolean vouchedFor;
    private int quarantines;

    /** What other threads receive the next time that the clock is read. */
    private Runnable meanwhile = () -> {};

    private final Time time = new Time() {
        @Override
        public long nanoTime() {
            Runnable heard = meanwhile;
            meanwhile = () -> {};
            heard.run();
            return now;
        }

        @Override
        public long epochMicros() {
            return EPOCH_MICROS + now / 1_000;
        }

        @Override
        public Signal newSignal() {
            throw new UnsupportedOperationException();
        }
    };

    /** The last node cannot be reached; when it is passed over a second time, the one before it sends its time. */
    private final NodeMonitor.Sight sight = new NodeMonitor.Sight() {
        private int passedOver;

        @Override
        public int count() {
            return 3;
        }

        @Override
        public boolean isAsked(int node) {
            if (!allAsked && node == 2 && ++passedOver == 2) {
                meanwhile = () -> hear(1, 50 * MILLI);
            }
            return node != 2 || allAsked;
        }

        @Override
        public long nanosUntilLook(int node) {
            return 1_000 * MILLI;
        }

        @Override
        public boolean claimLook(int node) {
            return false;
        }

        @Override
        public void look(int node) {
            if (allAsked) {
                hear(node, 0);
            }
        }

        @Override
        public boolean quarantine(int node, String reason) {
            quarantines++;
            return true;
        }

        @Override
        public boolean isVouchedFor(int node) {
            return vouchedFor;
        }
    };

    private void hear(int node, long aheadNanos) {
        clockMonitor.note(node, 0, now - MILLI, now, EPOCH_MICROS + (now - MILLI / 2 + aheadNanos) / 1_000);
    }

    @Test
    void standstill_thatShowsWhileADoubtIsSettled_isToldBeforeThat() {
        hear(0, 0);
        hear(1, 0);
        NodeMonitor nodeMonitor = new NodeMonitor(time, clockMonitor, sight, told::add);
        now += 500 * MILLI;
        hear(0, 50 * MILLI);
        assertThat(clockMonitor.isDoubted(0)).isTrue();
        nodeMonitor.look();
        assertThat(clockMonitor.isDoubted(0)).as("settled as ours").isFalse();
        assertThat(told).hasSize(1);
    }

    /** As without memory: leases that are measured by this clock must not be relied upon for it. */
    @Test
    void standstill_thatCouldNotBeTold_isToldByTheNextLook() {
        hear(0, 0);
        hear(1, 0);
        boolean[] failed = new boolean[1];
        NodeMonitor nodeMonitor = new NodeMonitor(time, clockMonitor, sight, standstill -> {
            if (!failed[0]) {
                failed[0] = true;
                throw new OutOfMemoryError("on purpose");
            }
            told.add(standstill);
        });
        now += 500 * MILLI;
        hear(0, 50 * MILLI);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(nodeMonitor::look);
        assertThat(clockMonitor.isDoubted(0))
                .as("not settled before it is told")
                .isTrue();
        nodeMonitor.look();
        assertThat(told).hasSize(1);
        assertThat(clockMonitor.isDoubted(0)).isFalse();
    }

    /** Leases that were taken after it must not be lost for it. */
    @Test
    void standstill_thatCannotBeLogged_isToldOnce() {
        Handler failing = new StreamHandler() {
            @Override
            public void publish(LogRecord line) {
                throw new NoClassDefFoundError("on purpose");
            }
        };
        Logger log = Logger.getLogger(NodeMonitor.class.getName());
        log.addHandler(failing);
        try {
            standstill_thatShowsWhileADoubtIsSettled_isToldBeforeThat();
        } finally {
            log.removeHandler(failing);
        }
    }

    /** The mark of a node can say what that node likes. */
    @Test
    void nodeAhead_thatAMarkVouchesFor_costsNoLeasesWhereTheOthersAreNotAhead() {
        allAsked = true;
        vouchedFor = true;
        for (int node = 0; node < 3; node++) {
            hear(node, 0);
        }
        NodeMonitor nodeMonitor = new NodeMonitor(time, clockMonitor, sight, told::add);
        now += 50 * MILLI;
        nodeMonitor.look();
        now += 50 * MILLI;
        hear(0, 20_000 * MILLI);
        nodeMonitor.look(); // the others were looked at a moment ago
        assertThat(clockMonitor.isDoubted(0))
                .as("until the others have answered")
                .isTrue();
        now += 100 * MILLI;
        nodeMonitor.look();
        assertThat(clockMonitor.isDoubted(0)).isFalse();
        assertThat(told).isEmpty();
        assertThat(quarantines).isZero();
    }

    /** A node that answers, and is asked from some moment on. */
    private final class Admitted implements NodeMonitor.Sight {

        private final long[] from = {0, 400 * MILLI, 900 * MILLI};
        private final List<Integer> looked = new ArrayList<>();
        private boolean admits = true;
        private boolean claimable = true;

        @Override
        public int count() {
            return from.length;
        }

        @Override
        public boolean isAsked(int node) {
            return admits && from[node] <= now;
        }

        @Override
        public long nanosUntilLook(int node) {
            return from[node] - now;
        }

        @Override
        public boolean claimLook(int node) {
            return claimable;
        }

        @Override
        public void look(int node) {
            looked.add(node);
        }

        @Override
        public boolean quarantine(int node, String reason) {
            return false;
        }

        @Override
        public boolean isVouchedFor(int node) {
            return false;
        }
    }

    /** Each moment at which the thread wakes up costs, each look at a node does not. */
    @Test
    void nodes_admittedOneAfterTheOther_areSoonLookedAtTogetherOnceASecond() {
        now = 0;
        Admitted admitted = new Admitted();
        NodeMonitor nodeMonitor = new NodeMonitor(time, clockMonitor, admitted, told::add);
        int wakeUps = 0;
        while (now < 10_000 * MILLI) {
            now += Math.max(0, nodeMonitor.nanosUntilDue());
            assertThat(nodeMonitor.isDue()).isTrue();
            admitted.looked.clear();
            nodeMonitor.look();
            assertThat(++wakeUps).isLessThanOrEqualTo(10 + 3);
        }
        assertThat(admitted.looked).containsExactly(0, 1, 2);
    }

    @Test
    void firstLook_isDueAtOnce_whereverOurClockBegan() {
        for (long began : new long[] {0, 1_000 * MILLI, -5_000 * MILLI, Long.MAX_VALUE, Long.MIN_VALUE}) {
            now = began;
            allAsked = true;
            assertThat(new NodeMonitor(time, clockMonitor, sight, told::add).isDue())
                    .as("at %d", began)
                    .isTrue();
        }
    }

    @Test
    void node_thatIsNotAsked_isLookedAtWhenThatIsDue_byTheProcessThatTakesTheRight() {
        now = 0;
        Admitted admitted = new Admitted();
        admitted.admits = false;
        admitted.claimable = false;
        NodeMonitor nodeMonitor = new NodeMonitor(time, clockMonitor, admitted, told::add);
        assertThat(nodeMonitor.isDue()).isTrue();
        nodeMonitor.look();
        assertThat(admitted.looked).isEmpty();
        admitted.claimable = true;
        nodeMonitor.look();
        assertThat(admitted.looked).as("the others are not due").containsExactly(0);
    }
}
