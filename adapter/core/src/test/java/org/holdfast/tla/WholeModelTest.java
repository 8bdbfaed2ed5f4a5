// SPDX-License-Identifier: Apache-2.0
package org.holdfast.tla;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The model keeps its invariants also with nodes that forget and a voter that goes back, and meets all it should. */
@Tag("nightly")
class WholeModelTest {

    private static final Map<String, Long> OF_LOCKS = Map.of("node", 66_000L, "order", 20_000L, "restart", 100_000L);

    private static final Map<String, Long> OF_READERS =
            Map.of("readers-node", 29_000L, "readers-twins", 16_000L, "readers", 51_000L);

    private static final Map<String, Long> OF_VOTERS =
            Map.of("voter", 8_000L, "voter-follow", 13_000L, "voter-back", 49_000L, "voter-late", 143_000L);

    @Test
    void lock_inEveryState_hasOneHolder_andMeetsEachSituation() throws Exception {
        assertMeetsEachSituation("HoldfastRuns", OF_LOCKS);
    }

    @Test
    void readersAndWriters_inEveryState_keepEachOtherOut_andMeetEachSituation() throws Exception {
        assertMeetsEachSituation("ReadersRuns", OF_READERS);
    }

    @Test
    void voterBehindSentinels_inEveryState_hasOneHolder_andMeetsEachSituation() throws Exception {
        assertMeetsEachSituation("VoterRuns", OF_VOTERS);
    }

    /** @param floors how many states there must be, for each configuration */
    private static void assertMeetsEachSituation(String module, Map<String, Long> floors) throws Exception {
        Set<String> met = new HashSet<>();
        for (Map.Entry<String, Long> each : floors.entrySet()) {
            met.addAll(SoundModel.met("whole-" + each.getKey(), module, each.getKey(), each.getValue()));
        }
        assertThat(met).containsAll(Tlc.situations(module));
    }
}
