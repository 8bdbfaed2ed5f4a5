// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.holdfast.example.demo.state.DemoState.ProcessState;
import org.holdfast.testkit.RedisServer;

/** One of the Redis nodes, and what can be done to it. An action is called by one thread at a time. */
public final class RedisNode {

    private final int index;
    private final RedisServer redis;
    private volatile ProcessState state = ProcessState.RUNNING;

    public RedisNode(int index, RedisServer redis) {
        this.index = index;
        this.redis = redis;
    }

    /** Returns what it is called on the page. */
    public String name() {
        return "node " + index;
    }

    public int index() {
        return index;
    }

    public String uri() {
        return redis.uri();
    }

    public String address() {
        return "127.0.0.1:" + redis.port();
    }

    public long pid() {
        return redis.pid();
    }

    /** Returns what the process does; a process that was ended from elsewhere is stopped too. */
    public ProcessState state() {
        ProcessState now = state;
        return now == ProcessState.STARTING || redis.isAlive() ? now : ProcessState.STOPPED;
    }

    /** Ends the process; what it had in memory is gone. */
    public void kill() {
        redis.kill();
        state = ProcessState.STOPPED;
    }

    /** Starts it again, on the same port, and waits until it answers. */
    public void start() {
        state = ProcessState.STARTING;
        try {
            redis.start();
            state = ProcessState.RUNNING;
        } catch (RuntimeException e) {
            state = ProcessState.STOPPED;
            throw e;
        }
    }

    /** Stops it in its tracks. */
    public void pause() {
        redis.freeze();
        state = ProcessState.PAUSED;
    }

    public void resume() {
        redis.thaw();
        state = ProcessState.RUNNING;
    }

    /** Takes all keys away, those of locks too. */
    public void flush() {
        try {
            String reply = redis.command("FLUSHALL");
            if (!reply.startsWith("+OK")) {
                throw new IllegalStateException(name() + " did not flush: " + reply.strip());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
