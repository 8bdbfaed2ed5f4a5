// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.holdfast.LeaseLoss;
import org.junit.jupiter.api.Test;

class HoldTest {

    private static final long VALIDITY = Duration.ofMillis(900).toNanos();

    private static final Hold.Terms RENEWED = new Hold.Terms(true, Optional.empty(), Optional.empty());

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final VirtualTime time = fixture.time;
    private final List<LeaseLoss> told = new ArrayList<>();
    private final Holder holder = Holder.thread();
    private final Hold hold = new Hold(
            fixture.command(7).claim(),
            new Hold.Cohort(0, 0, 0),
            new Hold.Taker(holder, Badge.UNKNOWN, 1),
            RENEWED,
            new Outcome.Acquired(time.nanoTime(), time.nanoTime() + VALIDITY),
            new Notifier(new Callbacks(Runnable::run), time),
            lost -> {});

    @Test
    void isHeld_untilTheEndOfValidity_thenLost() {
        time.pass(VALIDITY - 1);
        assertThat(hold.isHeld(time.nanoTime())).isTrue();
        assertThat(hold.remainingNanos(time.nanoTime())).isEqualTo(1);

        time.pass(1);
        assertThat(hold.isHeld(time.nanoTime())).isFalse();
        assertThat(hold.remainingNanos(time.nanoTime())).isZero();
        assertThat(hold.loss().token()).isEqualTo(7);
        assertThat(hold.loss().heldFor()).isEqualTo(Duration.ofMillis(900));
    }

    @Test
    void extend_afterTheLossWasSeen_changesNothing() {
        time.pass(VALIDITY);
        assertThat(hold.isHeld(time.nanoTime())).isFalse();

        assertThat(hold.extend(time.nanoTime() + VALIDITY, time.nanoTime())).isFalse();
        assertThat(hold.isHeld(time.nanoTime())).isFalse();
    }

    @Test
    void extend_afterTheEndThoughNobodyLooked_isALossToo() {
        time.pass(VALIDITY);
        assertThat(hold.extend(time.nanoTime() + VALIDITY, time.nanoTime())).isFalse();
        assertThat(hold.loss()).isNotNull();
    }

    @Test
    void extend_inTime_movesTheEndAndNeverBack() {
        long start = time.nanoTime();
        assertThat(hold.extend(start + 2 * VALIDITY, time.nanoTime())).isTrue();
        assertThat(hold.extend(start + VALIDITY, time.nanoTime())).isTrue();
        time.pass(2 * VALIDITY - 1);
        assertThat(hold.isHeld(time.nanoTime())).isTrue();
    }

    @Test
    void giveBack_ofTheLastShare_isSeenOnce() {
        assertThat(hold.share(time.nanoTime(), false)).isTrue();
        assertThat(hold.giveBack(false)).isEqualTo(Hold.GivenBack.NOTHING);
        assertThat(hold.isHeld(time.nanoTime())).isTrue();
        assertThat(hold.giveBack(false)).isEqualTo(Hold.GivenBack.ALL);
        assertThat(hold.giveBack(false)).isEqualTo(Hold.GivenBack.NOTHING);
        assertThat(hold.isHeld(time.nanoTime())).isFalse();
    }

    @Test
    void share_afterReleaseOrLoss_isRefused() {
        time.pass(VALIDITY);
        assertThat(hold.share(time.nanoTime(), false)).isFalse();
    }

    @Test
    void listeners_onLoss_areToldOnceAndLateOnesAtOnce() {
        hold.onLost(told::add);
        time.pass(VALIDITY);
        hold.isHeld(time.nanoTime());
        hold.isHeld(time.nanoTime());
        assertThat(hold.lose("again", time.nanoTime())).isFalse();
        assertThat(told).hasSize(1);

        hold.onLost(told::add);
        assertThat(told).hasSize(2);
    }

    @Test
    void listener_thatThrows_keepsNoOtherFromBeingTold() {
        hold.onLost(loss -> {
            throw new IllegalStateException("a listener of the test");
        });
        hold.onLost(told::add);
        hold.lose("test", time.nanoTime());
        assertThat(told).hasSize(1);
    }

