// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.holdfast.LeaseLoss;
import org.holdfast.Release;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.env.Callbacks;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.HolderInfo;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.quorum.QuorumResult;
import org.junit.jupiter.api.Test;

class HeldLockTest {

    private static final long VALIDITY = Duration.ofMillis(900).toNanos();

    private static final LeaseTerms RENEWED =
            new LeaseTerms(true, Optional.empty(), Optional.empty(), Release.CONFIRMED);

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final VirtualTime time = fixture.time;
    private final List<LeaseLoss> told = new ArrayList<>();
    private final Holder holder = Holder.thread();
    private final HeldLock heldLock =
            heldLock(new LossNotifier(new Callbacks(Runnable::run, WakeUp.NONE), time), lost -> {});

    private HeldLock heldLock(LossNotifier notifier, Consumer<HeldLock> whenLost) {
        return new HeldLock(
                fixture.command(7).claim(),
                new Cohort(0, 0, Optional.empty()),
                new Taker(holder, HolderInfo.UNKNOWN, 1),
                RENEWED,
                new QuorumResult.Acquired(time.nanoTime(), time.nanoTime() + VALIDITY),
                new LossNotifier.OnLoss(notifier, whenLost));
    }

    @Test
    void isHeld_untilTheEndOfValidity_thenLost() {
        time.pass(VALIDITY - 1);
        assertThat(heldLock.isHeld(time.nanoTime())).isTrue();
        assertThat(heldLock.remainingNanos(time.nanoTime())).isEqualTo(1);

        time.pass(1);
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
        assertThat(heldLock.remainingNanos(time.nanoTime())).isZero();
        assertThat(heldLock.loss().token()).isEqualTo(7);
        assertThat(heldLock.loss().heldFor()).isEqualTo(Duration.ofMillis(900));
    }

    /** What it is lost for is done by others, which may fail. */
    @Test
    void listener_isToldOfALoss_thoughWhatElseIsDoneFails() {
        HeldLock failing = heldLock(new LossNotifier(new Callbacks(Runnable::run, WakeUp.NONE), time), lost -> {
            throw new NoClassDefFoundError("on purpose");
        });
        failing.onLost(told::add);
        time.pass(VALIDITY);
        assertThatExceptionOfType(NoClassDefFoundError.class).isThrownBy(() -> failing.isHeld(time.nanoTime()));
        assertThat(told).hasSize(1);
        assertThat(failing.isHeld(time.nanoTime())).isFalse();
    }

    /** As without memory: it is made up for, and keeps no other from its report. */
    @Test
    void interrupt_thatFails_isRepeatedByTheNextSweep_andListenersAreToldOnce() {
        LossNotifier notifier = new LossNotifier(new Callbacks(Runnable::run, WakeUp.NONE), time);
        HeldLock lost = heldLock(notifier, ended -> {});
        List<String> attempts = new ArrayList<>();
        lost.interruptOnLoss(() -> {
            attempts.add("interrupt");
            if (attempts.size() == 1) {
                throw new OutOfMemoryError("on purpose");
            }
        });
        lost.onLost(told::add);
        time.pass(VALIDITY);
        assertThat(lost.isHeld(time.nanoTime())).isFalse();
        assertThat(told).hasSize(1);
        assertThat(attempts).hasSize(1);
        notifier.sweep();
        notifier.sweep();
        assertThat(attempts).hasSize(2);
        assertThat(told).hasSize(1);
    }

    @Test
    void neglected_lastsNoLongerThanIsKnown_andSaysWhy() {
        heldLock.neglect();
        assertThat(heldLock.isExtensible()).isFalse();
        heldLock.extend(time.nanoTime() + 2 * VALIDITY, time.nanoTime());
        time.pass(VALIDITY - 1);
        assertThat(heldLock.isHeld(time.nanoTime())).isTrue();
        time.pass(1);
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
        assertThat(heldLock.loss().reason()).contains("a failure in this process has left it to its TTL");
    }

    @Test
    void extend_afterTheLossWasSeen_changesNothing() {
        time.pass(VALIDITY);
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();

        assertThat(heldLock.extend(time.nanoTime() + VALIDITY, time.nanoTime())).isFalse();
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
    }

    @Test
    void extend_afterTheEndThoughNobodyLooked_isALossToo() {
        time.pass(VALIDITY);
        assertThat(heldLock.extend(time.nanoTime() + VALIDITY, time.nanoTime())).isFalse();
        assertThat(heldLock.loss()).isNotNull();
    }

