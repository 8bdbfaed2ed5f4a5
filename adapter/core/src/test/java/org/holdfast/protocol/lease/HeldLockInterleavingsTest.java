// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.holdfast.LeaseLoss;
import org.holdfast.Release;
import org.holdfast.interleavings.Interleavings;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.env.Callbacks;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.HolderInfo;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.quorum.QuorumResult;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A lock is held until its last share is given back or it is lost, whatever comes first; exactly one thread learns that
 * it has to release it, and each listener hears of a loss once.
 */
@Tag("nightly")
class HeldLockInterleavingsTest {

    private static final String LEASE = "org/holdfast/protocol/lease/";
    private static final long VALID_UNTIL = 10;

    private static Interleavings states() {
        return Interleavings.of(Operations.class, OneLock.class)
                .story("share; giveBack | giveBack; isHeld 1")
                .story("giveBack; share | lose; isHeld 1")
                .story("isHeld 11; share | extend")
                .story("giveBackAll; isHeld 1 | share; giveBack");
    }

    private static Interleavings losses() {
        return Interleavings.of(Operations.class, OneLock.class)
                .story("listen; isHeld 1 | lose")
                .story("listen; forget | isHeld 11")
                .story("lose | isHeld 11; listen");
    }

    static HeldLock heldLock(LossNotifier notifier, Consumer<HeldLock> whenLost) {
        Claim claim = new Claim(new Target.Exclusive("a"), new Owner("0".repeat(40)), 7, 1_000, 2_000);
        return new HeldLock(
                claim,
                new Cohort(0, 0, Optional.empty()),
                new Taker(null, HolderInfo.UNKNOWN, 1),
                new LeaseTerms(true, Optional.empty(), Optional.empty(), Release.CONFIRMED),
                new QuorumResult.Acquired(0, VALID_UNTIL),
                new LossNotifier.OnLoss(notifier, whenLost));
    }

    /** One lock with one share at first, valid until 10. Times are in the operations, as threads have read them. */
    @Param(name = "now", gen = IntGen.class)
    public static final class Operations {

        private final AtomicInteger losses = new AtomicInteger();
        private final AtomicInteger told = new AtomicInteger();
        private final AtomicInteger releases = new AtomicInteger();
        private volatile boolean listening;
        private final LossNotifier notifier =
                new LossNotifier(new Callbacks(Runnable::run, WakeUp.NONE), new VirtualTime());
        private final HeldLock heldLock = heldLock(notifier, lost -> losses.incrementAndGet());
        private final Consumer<LeaseLoss> listener = loss -> told.incrementAndGet();

        @Operation
        public boolean share() {
            return heldLock.share(1, false);
        }

        @Operation
        public boolean giveBack() {
            boolean last = heldLock.giveBack(false) == LeaseShare.ReleaseEffect.RELEASE;
            releases.addAndGet(last ? 1 : 0);
            return last;
        }

        @Operation
        public boolean giveBackAll() {
            boolean all = heldLock.giveBackAll();
            releases.addAndGet(all ? 1 : 0);
            return all;
        }

        @Operation
        public boolean lose() {
            return heldLock.lose("on purpose", 1);
        }

        /** Returns nothing: a thread that saw the old end may declare the loss after the extension. */
        @Operation
        public void extend() {
            heldLock.extend(20, 1);
        }

        @Operation
        public boolean isHeld(int now) {
            return heldLock.isHeld(now);
        }

        @Operation
        public void listen() {
            listening = true;
            heldLock.onLost(listener);
        }

        @Operation
        public void forget() {
            listening = false;
            heldLock.forget(listener);
        }

        /** There is one end, and a listener that stayed hears of a loss once. */
        @Validate
        public void oneEndAndOneNotice() {
            boolean lost = heldLock.loss() != null;
            require(losses.get() == (lost ? 1 : 0), "lost " + losses + " times, is lost: " + lost);
            require(losses.get() + releases.get() <= 1, "lost and released");
            require(told.get() <= 1, "told " + told + " times");
            require(!lost || !listening || told.get() == 1, "a listener was not told");
        }

        private static void require(boolean holds, String fault) {
            if (!holds) {
                throw new IllegalStateException(fault);
            }
        }
    }

    /** What it looks like to one thread. */
    public static final class OneLock {

        private int shares = 1;
        private long until = VALID_UNTIL;
        private boolean over;

        public boolean share() {
            shares += shares > 0 ? 1 : 0;
            return shares > 0;
        }

        public boolean giveBack() {
            shares -= shares > 0 ? 1 : 0;
            return shares == 0 && ended();
        }

        public boolean giveBackAll() {
            return ended();
        }

        public boolean lose() {
            return ended();
        }

        private boolean ended() {
            boolean first = !over;
            over = true;
            shares = 0;
            return first;
        }

        public void extend() {
            until = over ? until : 20;
        }

        public boolean isHeld(int now) {
            if (!over && now >= until) {
                ended();
            }
            return !over;
        }

        public void listen() {}

        public void forget() {}
    }

    @Test
    void lock_endsOnce() {
        states().check();
    }

    @Test
    void loss_isToldToEachListenerOnce() {
        losses().check();
    }

    @Test
    void shareOfAnEndedLock_isFound() throws Exception {
        assertThat(states().checkWith(
                                LEASE + "HeldLock.java",
                                "if (STATE.compareAndSet(this, seen, more)) {",
                                "if (STATE.getAndSet(this, more) != null) {"))
                .isNotNull();
    }

    @Test
    void lossOfAReleasedLock_isFound() throws Exception {
        assertThat(states().checkWith(
                                LEASE + "HeldLock.java",
                                "while (seen instanceof State.Held && !STATE.compareAndSet(this, seen, ended)) {",
                                "while (seen instanceof State.Held && STATE.getAndSet(this, ended) == null) {"))
                .isNotNull();
    }

    @Test
    void listenerThatComesWithTheLossAndIsNotTold_isFound() throws Exception {
        assertThat(losses().checkWith(
                                LEASE + "HeldLock.java",
                                "listeners().add(listener);\n        reportLoss();",
                                "reportLoss();\n        listeners().add(listener);"))
                .contains("a listener was not told");
    }

    @Test
    void listenerThatTwoThreadsTell_isFound() throws Exception {
        assertThat(losses().checkWith(
                                LEASE + "LossNotifier.java",
                                "private synchronized @Nullable Entry poll() {",
                                "private @Nullable Entry poll() {"))
                .contains("told 2 times");
    }
}
