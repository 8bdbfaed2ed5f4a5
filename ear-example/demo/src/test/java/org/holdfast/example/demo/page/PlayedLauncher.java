// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.page;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.holdfast.example.demo.web.ActionResult;
import org.holdfast.example.demo.web.PageServer;

/** The page as the launcher serves it, with states that a test plays, and without the processes behind them. */
final class PlayedLauncher implements AutoCloseable {

    private final List<String> actions = new CopyOnWriteArrayList<>();
    private final int port;
    private volatile Played state = Played.calm();
    private volatile ActionResult result = new ActionResult.Begun();
    private volatile CountDownLatch flowing = new CountDownLatch(0);
    private PageServer server;

    PlayedLauncher() throws IOException {
        this(false);
    }

    PlayedLauncher(boolean readOnly) throws IOException {
        server = new PageServer(0, this::state, this::act, readOnly);
        port = server.port();
    }

    private String state() {
        try {
            flowing.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return state.json().toString();
    }

    private ActionResult act(List<String> path) {
        actions.add(String.join("/", path));
        return result;
    }

    String address(String path) {
        return "http://localhost:" + port + path;
    }

    /** Shows a state from now on. Its time goes on only when the next one is played. */
    void play(Played next) {
        state = next;
    }

    /** Sends no state from now on, and keeps all connections. */
    void stall() {
        flowing = new CountDownLatch(1);
    }

    /** Answers actions so from now on. */
    void answer(ActionResult next) {
        result = next;
    }

    /** Returns the actions that were asked for, such as {@code nodes/2/kill}. */
    List<String> actions() {
        return List.copyOf(actions);
    }

    /** Ends all connections and accepts no more, as a launcher that has ended. */
    void end() {
        server.close();
    }

    /** Comes back on the same port. */
    void begin() throws IOException {
        server = new PageServer(port, this::state, this::act, false);
    }

    @Override
    public void close() {
        flowing.countDown();
        server.close();
    }
}
