// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each fault alone, on real processes. */
@Execution(ExecutionMode.CONCURRENT)
class FaultsTest {

    private static final System.Logger LOG = System.getLogger("faults");

    /** With these no node loses what it had answered. */
    private static final List<Fault> DURABLE = List.of(
            NodeFault.RESTARTED_ALWAYS,
            NodeFault.ROLLING_RESTART,
            NodeFault.FROZEN,
            NodeFault.CONNECTIONS_KILLED,
            NetworkFault.RESETS,
            ProcessFault.CLIENT_STOPPED,
            NodeFault.RESTARTED_ALWAYS);

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5})
    void locks_keepTheirPromises_andComeBack_afterEachFault(int nodes) throws Exception {
        assertClean(Fault.all(), Deployment.Plan.sound(nodes), nodes + "-nodes");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void locksOnDurableNodes_keepTheirPromises_andComeBack_afterEachFaultThatLosesNothing(int nodes) throws Exception {
        assertClean(DURABLE, Deployment.Plan.durable(nodes), nodes + "-durable-nodes");
    }

    private static void assertClean(List<Fault> faults, Deployment.Plan plan, String name) throws Exception {
        Path directory = Path.of("target", "faults", name);
        Random random = new Random(Long.getLong("seed", plan.nodes()));
        try (Deployment deployment = new Deployment(directory, plan)) {
            for (Fault fault : faults) {
                Round round = Round.of(List.of(fault), deployment, random);
                LOG.log(System.Logger.Level.INFO, name + ", " + fault.name() + ": " + round);
                assertThat(round.verdict().isClean())
                        .as("%s on %s: %s", fault.name(), name, round.verdict())
                        .isTrue();
            }
            assertThat(deployment.observations().count()).isGreaterThan(faults.size() * 10L);
        }
    }
}
