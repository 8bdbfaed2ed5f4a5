// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.term;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.holdfast.protocol.term.Witnesses.Testimony;
import org.junit.jupiter.api.Test;

class SuccessionTest {

    private static final Set<String> FELLOWS = Set.of("s1", "s2", "s3");

    private final Succession succession = new Succession();

    private static Testimony says(String place, Set<String> fellows, Set<String> processes) {
        return new Testimony("witness", place, 1, 3, fellows, processes, Set.of("replica"));
    }

    private void agreed(String place, Set<String> fellows, Set<String> processes) {
        succession.agreed(new Witnesses.Agreement(place, 1), List.of(says(place, fellows, processes)));
    }

    private void assertHeard(Testimony one) {
        assertThat(succession.own(List.of(one))).containsExactly(one);
        assertThat(succession.fault(List.of(one))).isEmpty();
    }

    private void assertNotHeard(Testimony one) {
        assertThat(succession.own(List.of(one))).isEmpty();
        assertThat(succession.strangers(List.of(one))).containsExactly(one);
    }

    @Test
    void witness_ofAnyPrimary_isHeardFirst() {
        assertHeard(says("b", FELLOWS, Set.of("q")));
        assertHeard(says("b", Set.of(), Set.of()));
    }

    @Test
    void witness_ofAnotherPrimaryThanBefore_isHeardOnlyWhereItKnowsOneOfTheFormerProcesses() {
        agreed("a", FELLOWS, Set.of("p", "r"));
        assertHeard(says("b", FELLOWS, Set.of("r")));
        assertNotHeard(says("b", FELLOWS, Set.of("q")));
        assertThat(succession.fault(List.of(says("b", FELLOWS, Set.of("q")))))
                .hasValueSatisfying(fault -> assertThat(fault).contains("name b", "before (a)", "start this client"));
    }

    @Test
    void witness_thatDoesNotKnowTheProcessesYet_isNeitherHeardNorAStranger() {
        agreed("a", FELLOWS, Set.of("p", "r"));
        Testimony one = says("b", FELLOWS, Set.of());
        assertThat(succession.own(List.of(one))).isEmpty();
        assertThat(succession.strangers(List.of(one))).isEmpty();
    }

    @Test
    void primary_thatIsStartedAgainWhereItWas_isTheSame_forTheSameWitnesses() {
        agreed("a", FELLOWS, Set.of("p"));
        assertHeard(says("a", Set.of("s3", "s4"), Set.of("p2")));
        assertHeard(says("a", Set.of(), Set.of("p2")));
        assertNotHeard(says("a", Set.of("t1", "t2"), Set.of("p2")));
    }

    @Test
    void replica_thatIsStartedAgain_andTakesThePlaceOfThePrimary_isOneThatWasKnown() {
        agreed("a", FELLOWS, Set.of("p", "r"));
        assertHeard(says("replica", FELLOWS, Set.of("r2")));
        assertNotHeard(says("replica", Set.of("t1"), Set.of("r2")));
        agreed("a", FELLOWS, Set.of());
        assertHeard(says("replica", FELLOWS, Set.of("r2")));
    }

    @Test
    void witnesses_thatWereAllMadeAnew_areHeard_asTheyWatchTheSameProcess() {
        agreed("a", FELLOWS, Set.of("p"));
        assertHeard(says("a", Set.of("t1", "t2", "t3"), Set.of("p")));
    }

    @Test
    void witnesses_thatWereToldToForget_doNotMakeItForgetTheProcesses() {
        agreed("a", FELLOWS, Set.of("p", "r"));
        agreed("a", FELLOWS, Set.of());
        assertHeard(says("b", FELLOWS, Set.of("r")));
    }

    @Test
    void witnesses_ofTwoPrimaries_areNotHeardFirst() {
        Testimony other = new Testimony("witness", "b", 1, 3, Set.of("t1"), Set.of("q"), Set.of());
        List<Testimony> torn = List.of(says("a", FELLOWS, Set.of("p")), other);
        assertThat(succession.own(torn)).isEmpty();
        assertThat(succession.strangers(torn)).hasSize(2);
        assertThat(succession.fault(torn))
                .hasValueSatisfying(fault -> assertThat(fault).contains("different primaries"));
        List<Testimony> restarted = List.of(says("a", FELLOWS, Set.of("p")), says("replica", FELLOWS, Set.of("r2")));
        assertThat(succession.own(restarted)).as("one of them is behind").hasSize(2);
        List<Testimony> late = List.of(says("a", FELLOWS, Set.of("p", "r")), says("b", FELLOWS, Set.of("r")));
        assertThat(succession.own(late)).hasSize(2);
    }

    @Test
    void process_thatWitnessesDoNotKnow_isNotTheVoter() {
        assertThat(succession.knows("any")).as("nothing is known yet").isTrue();
        agreed("a", FELLOWS, Set.of("p", "r"));
        assertThat(succession.knows("p")).isTrue();
        assertThat(succession.knows("q")).isFalse();
        agreed("replica", FELLOWS, Set.of("other"));
        assertThat(succession.knows("r"))
                .as("they have not asked it since the failover")
                .isTrue();
        agreed("replica", FELLOWS, Set.of("other", "r"));
        assertThat(succession.knows("p")).as("it may be back in the same place").isTrue();
        agreed("a", FELLOWS, Set.of("p2", "r"));
        assertThat(succession.knows("p")).isFalse();
    }

    @Test
    void process_isAny_whereWitnessesDoNotSayWhichTheyKnow() {
        agreed("a", FELLOWS, Set.of());
        assertThat(succession.knows("any")).isTrue();
    }
}
