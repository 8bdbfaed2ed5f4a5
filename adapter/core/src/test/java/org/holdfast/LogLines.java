// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What one package or class logs until this is closed. The console hears nothing of it meanwhile. */
public final class LogLines extends Handler implements AutoCloseable {

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Logger log; // held, or it would be forgotten with its handlers
    private final Level levelBefore;

    private LogLines(String name, Level level) {
        this.log = Logger.getLogger(name);
        this.levelBefore = log.getLevel();
        log.setLevel(level);
        log.addHandler(this);
        log.setUseParentHandlers(false);
    }

    /** Listens to what operators see if they change nothing. */
    public static LogLines of(String name) {
        return new LogLines(name, Level.INFO);
    }

    /** Listens to everything. */
    public static LogLines withDetails(String name) {
        return new LogLines(name, Level.ALL);
    }

    /** Returns the messages that begin with this number, or all for none. */
    public List<String> beginningWith(String number) {
        return lines.stream().filter(line -> line.startsWith(number)).toList();
    }

    @Override
    public void publish(LogRecord entry) {
        lines.add(entry.getMessage());
    }

    @Override
    public void flush() {
        // nothing is kept back
    }

    @Override
    public void close() {
        log.removeHandler(this);
        log.setLevel(levelBefore);
        log.setUseParentHandlers(true);
    }
}
