// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.term;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.node.SharedSettings;
import org.junit.jupiter.api.Test;

class TermsTest {

    private static final Duration COUNTS = Duration.ofSeconds(5);

    private final VirtualTime time = new VirtualTime();
    private final Terms terms = new Terms(time, COUNTS, Duration.ZERO, 0.01);

    private boolean confirm(String place, long epoch) {
        return terms.confirm(new Witnesses.Agreement(place, epoch), time.nanoTime(), time.epochMicros());
    }

    private void pass(Duration duration) {
        time.pass(duration.toNanos());
    }

    @Test
    void votes_countForAWhileAfterTheQuestion() {
        assertThat(terms.count(1)).isFalse();
        assertThat(terms.counting()).isEmpty();
        assertThat(terms.age()).isEmpty();
        long asked = time.nanoTime();
        long wall = time.epochMicros();
        pass(Duration.ofSeconds(1)); // the answers take their time
        assertThat(terms.confirm(new Witnesses.Agreement("a", 1), asked, wall)).isTrue();
        pass(Duration.ofSeconds(4));
        assertThat(terms.count(1)).isTrue();
        assertThat(terms.counting()).isPresent().isEqualTo(terms.current());
        assertThat(terms.age()).contains(COUNTS);
        pass(Duration.ofNanos(1_000));
        assertThat(terms.count(1)).isFalse();
        assertThat(terms.counting()).isEmpty();
    }

    /** Another client may have used another process meanwhile, and epochs may have begun again. */
    @Test
    void term_thatIsNamedAgain_whenItsVotesCountNoMore_isAnotherOne() {
        Witnesses.Agreement agreement = new Witnesses.Agreement("a", 1, "process");
        terms.confirm(agreement, time.nanoTime(), time.epochMicros());
        pass(COUNTS);
        assertThat(terms.confirm(agreement, time.nanoTime(), time.epochMicros()))
                .isFalse();
        pass(COUNTS.plusNanos(1_000));
        assertThat(terms.confirm(agreement, time.nanoTime(), time.epochMicros()))
                .isTrue();
        assertThat(terms.count(1)).isFalse();
        assertThat(terms.count(2)).isTrue();
        Terms.Term next = terms.current().orElseThrow();
        assertThat(next.again()).isTrue();
        assertThat(terms.unsettledNanos(next)).isEqualTo(terms.settlesNanos());
    }

    @Test
    void term_ofACluster_goesOnWhenItIsNamedAgain_asItsEpochsNeverBeginAgain() {
        confirm("a", 1);
        pass(COUNTS.plusNanos(1_000));
        assertThat(confirm("a", 1)).isFalse();
        assertThat(terms.count(1)).isTrue();
    }

    @Test
    void votes_countForARoundLess_soThatItIsOverWhenTheNextProcessIsAsked() {
        Terms shorter = new Terms(time, COUNTS, Duration.ofMillis(400), 0.01);
        shorter.confirm(new Witnesses.Agreement("a", 1), time.nanoTime(), time.epochMicros());
        pass(COUNTS.minusMillis(400));
        assertThat(shorter.count(1)).isTrue();
        pass(Duration.ofNanos(1_000));
        assertThat(shorter.count(1)).isFalse();
        assertThat(shorter.unsettledNanos(shorter.current().orElseThrow()))
                .as("the wait for the next process is not shorter")
                .isGreaterThan(Duration.ofMillis(400).toNanos());
    }

    /** It tells less than what was heard meanwhile. */
    @Test
    void answer_toAnEarlierQuestionThatComesLate_shortensNothing() {
        long asked = time.nanoTime();
        long wall = time.epochMicros();
        pass(Duration.ofSeconds(4));
        confirm("a", 1);
        terms.confirm(new Witnesses.Agreement("a", 1), asked, wall);
        pass(COUNTS);
        assertThat(terms.count(1)).isTrue();
    }

    @Test
    void votes_ofTheFormerProcess_countNoMoreWhenAnotherIsNamed() {
        confirm("a", 1);
        assertThat(confirm("b", 2)).isTrue();
        assertThat(terms.count(1)).isFalse();
        assertThat(terms.count(2)).isTrue();
        assertThat(terms.current()).get().extracting(Terms.Term::place).isEqualTo("b");
    }

    @Test
    void sameProcess_inALaterEpoch_isAnotherTerm() {
        confirm("a", 1);
        assertThat(confirm("a", 3)).isTrue();
        assertThat(terms.count(1)).isFalse();
    }

    /** In a cluster two processes may have the same epoch for a moment. */
    @Test
    void anotherProcess_inTheSameEpoch_isAnotherTerm() {
        confirm("a", 1);
        assertThat(confirm("b", 1)).isTrue();
        assertThat(terms.count(1)).isFalse();
        assertThat(terms.current()).get().extracting(Terms.Term::place).isEqualTo("b");
    }

    @Test
    void process_thatWasNamed_isAskedWhenNoOtherClientCountsVotesOfTheFormerOne() {
        confirm("a", 1);
        pass(Duration.ofMinutes(1));
        confirm("b", 2);
        Terms.Term term = terms.current().orElseThrow();
        assertThat(terms.unsettledNanos(term)).isEqualTo(terms.settlesNanos());
        assertThat(terms.settlesNanos())
                .as("a clock may be slow, another fast, by a hundredth; and both are read in steps")
                .isEqualTo(COUNTS.plusMillis(100).toNanos() + SharedSettings.DRIFT_CONSTANT_NANOS);
        pass(COUNTS);
        confirm("b", 2);
        assertThat(terms.unsettledNanos(term)).as("clocks may differ in rate").isPositive();
        pass(Duration.ofMillis(103));
        assertThat(terms.unsettledNanos(term)).isZero();
    }

    @Test
    void monotonicClock_thatStoodStill_isShownByTheWallClock() {
        confirm("a", 1);
        time.setEpochMicros(time.epochMicros() + TimeUnit.SECONDS.toMicros(6));
        assertThat(terms.count(1)).isFalse();
        time.setEpochMicros(time.epochMicros() - TimeUnit.SECONDS.toMicros(60));
        assertThat(terms.count(1)).isTrue();
    }

    @Test
    void process_thatIsAnotherOneAtTheSamePlace_isNotAskedAtOnce() {
        terms.confirm(new Witnesses.Agreement("a", 1, "p"), time.nanoTime(), time.epochMicros());
        pass(COUNTS.multipliedBy(2));
        assertThat(terms.confirm(new Witnesses.Agreement("a", 1, "p2"), time.nanoTime(), time.epochMicros()))
                .isTrue();
        Terms.Term term = terms.current().orElseThrow();
        assertThat(term.number()).isEqualTo(2);
        assertThat(terms.unsettledNanos(term)).isEqualTo(terms.settlesNanos());
        assertThat(terms.count(1)).isFalse();
    }
}
