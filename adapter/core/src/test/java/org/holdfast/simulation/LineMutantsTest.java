// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.holdfast.simulation.MutantAssertions.assertRefuted;
import static org.holdfast.simulation.Sources.QUEUE;
import static org.holdfast.simulation.Sources.WAITING;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bugs of the order of a fair line. */
@ExtendWith(QuietWorlds.class)
@Tag("nightly")
class LineMutantsTest {

    /** The nodes keep the order of those that ask; the simulation does not know in which order callers came. */
    @ConcurrentTest
    void waiterThatAsksBeforeThoseInFrontOfIt_isFound() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.waiting.FairLineTest",
                "waiter_behindOneThatHasNotAsked",
                new Mutant()
                        .with(
                                QUEUE + "WaitLine.java",
                                "return before == null || before.late || (member.inVain ? before.placed : before.asked);",
                                "return true;"));
    }

    @ConcurrentTest
    void waiterNotToldThatItMayAsk_isFound() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.waiting.FairLineTest",
                "waiter_behindOneThatHasNotAsked",
                new Mutant().with(QUEUE + "WaitQueues.java", "if (next[0] != null) {", "if (false) {"));
    }

    @ConcurrentTest
    void waiterBehindOneThatLeftWithoutAskingNotTold_isFound() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.waiting.FairLineTest",
                "waiter_behindOneThatLeavesWithoutAsking",
                new Mutant()
                        .with(
                                QUEUE + "WaitLine.java",
                                "return first != null || behind == null || behind.asked ? first : behind;",
                                "return first;"));
    }

    @ConcurrentTest
    void waiterThatWentAheadAndStandsBehind_isFound() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.waiting.FairLineTest",
                "waiter_aheadOfOneThatDidNotAsk",
                new Mutant().with(QUEUE + "WaitLine.java", "(!before.placed || before.number > number)", "false"));
    }

    @ConcurrentTest
    void waitersInTheOrderOfAnswers_isFound() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.queue.WaitQueuesTest",
                "waiters_thatGetTheirPlaces_standByTheirNumbers",
                new Mutant().with(QUEUE + "WaitLine.java", " || before.number > number", ""));
    }

    @ConcurrentTest
    void waiterThatAskedInVainAndDoesNotAskAgain_isFound() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.waiting.FairLineTest",
                "waiter_thatAskedInVain_asksAgain",
                new Mutant().with(WAITING + "Acquiring.java", "order.hasAskedInVain(mine);", ""));
    }

    @ConcurrentTest
    void waiterThatGoesAheadAfterAPauseOfTheProcess_isFound() throws Exception {
        assertRefuted(
                "org.holdfast.protocol.waiting.FairLineTest",
                "waiter_afterAPauseOfTheProcess",
                new Mutant().with(QUEUE + "AskingOrder.java", "int LOOKS = 2;", "int LOOKS = 1;"));
    }
}
