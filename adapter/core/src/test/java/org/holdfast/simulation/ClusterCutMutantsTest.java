// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.holdfast.simulation.MutantAssertions.assertFound;
import static org.holdfast.simulation.Sources.CLUSTER;
import static org.holdfast.simulation.Sources.GUARD;
import static org.holdfast.simulation.Sources.SCRIPTS;
import static org.holdfast.simulation.Sources.TERM;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Bugs that show where a primary of a cluster goes on while another node has its place, or where a node gets what
 * another one knows of itself.
 */
@ExtendWith(QuietWorlds.class)
@Tag("nightly")
class ClusterCutMutantsTest {

    /** Its replica begins a quarantine, which is over before what the primary grants meanwhile. */
    @ConcurrentTest
    void primaryThatIsCutOffNotWaitedFor_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(26)
                        .amidst("SHARD_UNHEARD")
                        .with(
                                TERM + "Terms.java",
                                "counts.toNanos() + (long) (2 * driftFactor * counts.toNanos())"
                                        + " + SharedSettings.DRIFT_CONSTANT_NANOS;",
                                "0;"));
    }

    /** Clients that find another cluster where theirs was go over to it, and the others do not. */
    @ConcurrentTest
    void clusterThatIsAnotherOneUsed_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .amidst("ADDRESSES_OF_ANOTHER")
                        .with(TERM + "WitnessGroup.java", "present.isEmpty() ||", "true ||"));
    }

    /** A connection of the moment in which an address led elsewhere stays open when it leads back. */
    @ConcurrentTest
    void nodeAtTheAddressNotAskedWhichItIs_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(48)
                        .amidst("ADDRESSES_OF_ANOTHER")
                        .with("org/holdfast/simulation/ShardPlaces.java", "if (!named) {", "if (false) {"));
    }

    /**
     * The mark, and the record of slots, come to a node before the slot of the names does, without its keys. What
     * compares their writer with that node is left out, and so is all that would have the slot wait besides: each of
     * the latter hides the bug in this world.
     */
    @ConcurrentTest
    void markMovedBeforeTheKeysBelieved_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .lastSeenIn(13)
                        .amidst("HOME_MOVED_FIRST")
                        .with(
                                GUARD + "MemoryCheck.java",
                                "if (!mark.process().runId().equals(process.runId())) {",
                                "if (false) {")
                        .with(
                                SCRIPTS + "shard_process.lua",
                                "if string.match(redis.call('GET', birthMark) or '', '^%S+ %S+ %S+ (%S+)')"
                                        + " ~= ARGV[#ARGV] then",
                                "if false then")
                        .with(CLUSTER + "Home.java", ".filter(sign -> sign.writer().isNowOrWasBefore(node, ids));", ";")
                        .with(
                                CLUSTER + "SlotRecord.java",
                                "boolean ours = writer.node().equals(node);",
                                "boolean ours = true;")
                        .with(CLUSTER + "SlotRecord.java", "entry.sinceMicros() < named", "false")
                        .with(CLUSTER + "Shard.java", "before.epoch() == own.epoch() ||", "true ||")
                        .with(SCRIPTS + "shard.lua", "(kept or listed) and millis or 0", "0")
                        .with(GUARD + "Newcomer.java", "!facts.clustered() || !isNew ||", "true ||"));
    }
}
