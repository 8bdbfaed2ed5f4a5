// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.holdfast.history.Rule;
import org.holdfast.history.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What is broken must be found: a kit that finds nothing proves nothing. */
@Execution(ExecutionMode.CONCURRENT)
class BrokenDeploymentTest {

    private static final System.Logger LOG = System.getLogger("faults");
    private static final int ROUNDS = 12;

    @Test
    void clientThatIgnoresValidity_isFound_whereItStandsStill() throws Exception {
        assertFound(
                Rule.EXCLUSION,
                ProcessFault.CLIENT_STOPPED,
                new Deployment.Plan(3, Habit.IGNORES_VALIDITY, "QUARANTINE", true, false));
    }

    @Test
    void clientThatInventsTokens_isFound() throws Exception {
        assertFound(
                Rule.TOKEN_ORDER,
                NetworkFault.LATENCY,
                new Deployment.Plan(3, Habit.INVENTS_TOKENS, "QUARANTINE", true, false));
    }

    @Test
    void guardThatIsOff_isFound_whereNodesForget() throws Exception {
        assertFound(Rule.EXCLUSION, NodeFault.FLUSHED, new Deployment.Plan(1, Habit.HONEST, "OFF", true, false));
    }

    @Test
    void resourceThatIgnoresTokens_isFound_whereAHolderIgnoresValidity() throws Exception {
        assertFound(
                Rule.WRITE_ORDER,
                ProcessFault.CLIENT_STOPPED,
                new Deployment.Plan(3, Habit.IGNORES_VALIDITY, "QUARANTINE", false, false));
    }

    private static void assertFound(Rule rule, Fault fault, Deployment.Plan plan) throws Exception {
        Path directory = Path.of("target", "faults", "broken-" + plan.habit() + "-" + rule);
        Random random = new Random(1);
        try (Deployment deployment = new Deployment(directory, plan)) {
            Verdict verdict = Round.of(List.of(fault), deployment, random).verdict();
            for (int round = 1; round < ROUNDS && verdict.count(rule) == 0; round++) {
                verdict = Round.of(List.of(fault), deployment, random).verdict();
            }
            LOG.log(System.Logger.Level.INFO, plan + ": " + verdict);
            assertThat(verdict.count(rule)).as("%s: %s", plan, verdict).isPositive();
        }
    }
}
