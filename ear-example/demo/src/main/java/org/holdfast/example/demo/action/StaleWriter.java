// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.action;

import java.io.IOException;
import java.util.List;
import org.holdfast.example.demo.process.ShopClient;
import org.holdfast.example.demo.state.Clock;
import org.holdfast.example.demo.state.DemoEvent.Kind;
import org.holdfast.example.demo.state.DemoState.ProcessState;
import org.holdfast.example.demo.state.DemoState.StaleWrite;
import org.holdfast.example.demo.state.DemoState.StaleWriteState;
import org.holdfast.example.demo.state.Journal;
import org.holdfast.example.demo.watch.LockWatch;
import org.holdfast.example.demo.web.ActionResult;

/**
 * Has a server write with a token that is not the newest any more: it is frozen while it holds the lock, another one
 * gets the lock and sells, and the first one is thawed. It believes that it still has the lock, and asks nothing.
 */
final class StaleWriter {

    private final List<ServerActions> servers;
    private final ShopClient client;
    private final LockWatch lock;
    private final Work work;
    private final Clock clock;
    private final Journal journal;
    private final Turn stock;
    private volatile StaleWriteStory story;

    /** @param stock the turn of what is sold */
    StaleWriter(
            List<ServerActions> servers,
            ShopClient client,
            LockWatch lock,
            Work work,
            Clock clock,
            Journal journal,
            Turn stock) {
        this.servers = servers;
        this.client = client;
        this.lock = lock;
        this.work = work;
        this.clock = clock;
        this.journal = journal;
        this.stock = stock;
        this.story = new StaleWriteStory(clock);
    }

    ActionResult begin() {
        return work.begin(stock, "the attempt to write with an old token", this::obstacle, this::run, this::failed);
    }

    private String obstacle() {
        if (servers.size() < 2) {
            return "this needs two servers, and the demo was started with one: leave out -Dservers=1";
        }
        return servers.stream()
                .limit(2)
                .map(ServerActions::server)
                .filter(server -> server.state() != ProcessState.RUNNING)
                .findFirst()
                .map(server -> server.name() + " is not running")
                .orElse("");
    }

    private void failed(Exception failure) {
        story.fail(failure.getMessage());
        journal.bad(Kind.LOCK, "the attempt to write with an old token failed: " + failure.getMessage());
    }

    /** Keeps other actions from the server that is frozen, and thaws it whatever happens. */
    private void run() throws IOException, InterruptedException {
        story = new StaleWriteStory(clock);
        story.begin();
        ServerActions first = servers.get(0);
        if (!first.turn().take("the attempt to write with an old token")) {
            throw new IOException(first.turn().taken() + " is under way");
        }
        try {
            new StaleWriteAttempt(first.server(), servers.get(1).server(), client, lock, story).run();
        } finally {
            if (first.server().state() == ProcessState.FROZEN) {
                first.server().thaw();
            }
            first.turn().giveBack();
        }
        if (story.view().state() == StaleWriteState.REFUSED) {
            journal.info(Kind.LOCK, story.view().step());
        } else {
            journal.bad(Kind.LOCK, story.view().step());
        }
    }

    StaleWrite view() {
        return story.view();
    }
}
