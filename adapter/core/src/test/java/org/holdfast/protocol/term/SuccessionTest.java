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

    private final Succession succession = new Succession(3);

    private int asked;

    /** Each failover has a later one. */
    private long epoch = 1;

    /** @param process at that place; empty if the witness has not asked it */
    private Testimony says(String place, Set<String> fellows, String process) {
        return says(place, fellows, process, "");
    }

    private Testimony says(String place, Set<String> fellows, String process, String standby) {
        String other = place.equals(STANDBY) ? "a" : STANDBY;
        return new Testimony("witness " + ++asked, place, epoch, 3, fellows, process, Map.of(other, standby));
    }

    private boolean agreed(String place, Set<String> fellows, String process) {
        return agreed(place, fellows, process, "");
    }

    private boolean agreed(String place, Set<String> fellows, String process, String standby) {
        return agreed(place, says(place, fellows, process, standby), says(place, fellows, process, standby));
    }

    private boolean agreed(String place, Testimony... said) {
        return agreed(true, place, said);
    }

    private boolean agreed(boolean isWatched, String place, Testimony... said) {
        return succession.agreed(new Witnesses.Agreement(place, epoch), List.of(said), isWatched);
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
        agreed("a", FELLOWS, "");
        assertHeard(says(STANDBY, FELLOWS, "r2"));
    }

    @Test
    void witnesses_thatWereAllMadeAnew_areHeard_asTheyWatchTheSameProcess() {
        agreed("a", FELLOWS, "p");
        assertHeard(says("a", Set.of("t1", "t2", "t3"), "p"));
    }

    @Test
    void witnesses_thatWereToldToForget_doNotMakeItForgetTheProcesses() {
        agreed("a", FELLOWS, "p", "r");
        Testimony forgot = new Testimony("witness", "a", 1, 3, FELLOWS, "", Map.of());
        agreed("a", forgot, forgot);
        assertHeard(says("b", FELLOWS, "r"));
        assertThat(succession.isVoter("p")).isTrue();
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
    void voter_isNoProcess_beforeAMajorityHasAskedTheOneAtItsPlace() {
        assertThat(succession.isVoter("p")).isFalse();
        agreed("a", FELLOWS, "");
        assertThat(succession.isVoter("p")).isFalse();
        agreed("a", says("a", FELLOWS, "p"), says("a", FELLOWS, ""));
        assertThat(succession.isVoter("p")).as("one has asked it").isFalse();
        Testimony twice = says("a", FELLOWS, "p");
        agreed("a", twice, twice, says("a", FELLOWS, "q"));
        assertThat(succession.isVoter("p")).as("one has two addresses").isFalse();
        boolean begins = agreed("a", says("a", FELLOWS, "p"), says("a", FELLOWS, "q"), says("a", FELLOWS, "p"));
        assertThat(succession.isVoter("p")).isTrue();
        assertThat(begins).as("another one may have been there before").isTrue();
        assertThat(succession.isVoter("q"))
                .as("the way of one witness leads to it")
                .isFalse();
    }

    @Test
    void voter_afterAFailover_isTheProcessThatWasTheReplicaAtItsPlace_untilThatIsAsked() {
        agreed("a", FELLOWS, "p", "r");
        epoch++;
        assertThat(agreed(STANDBY, FELLOWS, "", "p")).isFalse();
        assertThat(succession.isVoter("r")).isTrue();
        assertThat(succession.isVoter("p")).as("it may go on elsewhere").isFalse();
        assertThat(agreed(STANDBY, FELLOWS, "r", "p")).isFalse();
        assertThat(succession.isVoter("r")).isTrue();
        epoch++;
        agreed("a", FELLOWS, "", "r");
        assertThat(succession.isVoter("p")).as("it is back").isTrue();
        assertThat(succession.isVoter("r")).isFalse();
    }

    @Test
    void voter_isNotTheReplicaThatAMajorityHasNotSaidInTheTermBefore() {
        agreed("a", FELLOWS, "p", "r");
        epoch++;
        agreed(STANDBY, FELLOWS, "r", "");
        epoch++;
        agreed("a", FELLOWS, "", "r");
        assertThat(succession.isVoter("p"))
                .as("it was the primary there, and not a replica")
                .isFalse();
    }

    @Test
    void voter_isNotTheReplica_whereAFailoverMayHaveBeenMissed() {
        agreed("a", FELLOWS, "p", "r");
        epoch++;
        agreed(false, STANDBY, says(STANDBY, FELLOWS, ""), says(STANDBY, FELLOWS, ""));
        assertThat(succession.isVoter("r")).isFalse();
    }

    @Test
    void voter_whereTheSamePlaceIsNamedInALaterEpoch_isNotTheProcessOfTheEarlierOne() {
        agreed("a", FELLOWS, "p", "r");
        epoch++;
        agreed("a", FELLOWS, "", "r");
        assertThat(succession.isVoter("p")).isFalse();
    }

    @Test
    void voter_ofWhichOneWitnessSaysOtherwise_isNotUsed_untilAMajorityHasAsked() {
        agreed("a", FELLOWS, "p");
        assertThat(agreed("a", says("a", FELLOWS, "p2"), says("a", FELLOWS, "p")))
                .isFalse();
        assertThat(succession.isVoter("p")).isFalse();
        assertThat(succession.isVoter("p2")).isFalse();
        assertThat(agreed("a", FELLOWS, "p")).as("the way of one was wrong").isFalse();
        assertThat(succession.isVoter("p")).isTrue();
        epoch++;
        agreed(STANDBY, says(STANDBY, FELLOWS, ""), says(STANDBY, FELLOWS, "r2"));
        assertThat(succession.isVoter("r")).isFalse();
    }

    @Test
    void voter_thatWasStartedAgainWhereItWas_isTheNewProcessOnceItWasAsked_andATermBegins() {
        agreed("a", FELLOWS, "p");
        assertThat(succession.isVoter("p2")).isFalse();
        agreed("a", says("a", FELLOWS, "p2"), says("a", FELLOWS, ""));
        assertThat(agreed("a", FELLOWS, "p2")).isTrue();
        assertThat(succession.isVoter("p2")).isTrue();
        assertThat(succession.isVoter("p")).isFalse();
        assertThat(agreed("a", FELLOWS, "p2")).isFalse();
    }

    @Test
    void witness_ofAnEarlierEpoch_doesNotSayWhichProcessIsAtAPlaceNow() {
        agreed("a", FELLOWS, "p", "r");
        Testimony behind = says("a", FELLOWS, "p", "r");
        epoch += 2;
        agreed("a", behind, says("a", FELLOWS, "p"), says("a", FELLOWS, ""));
        assertThat(succession.isVoter("p")).isFalse();
    }

    @Test
    void place_thatWitnessesDoNotNameAnyMore_isForgotten() {
        agreed("a", FELLOWS, "p", "r");
        Testimony without = new Testimony("witness 1", "a", 1, 3, FELLOWS, "p", Map.of("b", "q"));
        Testimony too = new Testimony("witness 2", "a", 1, 3, FELLOWS, "p", Map.of("b", "q"));
        agreed("a", without, too);
        assertNotHeard(says(STANDBY, Set.of("t1"), "r"));
    }
}
