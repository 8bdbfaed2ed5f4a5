// SPDX-License-Identifier: Apache-2.0
package org.holdfast.tla;

import java.util.List;
import org.holdfast.simulation.Modelled;
import org.holdfast.simulation.TracedRuns;

/**
 * Runs with a mistake built in. Some mistakes show in few runs: if changes of the protocol or of the simulation make
 * other runs, look for a seed in which it shows again.
 *
 * @param shownBy the kinds of step of which one shows it
 * @param from the first seed
 * @param changes see {@link TracedRuns#recordMutated}
 */
record MistakenRuns(Modelled modelled, String shownBy, int from, List<String> changes) {

    private static final int RUNS_OF_EACH_MISTAKE = 3;

    /** Returns what was recorded, each trace under the name of the mistake. */
    List<String> record(Enum<?> mistake) throws Throwable {
        return TracedRuns.recordMutated(modelled, from, RUNS_OF_EACH_MISTAKE, changes).stream()
                .map(trace -> trace.replaceFirst("seed", mistake + " seed"))
                .toList();
    }
}
