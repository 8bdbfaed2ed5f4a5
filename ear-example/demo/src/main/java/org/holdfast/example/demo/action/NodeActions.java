// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.action;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.holdfast.example.demo.process.RedisNode;
import org.holdfast.example.demo.state.DemoEvent.Kind;
import org.holdfast.example.demo.state.DemoState.ProcessState;
import org.holdfast.example.demo.state.Journal;
import org.holdfast.example.demo.web.ActionResult;

/** What can be done to a node. */
final class NodeActions {

    private final RedisNode node;
    private final Work work;
    private final Journal journal;
    private final Turn turn = new Turn();

    NodeActions(RedisNode node, Work work, Journal journal) {
        this.node = node;
        this.work = work;
        this.journal = journal;
    }

    ActionResult begin(String action) {
        return switch (action) {
            case "kill" ->
                begin(
                        "kill",
                        "was killed: what it had in memory is gone",
                        node::kill,
                        EnumSet.of(ProcessState.RUNNING, ProcessState.PAUSED));
            case "pause" ->
                begin("pause", "was paused: it answers nothing", node::pause, EnumSet.of(ProcessState.RUNNING));
            // Also one that was paused from elsewhere, which the launcher does not know
            case "resume" ->
                begin("resume", "was resumed", node::resume, EnumSet.of(ProcessState.PAUSED, ProcessState.RUNNING));
            case "flush" ->
                begin(
                        "flush",
                        "was flushed: it has forgotten all locks",
                        node::flush,
                        EnumSet.of(ProcessState.RUNNING));
            case "start" -> begin("start", "was started again", node::start, EnumSet.of(ProcessState.STOPPED));
            default -> new ActionResult.Unknown();
        };
    }

    private ActionResult begin(String action, String done, Work.Task task, Set<ProcessState> possibleIn) {
        return work.begin(
                turn,
                action + " of " + node.name(),
                () -> possibleIn.contains(node.state()) ? "" : node.name() + " is " + word(node.state()),
                () -> {
                    task.run();
                    journal.warn(Kind.NODE, node.name() + " " + done);
                },
                failure -> journal.bad(Kind.NODE, action + " of " + node.name() + " failed: " + failure.getMessage()));
    }

    private static String word(ProcessState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }
}
