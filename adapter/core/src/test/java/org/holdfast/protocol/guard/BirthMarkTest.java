// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.holdfast.protocol.guard.GuardedNode.LONG;
import static org.holdfast.protocol.guard.GuardedNode.PROCESS;
import static org.holdfast.protocol.guard.GuardedNode.SHORT;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The text of a birth mark. */
class BirthMarkTest {

    private static BirthMark mark(List<Long> looks) {
        return new BirthMark(1, 0, looks, 3, PROCESS, 7, 0, 5, new AcceptedSettings(SHORT));
    }

    private static BirthMark.Process promoted(String promotion) {
        return new BirthMark.Process("run", 0, promotion, BirthMark.Process.LOADED_UNKNOWN);
    }

    @Test
    void mark_withoutALook_isNone() {
        assertThatIllegalArgumentException().isThrownBy(() -> mark(List.of()));
    }

    @Test
    void moment_ofAClockThatIsNotKnownToHaveBeenBehind_isWrittenAlone() {
        assertThat(mark(List.of(6L, 2L)).text()).startsWith("1 6,2 3 run 0 ");
    }

    /** The mark has eight looks at the most: a process may remember an older one. */
    @Test
    void look_belongsToTheMark_whereItIsOneOfTheLast_orCameBeforeThem() {
        BirthMark mark = mark(List.of(6L, 3L));
        assertThat(mark.goesBackTo(6)).isTrue();
        assertThat(mark.goesBackTo(3)).isTrue();
        assertThat(mark.goesBackTo(2)).isTrue();
        assertThat(mark.goesBackTo(4)).isFalse();
        assertThat(mark.goesBackTo(7)).isFalse();
    }

    @Test
    void promotion_thatIsForgotten_isNoOther() {
        assertThat(promoted("-").isPromotedSince(promoted("aa"))).isFalse();
        assertThat(promoted("-@1").isPromotedSince(promoted("aa@1"))).isFalse();
        assertThat(promoted("-@2").isPromotedSince(promoted("aa@1"))).isTrue();
        assertThat(promoted("ba@1").isPromotedSince(promoted("aa@1"))).isTrue();
        assertThat(promoted("aa@1").isPromotedSince(promoted("-@1"))).isTrue();
    }

    @Test
    void mark_isReadAsItWasWritten() {
        BirthMark mark = new BirthMark(
                1, 4, List.of(6L, 2L), 3, PROCESS, 7, 1, 5, new AcceptedSettings(LONG, Optional.of(SHORT)));
        assertThat(BirthMark.parse(mark.text())).contains(mark);
        BirthMark usual = new BirthMark(1, 0, mark.looks(), 3, PROCESS, 7, 0, 5, mark.acceptedSettings());
        assertThat(BirthMark.parse(usual.text())).contains(usual);
        BirthMark watchedLater = new BirthMark(1, 0, mark.looks(), 3, PROCESS, 7, 0, 9, mark.acceptedSettings());
        assertThat(BirthMark.parse(watchedLater.text()).orElseThrow().watchedMicros())
                .isEqualTo(6);
        assertThat(BirthMark.parse("")).isEmpty();
        assertThat(BirthMark.parse("1 2 3 run 0 - x/y/z")).isEmpty();
        assertThat(BirthMark.parse("1 2 3 run 0 - 0/1/0.5")).isEmpty();
    }
}
