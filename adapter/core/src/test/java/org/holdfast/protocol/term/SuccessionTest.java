// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.term;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.holdfast.protocol.term.Witnesses.Testimony;
import org.junit.jupiter.api.Test;

class SuccessionTest {

    private static final Set<String> FELLOWS = Set.of("s1", "s2", "s3");

    /** Where the one is that may take the place of the voter. */
    private static final String STANDBY = "replica";

    private final Succession succession = new Succession();

    private int asked;

    /** @param process at that place; empty if the witness has not asked it */
    private Testimony says(String place, Set<String> fellows, String process) {
        return says(place, fellows, process, "");
    }

    private Testimony says(String place, Set<String> fellows, String process, String standby) {
        String other = place.equals(STANDBY) ? "a" : STANDBY;
        return new Testimony("witness " + ++asked, place, 1, 3, fellows, process, Map.of(other, standby));
    }

    private void agreed(String place, Set<String> fellows, String process) {
        agreed(place, fellows, process, "");
    }

    private void agreed(String place, Set<String> fellows, String process, String standby) {
        agreed(says(place, fellows, process, standby));
    }

    private void agreed(Testimony said) {
        succession.agreed(new Witnesses.Agreement(said.place(), 1, said.process()), List.of(said));
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
        assertHeard(says("b", FELLOWS, "q"));
        assertHeard(says("b", Set.of(), ""));
    }

    @Test
    void witness_ofAnotherPrimaryThanBefore_isHeardOnlyWhereItKnowsOneOfTheFormerProcesses() {
        agreed("a", FELLOWS, "p", "r");
        assertHeard(says("b", FELLOWS, "r"));
        assertHeard(says("b", FELLOWS, "q", "p"));
        assertNotHeard(says("b", FELLOWS, "q"));
        assertThat(succession.fault(List.of(says("b", FELLOWS, "q"))))
                .hasValueSatisfying(fault -> assertThat(fault).contains("name b", "before (a)", "start this client"));
    }

    @Test
    void witness_thatDoesNotKnowTheProcessesYet_isNeitherHeardNorAStranger() {
        agreed("a", FELLOWS, "p", "r");
        Testimony one = says("b", FELLOWS, "");
        assertThat(succession.own(List.of(one))).isEmpty();
        assertThat(succession.strangers(List.of(one))).isEmpty();
    }

    @Test
    void primary_thatIsStartedAgainWhereItWas_isTheSame_forTheSameWitnesses() {
        agreed("a", FELLOWS, "p");
        assertHeard(says("a", Set.of("s3", "s4"), "p2"));
        assertHeard(says("a", Set.of(), "p2"));
        assertNotHeard(says("a", Set.of("t1", "t2"), "p2"));
    }

    @Test
    void replica_thatIsStartedAgain_andTakesThePlaceOfThePrimary_isOneThatWasKnown() {
        agreed("a", FELLOWS, "p", "r");
        assertHeard(says(STANDBY, FELLOWS, "r2"));
        assertNotHeard(says(STANDBY, Set.of("t1"), "r2"));
    }

    @Test
    void witnesses_thatWereAllMadeAnew_areHeard_asTheyWatchTheSameProcess() {
        agreed("a", FELLOWS, "p");
        assertHeard(says("a", Set.of("t1", "t2", "t3"), "p"));
    }

    @Test
    void replica_thatHasNotBeenAskedAgain_isOneThatIsKnownFromBefore() {
        agreed("a", FELLOWS, "p", "r");
        agreed(STANDBY, FELLOWS, "r", "");
        assertHeard(says("b", Set.of("t1"), "p"));
    }

    @Test
    void witnesses_ofTwoPrimaries_areNotHeardFirst() {
        Testimony other = new Testimony("witness", "b", 1, 3, Set.of("t1"), "q", Map.of());
        List<Testimony> torn = List.of(says("a", FELLOWS, "p"), other);
        assertThat(succession.own(torn)).isEmpty();
        assertThat(succession.strangers(torn)).hasSize(2);
        assertThat(succession.fault(torn))
                .hasValueSatisfying(fault -> assertThat(fault).contains("different primaries"));
        List<Testimony> restarted = List.of(says("a", FELLOWS, "p"), says(STANDBY, FELLOWS, "r2"));
        assertThat(succession.own(restarted)).as("one of them is behind").hasSize(2);
        List<Testimony> late = List.of(says("a", FELLOWS, "p", "r"), says("b", FELLOWS, "r"));
        assertThat(succession.own(late)).hasSize(2);
    }

    @Test
    void place_thatWitnessesDoNotNameAnyMore_isForgotten() {
        agreed("a", FELLOWS, "p", "r");
        agreed(new Testimony("witness", "a", 1, 3, FELLOWS, "p", Map.of("b", "q")));
        assertNotHeard(says(STANDBY, Set.of("t1"), "r"));
    }
}
