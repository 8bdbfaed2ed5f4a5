// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.holdfast.memory.LuaInterpreter;

/** Opens the simulation to its models: traces of runs in which only that happens which a model has. */
public final class TracedRuns {

    private TracedRuns() {}

    /** Returns definitions in TLA+ of the times that all these runs have, for constants of a model. */
    public static String times(Modelled modelled) {
        ModelTime times = new ModelTime(Setting.drawModelled(new Random(0), modelled), modelled.ttl());
        return "TracedTtl == " + times.ttl() + "\nTracedDrift == " + times.drift() + "\nTracedQuarantine == "
                + times.quarantine() + "\nTracedFresh == " + times.fresh() + "\nTracedSettling == "
                + times.settling() + "\n";
    }

    /**
     * Runs seeds with sentences of classes or scripts replaced, see {@link Mutant}.
     *
     * @param changes one after the other: the file, the sentence, and what is to stand there
     * @return a record in TLA+ of each
     */
    public static List<String> recordMutated(Modelled modelled, long from, int seeds, List<String> changes)
            throws Throwable {
        Mutant mutant = new Mutant();
        for (int i = 0; i < changes.size(); i += 3) {
            mutant.with(changes.get(i), changes.get(i + 1), changes.get(i + 2));
        }
        return mutant.record(modelled, from, seeds);
    }

    /**
     * Runs seeds one after another.
     *
     * @param mutated whether a promise may be broken: then the trace ends there
     * @return a record in TLA+ of each
     */
    public static List<String> record(Modelled modelled, long from, int seeds, boolean mutated) throws Throwable {
        LuaInterpreter lua = new LuaInterpreter();
        List<String> traces = new ArrayList<>();
        for (long seed = from; seed < from + seeds; seed++) {
            traces.add(Simulation.trace(seed, modelled, mutated, lua));
        }
        return traces;
    }
}