    @Test
    void extend_inTime_movesTheEndAndNeverBack() {
        long start = time.nanoTime();
        assertThat(heldLock.extend(start + 2 * VALIDITY, time.nanoTime())).isTrue();
        assertThat(heldLock.extend(start + VALIDITY, time.nanoTime())).isTrue();
        time.pass(2 * VALIDITY - 1);
        assertThat(heldLock.isHeld(time.nanoTime())).isTrue();
    }

    @Test
    void giveBack_ofTheLastShare_isSeenOnce() {
        assertThat(heldLock.share(time.nanoTime(), false)).isTrue();
        assertThat(heldLock.giveBack(false)).isEqualTo(LeaseShare.ReleaseEffect.NOTHING);
        assertThat(heldLock.isHeld(time.nanoTime())).isTrue();
        assertThat(heldLock.giveBack(false)).isEqualTo(LeaseShare.ReleaseEffect.RELEASE);
        assertThat(heldLock.giveBack(false)).isEqualTo(LeaseShare.ReleaseEffect.NOTHING);
        assertThat(heldLock.isHeld(time.nanoTime())).isFalse();
    }

    @Test
    void share_afterReleaseOrLoss_isRefused() {
        time.pass(VALIDITY);
        assertThat(heldLock.share(time.nanoTime(), false)).isFalse();
    }

    @Test
    void listeners_onLoss_areToldOnceAndLateOnesAtOnce() {
        heldLock.onLost(told::add);
        time.pass(VALIDITY);
        heldLock.isHeld(time.nanoTime());
        heldLock.isHeld(time.nanoTime());
        assertThat(heldLock.lose("again", time.nanoTime())).isFalse();
        assertThat(told).hasSize(1);

        heldLock.onLost(told::add);
        assertThat(told).hasSize(2);
    }

    @Test
    void listener_thatThrows_keepsNoOtherFromBeingTold() {
        heldLock.onLost(loss -> {
            throw new IllegalStateException("a listener of the test");
        });
        heldLock.onLost(told::add);
        heldLock.lose("test", time.nanoTime());
        assertThat(told).hasSize(1);
    }

    @Test
    void loss_withoutAThreadForListeners_harmsNobodyWhoLooks() {
        HeldLock unlucky = heldLock(
                new LossNotifier(
                        new Callbacks(
                                listener -> {
                                    throw new java.util.concurrent.RejectedExecutionException("no thread");
                                },
                                WakeUp.NONE),
                        time),
                lost -> {});
        unlucky.onLost(told::add);
        time.pass(VALIDITY);
        assertThat(unlucky.isHeld(time.nanoTime())).isFalse();
        assertThat(unlucky.loss()).isNotNull();
    }

    @Test
    void listeners_afterRelease_areNotTold() {
        heldLock.onLost(told::add);
        heldLock.giveBack(false);
        time.pass(VALIDITY);
        heldLock.isHeld(time.nanoTime());
        assertThat(told).isEmpty();
    }

    @Test
    void loss_afterAFailedRenewal_saysWhatHappened() {
        heldLock.renewalFailed("node-1: silence");
        time.pass(VALIDITY);
        heldLock.isHeld(time.nanoTime());
        assertThat(heldLock.loss().reason()).contains("node-1: silence");
    }

    @Test
    void maxHold_endsTheLeaseHoweverOftenItIsExtended() {
        LeaseTerms terms =
                new LeaseTerms(true, Optional.of(Duration.ofMillis(1_500)), Optional.empty(), Release.CONFIRMED);
        long start = time.nanoTime();
        HeldLock bounded = new HeldLock(
                fixture.command(7).claim(),
                new Cohort(0, 0, Optional.empty()),
                new Taker(holder, HolderInfo.UNKNOWN, 1),
                terms,
                new QuorumResult.Acquired(start, start + VALIDITY),
                new LossNotifier.OnLoss(new LossNotifier(new Callbacks(Runnable::run, WakeUp.NONE), time), lost -> {}));
        bounded.onLost(told::add);
        time.passMillis(800);
        assertThat(bounded.isExtensible()).isTrue();
        assertThat(bounded.extend(time.nanoTime() + VALIDITY, time.nanoTime())).isTrue();
        assertThat(bounded.isExtensible()).isFalse();
        assertThat(bounded.validUntil())
                .isEqualTo(start + Duration.ofMillis(1_500).toNanos());

        time.passMillis(700);
        assertThat(bounded.isHeld(time.nanoTime())).isFalse();
        assertThat(told).singleElement().extracting(LeaseLoss::reason).isEqualTo("its maxHold of 1500 ms is over");
    }

