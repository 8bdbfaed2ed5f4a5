// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.protocol.guard.GuardedNode.LONG;
import static org.holdfast.protocol.guard.GuardedNode.PROCESS;
import static org.holdfast.protocol.guard.GuardedNode.SHORT;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is to be written to the mark of a process that has become the voter, and while settings are changed. */
class MarkChangesTest {

    private static final AcceptedSettings ACCEPTED = new AcceptedSettings(SHORT);
    private static final BirthMark MARK = mark(ACCEPTED);

    private final MarkChanges changes = new MarkChanges(ACCEPTED);

    private static BirthMark mark(AcceptedSettings acceptedSettings) {
        return new BirthMark(3, 4, List.of(2L), 1, PROCESS, 5, 0, 2, acceptedSettings);
    }

    private static NodeProbe.Sight sight(BirthMark.Process process, AcceptedSettings marked) {
        NodeFacts facts = new NodeFacts(process, true, false, false, Optional.empty(), 9);
        return new NodeProbe.Sight(facts, mark(marked).text(), true);
    }

    @Test
    void quarantineOfPromoted_forgetsWhatTheClockOfAnotherProcessHasShown() {
        BirthMark.Process other = new BirthMark.Process("other", 0, "-", "-");
        MarkChange change = changes.quarantineOfPromoted(sight(other, ACCEPTED), MARK, "why");
        assertThat(change.isAnotherClocks()).isTrue();
        assertThat(change.behindUntilMicros()).isZero();
        assertThat(change.sinceMicros()).isEqualTo(MarkChange.NOW);
        assertThat(change.reason()).isEqualTo("why");
    }

    @Test
    void quarantineOfPromoted_thatHasItsOwnMark_remembersWhatItsClockHasShown() {
        MarkChange change = changes.quarantineOfPromoted(sight(PROCESS, ACCEPTED), MARK, "why");
        assertThat(change.isAnotherClocks()).isFalse();
        assertThat(change.behindUntilMicros()).isEqualTo(4);
        assertThat(change.sinceMicros()).isEqualTo(MarkChange.NOW);
    }

    @Test
    void process_thatKnowsTheOldSettingsOnly_isNotedWhileTheyAreChanged() {
        AcceptedSettings change = new AcceptedSettings(LONG, Optional.of(SHORT));
        assertThat(changes.note(sight(PROCESS, change), 3, 0, 4, 1, change, "").outdatedMicros())
                .as("this one is such")
                .isEqualTo(9);
        MarkChanges between = new MarkChanges(change);
        assertThat(between.note(sight(PROCESS, change), 3, 0, 4, 1, change, "").outdatedMicros())
                .as("another one was there before")
                .isEqualTo(5);
        assertThat(between.note(sight(PROCESS, ACCEPTED), 3, 0, 4, 1, change, "")
                        .outdatedMicros())
                .as("as the change begins others may be there")
                .isEqualTo(9);
        AcceptedSettings done = new AcceptedSettings(LONG);
        assertThat(new MarkChanges(done)
                        .note(sight(PROCESS, change), 3, 0, 4, 1, done, "")
                        .outdatedMicros())
                .isZero();
    }
}
