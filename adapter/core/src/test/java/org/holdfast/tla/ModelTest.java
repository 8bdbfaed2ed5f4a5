// SPDX-License-Identifier: Apache-2.0
package org.holdfast.tla;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The protocol in TLA+ keeps its invariants in every state that TLC can find. */
class ModelTest {

    @Test
    void lock_inEveryState_hasOneHolderWithGrowingTokens() throws Exception {
        Set<String> met = new HashSet<>();
        met.addAll(checked("HoldfastRuns", "node", 66_000));
        met.addAll(checked("HoldfastRuns", "order", 20_000));
        met.addAll(checked("HoldfastRuns", "restart", 100_000));

        assertThat(met).containsAll(Tlc.situations("HoldfastRuns"));
    }

    @Test
    void readersAndWriters_inEveryState_keepEachOtherOut() throws Exception {
        Set<String> met = new HashSet<>();
        met.addAll(checked("ReadersRuns", "readers-node", 18_000));
        met.addAll(checked("ReadersRuns", "readers", 13_000));

        assertThat(met).containsAll(Tlc.situations("ReadersRuns"));
    }

    @Test
    void voterBehindSentinels_inEveryState_hasOneHolder() throws Exception {
        Set<String> met = new HashSet<>();
        met.addAll(checked("VoterRuns", "voter", 8_000));
        met.addAll(checked("VoterRuns", "voter-follow", 13_000));
        met.addAll(checked("VoterRuns", "voter-back", 49_000));

        assertThat(met).containsAll(Tlc.situations("VoterRuns"));
    }

    /** Returns the situations that were met. */
    private static Set<String> checked(String module, String config, long floor) throws Exception {
        String text = Files.readString(Tlc.MODULES.resolve(config + ".cfg"));

        Tlc.Result result = Tlc.check(config, module, text);

        assertThat(result.complete()).as(result.output()).isTrue();
        assertThat(result.distinct()).as("states of " + config).isGreaterThanOrEqualTo(floor);
        return result.met();
    }
}
