// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each rule, kept and broken. */
class HistoryCheckTest {

    private static void assertBroken(Rule rule, Holds holds) {
        assertThat(holds.decide().counts()).isEqualTo(Map.of(rule, 1L));
        assertThat(holds.decide().toString()).contains(rule + " of 'a'");
    }

    private static void assertKept(Holds holds) {
        assertThat(holds.decide().examples()).isEmpty();
        assertThat(holds.decide().isClean()).isTrue();
    }

    @Test
    void holds_oneAfterTheOther_areKept() {
        assertKept(new Holds().alone(1, 0, 1, 5).alone(2, 2, 5, 9).alone(3, 3, 9, 12));
    }

    @Test
    void hold_thatBeginsBeforeTheOneBeforeHasEnded_isAnOverlap() {
        assertBroken(Rule.EXCLUSION, new Holds().alone(1, 0, 1, 5).alone(2, 2, 4, 9));
    }

    @Test
    void hold_thatBeginsBeforeOneFarBeforeHasEnded_isAnOverlap() {
        assertBroken(
                Rule.EXCLUSION,
                new Holds().alone(1, 0, 1, 50).alone(2, 2, 50, 51).alone(3, 2, 49, 53));
    }

    @Test
    void lease_thatWasOverWhenItCame_overlapsNothing() {
        assertKept(new Holds().alone(1, 0, 20, 5).alone(2, 2, 6, 30).alone(3, 3, 30, 31));
    }

    @Test
    void token_smallerThanThatOfAnEarlierHold_isOutOfOrder() {
        assertBroken(Rule.TOKEN_ORDER, new Holds().alone(2, 0, 1, 5).alone(1, 6, 7, 9));
    }

    @Test
    void token_smallerThanThatOfALeaseThatWasOverWhenItCame_isOutOfOrder() {
        assertBroken(Rule.TOKEN_ORDER, new Holds().alone(2, 0, 1, 1).alone(1, 2, 7, 9));
    }

    @Test
    void token_inTheOtherOrderThanHoldsThatWereAskedForAtOnce_isOutOfOrder() {
        assertBroken(Rule.TOKEN_ORDER, new Holds().alone(2, 0, 1, 5).alone(1, 0, 6, 9));
    }

    @Test
    void token_ofTwoHolders_isNotTheirOwn() {
        assertBroken(Rule.OWN_TOKEN, new Holds().alone(7, 0, 1, 5).alone(7, 2, 6, 9));
    }

    @Test
    void token_ofAWriterThatGoesOnAsAReader_isKept() {
        Holds holds = new Holds();
        holds.history.add(new Hold(1, Holds.LOCK, Kind.EXCLUSIVE, 1, 7, 0, 1, 5, 5));
        holds.history.add(new Hold(1, Holds.LOCK, Kind.SHARED, 1, 7, 5, 5, 9, 9));
        assertKept(holds);
    }

    @Test
    void token_ofAWriterThatAnotherCallerReadsWith_isNotItsOwn() {
        assertBroken(Rule.OWN_TOKEN, new Holds().alone(7, 0, 1, 5).reader(7, 5, 6, 9));
    }

    @Test
    void readers_atOneMomentWithTokensInAnyOrder_areKept() {
        assertKept(new Holds()
                .reader(3, 0, 1, 9)
                .reader(2, 2, 3, 9)
                .reader(3, 4, 5, 9)
                .alone(4, 1, 9, 10));
    }

    @Test
    void writer_besideAReader_isAnOverlap() {
        assertBroken(Rule.EXCLUSION, new Holds().reader(1, 0, 1, 9).alone(2, 2, 8, 10));
    }

    @Test
    void reader_besideAWriter_isAnOverlap() {
        assertBroken(Rule.EXCLUSION, new Holds().alone(1, 0, 1, 9).reader(2, 2, 8, 10));
    }

    @Test
    void reader_withASmallerTokenThanAWriterBefore_isOutOfOrder() {
        assertBroken(Rule.TOKEN_ORDER, new Holds().alone(2, 0, 1, 5).reader(1, 6, 7, 9));
    }

    @Test
    void writer_withASmallerTokenThanAReaderBefore_isOutOfOrder() {
        assertBroken(Rule.TOKEN_ORDER, new Holds().reader(2, 0, 1, 5).alone(1, 6, 7, 9));
    }

    @Test
    void permits_asManyAsThereAre_areKept() {
        assertKept(new Holds().permit(2, 0, 1, 5).permit(2, 0, 2, 6).permit(2, 0, 5, 7));
    }

    @Test
    void permits_moreThanThereAre_areTooMany() {
        assertBroken(
                Rule.PERMITS, new Holds().permit(2, 0, 1, 5).permit(2, 0, 2, 6).permit(2, 0, 4, 7));
    }

    @Test
    void writes_inTokenOrder_areKept_alsoThoseThatAreRefused() {
        assertKept(new Holds()
                .alone(1, 0, 1, 5)
                .alone(2, 2, 5, 9)
                .write(1, 3, true)
                .write(2, 6, true)
                .write(2, 7, true)
                .write(1, 8, false));
    }

    @Test
    void write_ofAPausedHolderThatTheResourceAccepts_isOutOfOrder() {
        assertBroken(
                Rule.WRITE_ORDER,
                new Holds()
                        .alone(1, 0, 1, 5)
                        .alone(2, 2, 5, 9)
                        .write(2, 6, true)
                        .write(1, 7, true));
    }

    @Test
    void write_ofTheHolderThatTheResourceRefuses_isOutOfOrder() {
        assertBroken(Rule.WRITE_ORDER, new Holds().alone(1, 0, 1, 5).write(1, 2, false));
    }

    @Test
    void write_withATokenThatNoCallerHad_isUnknown() {
        assertBroken(Rule.KNOWN_TOKEN, new Holds().alone(1, 0, 1, 5).write(3, 2, true));
    }

    @Test
    void locks_withDifferentNames_areIndependent() {
        History history = new History();
        for (String lock : new String[] {"a", "b"}) {
            history.add(new Hold(1, lock, Kind.EXCLUSIVE, 1, 1, 0, 1, 5, 5));
        }
        assertThat(HistoryCheck.decide(history).isClean()).isTrue();
        assertThat(HistoryCheck.decide(history).holds()).isEqualTo(2);
    }

    @Test
    void history_thatIsAllWrong_isCounted_andShownInExamples() {
        Holds holds = new Holds();
        for (int hold = 1; hold <= 1_000; hold++) {
            holds.alone(hold, 0, 1, 5);
        }
        assertThat(holds.decide().count(Rule.EXCLUSION)).isEqualTo(999);
        assertThat(holds.decide().examples()).hasSize(20);
    }

    @Test
    void hold_thatCannotBe_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Holds().alone(1, 2, 1, 5))
                .withMessage("granted is 1, and must be not before asked, 2");
        assertThatIllegalArgumentException().isThrownBy(() -> new Holds().alone(0, 0, 1, 5));
        assertThatIllegalArgumentException().isThrownBy(() -> new Holds().permit(0, 0, 1, 5));
    }
}
