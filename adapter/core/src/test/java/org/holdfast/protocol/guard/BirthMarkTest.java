// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.protocol.guard.GuardedNode.LONG;
import static org.holdfast.protocol.guard.GuardedNode.PROCESS;
import static org.holdfast.protocol.guard.GuardedNode.SHORT;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The text of a birth mark. */
class BirthMarkTest {

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
