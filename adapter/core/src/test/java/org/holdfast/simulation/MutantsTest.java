// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Bugs that the simulation must find: a checker that cannot fail proves nothing. */
class MutantsTest {

    private static final int SEEDS = 1_500;
    private static final String PROTOCOL = "org/holdfast/protocol/";
    private static final String SCRIPTS = "org/holdfast/redis/";
    private static final String NETWORK = "org/holdfast/simulation/Network.java";

    private static void assertFound(String promise, Mutant mutant) throws Exception {
        assertThat(mutant.simulate(SEEDS))
                .as("what the checker says")
                .isNotNull()
                .contains(promise);
    }

    @Test
    void noBug_isNotFound() throws Exception {
        assertThat(new Mutant()
                        .with(PROTOCOL + "Tally.java", "return nodes / 2 + 1;", "return (nodes + 1) / 2;")
                        .simulate(50))
                .isNull();
    }

    @Test
    void quorumOfHalf_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant().with(PROTOCOL + "Tally.java", "return nodes / 2 + 1;", "return nodes / 2;"));
    }

    @Test
    void noValidityCheck_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant().with(PROTOCOL + "Hold.java", "if (now - validUntil.get() < 0) {", "if (true) {"));
    }

    @Test
    void validityFromAfterTheReplies_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant()
                        .with(
                                PROTOCOL + "Redlock.java",
                                "if (tally.isGranted() && !skewed && time.nanoTime() - validUntil < 0) {",
                                "if (tally.isGranted()) { validUntil = time.nanoTime()"
                                        + " + timing.validityNanos(ttlMillis);"));
    }

    @Test
    void releaseWithoutOwnerCheck_isFound() throws Exception {
        assertFound(
                "Violation: 3:",
                new Mutant().with(SCRIPTS + "release.lua", "if holder == ARGV[1] then", "if holder then"));
    }

    @Test
    void tokenNotChecked_isFound() throws Exception {
        assertFound("Violation: ", new Mutant().with(SCRIPTS + "acquire.lua", "if largest > 0 then", "if false then"));
    }

    @Test
    void renewalThatExtendsAfterLoss_isFound() throws Exception {
        assertFound(
                "Violation: 5:",
                new Mutant()
                        .with(
                                PROTOCOL + "Hold.java",
                                "        lose(endReason(), now);\n        return false;",
                                "        return false;")
                        .with(
                                PROTOCOL + "Hold.java",
                                "        if (!isHeld(now)) {\n            return false;\n        }\n        lastFailure = null;",
                                "        lastFailure = null;")
                        .with(PROTOCOL + "Renewals.java", "&& first.getValue().isHeld(now)", "")
                        .with(PROTOCOL + "Renewals.java", "if (!hold.isHeld(time.nanoTime())) {", "if (false) {"));
    }

    @Test
    void lateReplyTakenForTheNextRequests_isFound() throws Exception {
        assertFound(
                "Violation",
                new Mutant()
                        .with(
                                NETWORK,
                                "if (unanswered.contains(request)) {\n                    break_();",
                                "if (unanswered.remove(request)) {\n                    request.answers().answered(new Answer(node, new Reply.NoAnswer(\"late\"), 0));")
                        .with(
                                NETWORK,
                                "if (!broken && unanswered.peekFirst() == request) {\n                unanswered.pollFirst();\n                request.answers()",
                                "if (!broken && !unanswered.isEmpty()) {\n                unanswered.pollFirst().answers()"));
    }

    @Test
    void guardOff_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .with(
                                "org/holdfast/simulation/SimulatedNode.java",
                                "ScriptBridge.call(command, PREFIX, memoryMicros)",
                                "ScriptBridge.call(command, PREFIX, 0)"));
    }

    @Test
    void quarantineFromTheWrongMoment_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .with(
                                PROTOCOL + "NodeGuard.java",
                                "set(facts, facts.startedMicros(), \"it was restarted,",
                                "set(facts, mark.sinceMicros(), \"it was restarted,"));
    }

    @Test
    void renewalEndedByAContendersTombstone_isFound() throws Exception {
        assertFound(
                "Violation: 4:",
                new Mutant()
                        .with(
                                PROTOCOL + "Redlock.java",
                                "nodes.send(new Command.Release(claim, false), reachable)",
                                "nodes.send(new Command.Release(claim, true), NodeSet.first(nodes.count()))")
                        .with(
                                SCRIPTS + "renew.lua",
                                "  if not holder then\n    missing = true\n",
                                "  do\n    missing = missing or not holder\n"));
    }

    @Test
    void releaseWithoutTombstone_isFound() throws Exception {
        assertFound("Violation: 3:", new Mutant().with(SCRIPTS + "release.lua", "if grave > 0 and", "if false and"));
    }

    @Test
    void clockNotWatched_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant().with(PROTOCOL + "Clocks.java", "if (low - knownHigh > GRAIN_NANOS) {", "if (false) {"));
    }

    @Test
    void grantThatShowsTheJumpTaken_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant()
                        .with(
                                PROTOCOL + "Clocks.java",
                                "return counts || !(answer.reply() instanceof Reply.Granted)",
                                "return true"));
    }

    @Test
    void clockJumpWithoutQuarantine_isFound() throws Exception {
        assertFound(
                "Violation: 1:",
                new Mutant()
                        .with(PROTOCOL + "Lookout.java", "sight.quarantine(node, clocks.describe(node));", "true;"));
    }

    @Test
    void evictionNotSeen_isFound() throws Exception {
        assertFound(
                "Violation: ",
                new Mutant()
                        .with(PROTOCOL + "NodeGuard.java", "if (facts.mayEvict()) {", "if (false) {")
                        .with(PROTOCOL + "NodeGuard.java", "facts.evictions() == mark.evictions()", "true"));
    }
}
