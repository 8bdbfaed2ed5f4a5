// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.term;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WitnessesTest {

    private int asked;

    private Witnesses.Testimony says(String place, long epoch) {
        return new Witnesses.Testimony("witness " + ++asked, place, epoch, 3, Set.of(), "p", Map.of());
    }

    @Test
    void majority_thatNamesOnePlace_isBelieved() {
        assertThat(Witnesses.agree(3, List.of(says("a", 1), says("b", 2), says("a", 1))))
                .contains(new Witnesses.Agreement("a", 1, "p"));
        assertThat(Witnesses.agree(3, List.of(says("a", 1), says("a", 1))))
                .contains(new Witnesses.Agreement("a", 1, "p"));
        assertThat(Witnesses.agree(1, List.of(new Witnesses.Testimony("x", "a", 0, 1, Set.of(), "p", Map.of()))))
                .contains(new Witnesses.Agreement("a", 0, "p"));
    }

    @Test
    void minority_isNotBelieved() {
        assertThat(Witnesses.agree(3, List.of())).isEmpty();
        assertThat(Witnesses.agree(3, List.of(says("a", 1)))).isEmpty();
        assertThat(Witnesses.agree(3, List.of(says("a", 1), says("b", 2)))).isEmpty();
        assertThat(Witnesses.agree(2, List.of(new Witnesses.Testimony("x", "a", 1, 2, Set.of(), "p", Map.of()))))
                .isEmpty();
    }

    @Test
    void witnesses_thatAreNotAskedBecauseTheyAreNotNamed_countInTheMajority() {
        assertThat(Witnesses.agree(1, List.of(says("a", 1))))
                .as("one of three, cut off from the others")
                .isEmpty();
        List<Witnesses.Testimony> two =
                List.of(says("a", 1), new Witnesses.Testimony("x", "a", 1, 5, Set.of(), "p", Map.of()));
        assertThat(Witnesses.agree(2, two)).isEmpty();
        assertThat(Witnesses.needed(2, two)).isEqualTo(3);
    }

    @Test
    void witness_thatNamesThePlaceInAnEpochThatIsOver_isNoVoiceForIt() {
        List<Witnesses.Testimony> afterAFailoverAndBack = List.of(says("a", 1), says("a", 3), says("b", 2));
        assertThat(Witnesses.agree(3, afterAFailoverAndBack)).isEmpty();
        assertThat(Witnesses.agree(3, List.of(says("a", 1), says("a", 3), says("a", 3))))
                .contains(new Witnesses.Agreement("a", 3, "p"));
    }

    @Test
    void oneWitness_behindTwoAddresses_isOneVoice() {
        Witnesses.Testimony twice = says("a", 1);
        assertThat(Witnesses.agree(3, List.of(twice, twice))).isEmpty();
        assertThat(Witnesses.agree(3, List.of(twice, twice, says("a", 1)))).isPresent();
    }

    private static Witnesses.Testimony knows(String witness, String... others) {
        Set<String> fellows =
                Stream.concat(Stream.of(witness), Stream.of(others)).collect(Collectors.toSet());
        return new Witnesses.Testimony(witness, "a", 1, 3, fellows, "p", Map.of());
    }

    /** Its successor and a third one may be a majority for another client. */
    @Test
    void witness_thatWasReplaced_isNoVoiceBesideOneThatKnowsItsSuccessorOnly() {
        Witnesses.Testimony replaced = knows("x", "y", "z");
        assertThat(Witnesses.agree(3, List.of(replaced, knows("y", "new", "z"))))
                .isEmpty();
        assertThat(Witnesses.agree(3, List.of(knows("y", "new", "z"), replaced)))
                .isEmpty();
        assertThat(Witnesses.agree(3, List.of(replaced, knows("y", "new", "z"), knows("z", "new", "y"))))
                .isPresent();
        assertThat(Witnesses.agree(3, List.of(replaced, knows("y", "x", "z")))).isPresent();
    }

    /** Before Redis 6.2. */
    @Test
    void witness_thatDoesNotSayItsOwnId_isAVoiceBesideAnyOther() {
        Witnesses.Testimony silent = new Witnesses.Testimony("run", "a", 1, 3, Set.of("y", "z"), "p", Map.of());
        assertThat(Witnesses.agree(3, List.of(silent, knows("y", "x", "z")))).isPresent();
    }

    private Witnesses.Testimony finds(String process) {
        return new Witnesses.Testimony("witness " + ++asked, "a", 1, 3, Set.of(), process, Map.of());
    }

    @Test
    void witnesses_thatFindDifferentProcessesAtOnePlace_areNoMajority() {
        assertThat(Witnesses.agree(3, List.of(finds("p"), finds("q")))).isEmpty();
        assertThat(Witnesses.agree(3, List.of(finds("p"), finds("q"), finds("q"))))
                .contains(new Witnesses.Agreement("a", 1, "q"));
    }

    @Test
    void witness_thatHasNotAskedTheProcess_hasNoVoice() {
        assertThat(Witnesses.agree(3, List.of(finds("p"), finds("")))).isEmpty();
        assertThat(Witnesses.agree(3, List.of(finds(""), finds(""), finds("")))).isEmpty();
        assertThat(Witnesses.agree(3, List.of(finds("p"), finds(""), finds("p"))))
                .isPresent();
    }
}
