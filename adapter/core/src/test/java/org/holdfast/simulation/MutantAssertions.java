// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

/** What tests require of mutants. */
final class MutantAssertions {

    private static final System.Logger LOG = System.getLogger("simulation");
    private static final int SEEDS = 1_500;

    private MutantAssertions() {}

    /** Requires that the simulation finds it, as a promise that is broken. */
    static void assertFound(String promise, Mutant mutant) throws Exception {
        assertFound(promise, mutant, SEEDS);
    }

    static void assertFound(String promise, Mutant mutant, int seeds) throws Exception {
        String found = mutant.simulate(seeds);
        assertThat(found).as("what the checker says").isNotNull().contains(promise);
        String test = StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> frame.getMethodName().endsWith("_isFound"))
                        .findFirst()
                        .orElseThrow()
                        .getMethodName());
        String seed = found.substring(0, found.indexOf(':'));
        LOG.log(System.Logger.Level.INFO, test + ": " + seed + mutant.adviceIfNotIn(seed));
    }

    /** Requires that a test of a class refutes it: the simulation has no world in which it matters. */
    static void assertRefuted(String tests, String test, Mutant mutant) throws Exception {
        assertThat(new Mutant().refute(tests)).as("what fails without it").isEmpty();
        assertThat(mutant.refute(tests)).as("what fails").anyMatch(failure -> failure.startsWith(test));
    }
}