    @Test
    void loss_withoutAThreadForListeners_harmsNobodyWhoLooks() {
        Hold unlucky = new Hold(
                fixture.command(7).claim(),
                new Hold.Cohort(0, 0, 0),
                new Hold.Taker(holder, Badge.UNKNOWN, 1),
                RENEWED,
                new Outcome.Acquired(time.nanoTime(), time.nanoTime() + VALIDITY),
                new Notifier(
                        new Callbacks(listener -> {
                            throw new java.util.concurrent.RejectedExecutionException("no thread");
                        }),
                        time),
                lost -> {});
        unlucky.onLost(told::add);
        time.pass(VALIDITY);
        assertThat(unlucky.isHeld(time.nanoTime())).isFalse();
        assertThat(unlucky.loss()).isNotNull();
    }

    @Test
    void listeners_afterRelease_areNotTold() {
        hold.onLost(told::add);
        hold.giveBack(false);
        time.pass(VALIDITY);
        hold.isHeld(time.nanoTime());
        assertThat(told).isEmpty();
    }

    @Test
    void loss_afterAFailedRenewal_saysWhatHappened() {
        hold.renewalFailed("node-1: silence");
        time.pass(VALIDITY);
        hold.isHeld(time.nanoTime());
        assertThat(hold.loss().reason()).contains("node-1: silence");
    }

    @Test
    void maxHold_endsTheLeaseHoweverOftenItIsExtended() {
        Hold.Terms terms = new Hold.Terms(true, Optional.of(Duration.ofMillis(1_500)), Optional.empty());
        long start = time.nanoTime();
        Hold bounded = new Hold(
                fixture.command(7).claim(),
                new Hold.Cohort(0, 0, 0),
                new Hold.Taker(holder, Badge.UNKNOWN, 1),
                terms,
                new Outcome.Acquired(start, start + VALIDITY),
                new Notifier(new Callbacks(Runnable::run), time),
                lost -> {});
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
        Hold.Terms terms = new Hold.Terms(true, Optional.of(Duration.ofSeconds(Long.MAX_VALUE)), Optional.empty());
        long start = time.nanoTime();
        Hold bounded = new Hold(
                fixture.command(7).claim(),
                new Hold.Cohort(0, 0, 0),
                new Hold.Taker(holder, Badge.UNKNOWN, 1),
                terms,
                new Outcome.Acquired(start, start + VALIDITY),
                new Notifier(new Callbacks(Runnable::run), time),
                lost -> {});
        assertThat(bounded.isExtensible()).isTrue();
        assertThat(bounded.isHeld(start)).isTrue();
    }

    @Test
    void listener_thatIsForgotten_isNotTold() {
        java.util.function.Consumer<LeaseLoss> listener = told::add;
        hold.onLost(listener);
        hold.forget(listener);
        hold.lose("test", time.nanoTime());
        assertThat(told).isEmpty();
    }

    @Test
    void readLease_givenBackBeforeTheOtherLetsReadersIn_leavesALockThatIsOnlyRead() {
        hold.share(time.nanoTime(), true);
        assertThat(hold.giveBack(false)).isEqualTo(Hold.GivenBack.ALONE);
        assertThat(hold.giveBack(true)).isEqualTo(Hold.GivenBack.ALL); // by another thread, before readers were let in
        assertThat(hold.isAlone()).as("or it would be passed on").isFalse();
        hold.becomeReading();
        assertThat(hold.claim().target()).isEqualTo(new Target.Reading("a"));
    }

    @Test
    void loss_thatNoThreadIsThereToTell_isSeenByWhoLooks() {
        Hold untold = new Hold(
                fixture.command(7).claim(),
                new Hold.Cohort(0, 0, 0),
                new Hold.Taker(holder, Badge.UNKNOWN, 1),
                RENEWED,
                new Outcome.Acquired(time.nanoTime(), time.nanoTime() + VALIDITY),
                new Notifier(
                        new Callbacks(task -> {
                            throw new OutOfMemoryError("unable to create native thread");
                        }),
                        time),
                lost -> {});
        untold.onLost(told::add);
        time.pass(VALIDITY);
        assertThatCode(() -> untold.isHeld(time.nanoTime())).doesNotThrowAnyException();
        assertThat(untold.loss()).isNotNull();
    }
}
