// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.action;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.holdfast.example.demo.process.ShopServer;
import org.holdfast.example.demo.state.DemoEvent.Kind;
import org.holdfast.example.demo.state.DemoState.ProcessState;
import org.holdfast.example.demo.state.Journal;
import org.holdfast.example.demo.web.ActionResult;

/** What can be done to a server. */
final class ServerActions {

    private final ShopServer server;
    private final Work work;
    private final Journal journal;
    private final Turn turn = new Turn();

    ServerActions(ShopServer server, Work work, Journal journal) {
        this.server = server;
        this.work = work;
        this.journal = journal;
    }

    ShopServer server() {
        return server;
    }

    /** Returns what keeps other actions from the server. */
    Turn turn() {
        return turn;
    }

    ActionResult begin(String action) {
        return switch (action) {
            case "freeze" ->
                begin(
                        "freeze",
                        "was frozen: it does not know that time goes by",
                        server::freeze,
                        EnumSet.of(ProcessState.RUNNING));
            // Also one that was frozen from elsewhere, which the launcher does not know
            case "thaw" ->
                begin("thaw", "was thawed", server::thaw, EnumSet.of(ProcessState.FROZEN, ProcessState.RUNNING));
            case "kill" ->
                begin(
                        "kill",
                        "was killed",
                        server::kill,
                        EnumSet.of(ProcessState.STARTING, ProcessState.RUNNING, ProcessState.FROZEN));
            case "start" -> begin("start", "is starting", server::start, EnumSet.of(ProcessState.STOPPED));
            default -> new ActionResult.Unknown();
        };
    }

    private ActionResult begin(String action, String done, Work.Task task, Set<ProcessState> possibleIn) {
        return work.begin(
                turn,
                action + " of " + server.name(),
                () -> possibleIn.contains(server.state())
                        ? ""
                        : server.name() + " is " + server.state().name().toLowerCase(Locale.ROOT),
                () -> {
                    task.run();
                    journal.warn(Kind.SERVER, server.name() + " " + done);
                },
                failure ->
                        journal.bad(Kind.SERVER, action + " of " + server.name() + " failed: " + failure.getMessage()));
    }
}