    @Test
    void maxHold_longerThanAnyClockCounts_isForEver() {
        LeaseTerms terms = new LeaseTerms(
                true, Optional.of(Duration.ofSeconds(Long.MAX_VALUE)), Optional.empty(), Release.CONFIRMED);
        long start = time.nanoTime();
        HeldLock bounded = new HeldLock(
                fixture.command(7).claim(),
                new Cohort(0, 0, Optional.empty()),
                new Taker(holder, HolderInfo.UNKNOWN, 1),
                terms,
                new QuorumResult.Acquired(start, start + VALIDITY),
                new LossNotifier.OnLoss(new LossNotifier(new Callbacks(Runnable::run, WakeUp.NONE), time), lost -> {}));
        assertThat(bounded.isExtensible()).isTrue();
        assertThat(bounded.isHeld(start)).isTrue();
    }

    @Test
    void listener_thatIsForgotten_isNotTold() {
        java.util.function.Consumer<LeaseLoss> listener = told::add;
        heldLock.onLost(listener);
        heldLock.forget(listener);
        heldLock.lose("test", time.nanoTime());
        assertThat(told).isEmpty();
    }

    @Test
    void readLease_givenBackBeforeTheOtherLetsReadersIn_leavesALockThatIsOnlyRead() {
        heldLock.share(time.nanoTime(), true);
        assertThat(heldLock.giveBack(false)).isEqualTo(LeaseShare.ReleaseEffect.DOWNGRADE);
        assertThat(heldLock.giveBack(true))
                .isEqualTo(LeaseShare.ReleaseEffect.RELEASE); // by another thread, before readers were let in
        assertThat(heldLock.isAlone()).as("or it would be passed on").isFalse();
        heldLock.becomeReading();
        assertThat(heldLock.claim().target()).isEqualTo(new Target.Shared("a"));
    }

    /** As where the lock is lost between its grant and the lease. */
    @Test
    void interrupt_askedForAfterTheLoss_comesAtOnce_andOneThatIsForgottenDoesNot() {
        int[] interrupts = new int[1];
        Runnable forgotten = () -> interrupts[0] += 10;
        heldLock.interruptOnLoss(forgotten);
        heldLock.forget(forgotten);
        assertThat(heldLock.lose("test", time.nanoTime())).isTrue();
        heldLock.interruptOnLoss(() -> interrupts[0]++);
        assertThat(interrupts[0]).isOne();
    }

    /** As many leases to write are left as before. */
    @Test
    void readLease_givenBackBesideTwoToWrite_letsNoReaderInWhenOneOfThemEnds() {
        heldLock.share(time.nanoTime(), false);
        heldLock.share(time.nanoTime(), false);
        heldLock.share(time.nanoTime(), true);
        assertThat(heldLock.giveBack(true)).isEqualTo(LeaseShare.ReleaseEffect.NOTHING);
        assertThat(heldLock.giveBack(false)).isEqualTo(LeaseShare.ReleaseEffect.NOTHING);
        assertThat(heldLock.isAlone()).isTrue();
    }

    @Test
    void readLease_givenBackBesideAnother_leavesOneThatOnlyReads() {
        heldLock.share(time.nanoTime(), true);
        heldLock.share(time.nanoTime(), true);
        assertThat(heldLock.giveBack(true)).isEqualTo(LeaseShare.ReleaseEffect.NOTHING);
        assertThat(heldLock.giveBack(false)).isEqualTo(LeaseShare.ReleaseEffect.DOWNGRADE);
    }

    /** Nodes know no claim that reads several names. */
    @Test
    void severalNames_areNeverOnlyRead() {
        HeldLock several = new HeldLock(
                new Claim(new Target.Exclusive(List.of("a", "b")), new Owner("0".repeat(40)), 7, 1_000, 2_000),
                new Cohort(0, 0, Optional.empty()),
                new Taker(holder, HolderInfo.UNKNOWN, 1),
                RENEWED,
                new QuorumResult.Acquired(time.nanoTime(), time.nanoTime() + VALIDITY),
                new LossNotifier.OnLoss(new LossNotifier(new Callbacks(Runnable::run, WakeUp.NONE), time), lost -> {}));
        several.share(time.nanoTime(), true);
        assertThat(several.giveBack(false)).isEqualTo(LeaseShare.ReleaseEffect.NOTHING);
        several.becomeReading();
        assertThat(several.isAlone()).isTrue();
    }

    @Test
    void loss_thatNoThreadIsThereToTell_isSeenByWhoLooks() {
        HeldLock untold = heldLock(
                new LossNotifier(
                        new Callbacks(
                                task -> {
                                    throw new OutOfMemoryError("unable to create native thread");
                                },
                                WakeUp.NONE),
                        time),
                lost -> {});
        untold.onLost(told::add);
        time.pass(VALIDITY);
        assertThatCode(() -> untold.isHeld(time.nanoTime())).doesNotThrowAnyException();
        assertThat(untold.loss()).isNotNull();
    }
}
