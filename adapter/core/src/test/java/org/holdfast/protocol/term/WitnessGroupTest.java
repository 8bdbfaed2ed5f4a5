// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.term;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WitnessGroupTest {

    private final WitnessGroup group = new WitnessGroup();

    private List<Set<String>> own(List<Set<String>> answers) {
        return group.own(answers, ids -> ids);
    }

    @Test
    void group_thatIsNotKnownYet_isAny() {
        assertThat(own(List.of(Set.of("a"), Set.of("x")))).hasSize(2);
    }

    @Test
    void witness_thatKnowsAMember_isOfTheGroup() {
        group.agreed(Stream.of("a", "b", "c"));
        assertThat(own(List.of(Set.of("d", "c"), Set.of("x", "y"), Set.of()))).containsExactly(Set.of("d", "c"));
        group.agreed(Stream.of("c", "d"));
        assertThat(own(List.of(Set.of("a", "b"), Set.of("d"))))
                .as("those that it has forgotten are no members")
                .containsExactly(Set.of("d"));
    }
}
