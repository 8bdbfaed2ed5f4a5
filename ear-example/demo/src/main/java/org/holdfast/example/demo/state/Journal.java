// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.state;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The last events. For any number of threads. */
public final class Journal {

    private static final int MOST = 100;

    private final Clock clock;
    private final Deque<DemoEvent> events = new ArrayDeque<>();

    public Journal(Clock clock) {
        this.clock = clock;
    }

    public void info(DemoEvent.Kind kind, String text) {
        add(kind, DemoEvent.Level.INFO, text);
    }

    public void warn(DemoEvent.Kind kind, String text) {
        add(kind, DemoEvent.Level.WARN, text);
    }

    public void bad(DemoEvent.Kind kind, String text) {
        add(kind, DemoEvent.Level.BAD, text);
    }

    private synchronized void add(DemoEvent.Kind kind, DemoEvent.Level level, String text) {
        events.addLast(new DemoEvent(clock.now(), kind, level, text));
        if (events.size() > MOST) {
            events.removeFirst();
        }
    }

    /** Returns them, newest last. */
    public synchronized List<DemoEvent> events() {
        return List.copyOf(events);
    }
}
