// SPDX-License-Identifier: Apache-2.0
package org.holdfast.tla;

import org.junit.jupiter.api.Test;

/** The protocol in TLA+ keeps its invariants in every state that TLC can find: what a minute is enough for. */
class ModelTest {

    @Test
    void lock_onThreeNodes_hasOneHolderWithGrowingTokens() throws Exception {
        SoundModel.met("order", "HoldfastRuns", "order", 20_000);
    }

    @Test
    void readersAndWriters_inEveryState_keepEachOtherOut() throws Exception {
        SoundModel.met("readers-node", "ReadersRuns", "readers-node", 29_000);
        SoundModel.met("readers", "ReadersRuns", "readers", 51_000);
    }

    @Test
    void voterBehindSentinels_inEveryState_hasOneHolder() throws Exception {
        SoundModel.met("voter", "VoterRuns", "voter", 8_000);
        SoundModel.met("voter-follow", "VoterRuns", "voter-follow", 13_000);
    }
}
