// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import org.holdfast.example.demo.state.DemoState.ProcessState;
import org.holdfast.example.server.WildFly;

/** One of the application servers, and what can be done to it. An action is called by one thread at a time. */
public final class ShopServer implements AutoCloseable {

    private static final String NAMES = "ABCDEFGH";

    private final int index;
    private final WildFly.Setup setup;
    private final LongConsumer launched;
    private volatile WildFly wildFly;
    private volatile ProcessState state = ProcessState.STOPPED;

    /** @param launched receives the id of each process */
    public ShopServer(int index, WildFly.Setup setup, LongConsumer launched) {
        this.index = index;
        this.setup = setup;
        this.launched = launched;
    }

    public int index() {
        return index;
    }

    /** Returns what it is called on the page. */
    public String name() {
        return "WildFly " + NAMES.charAt(index);
    }

    public String url() {
        return "http://localhost:" + setup.httpPort();
    }

    /** Returns the process id; 0 before the first start. */
    public long pid() {
        WildFly now = wildFly;
        return now == null ? 0 : now.pid();
    }

    public Path log() {
        return setup.directory().resolve("wildfly.log");
    }

    /** Returns what the process does; one that was ended from elsewhere is stopped too. */
    public ProcessState state() {
        WildFly now = wildFly;
        return now != null && now.isAlive() ? state : ProcessState.STOPPED;
    }

    /** Launches it. It is starting until {@link #answered} is called. */
    public void start() {
        state = ProcessState.STARTING;
        try {
            wildFly = WildFly.start(setup);
            launched.accept(wildFly.pid());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reports that the shop has answered. */
    public void answered() {
        if (state == ProcessState.STARTING) {
            state = ProcessState.RUNNING;
        }
    }

    /** Returns whether it is no use to wait for an answer. */
    public boolean hasFailed() {
        return wildFly.hasFailed();
    }

    public void freeze() {
        wildFly.freeze();
        state = ProcessState.FROZEN;
    }

    public void thaw() {
        wildFly.thaw();
        state = ProcessState.RUNNING;
    }

    /** Ends the process as a crash would. */
    public void kill() {
        wildFly.kill();
        state = ProcessState.STOPPED;
    }

    /** Ends the process at once: nothing of it is needed any more, and the nodes may be gone before it has released. */
    @Override
    public void close() {
        WildFly now = wildFly;
        if (now != null) {
            now.kill();
        }
    }
}
