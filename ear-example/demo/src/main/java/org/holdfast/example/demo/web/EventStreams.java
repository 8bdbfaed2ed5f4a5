// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.web;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** All readers of the state. Sends it when it has changed, and once a second when it has not. */
final class EventStreams {

    /** A reader that takes longer for one state, when the buffers of its connection are full, is dropped. */
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long UNCHANGED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Pattern NOW = Pattern.compile("\"now\":[0-9.]+");

    private final Supplier<String> state;
    private final Semaphore places;
    private final Set<EventStream> streams = ConcurrentHashMap.newKeySet();
    private String last = "";
    private long lastSent;

    EventStreams(Supplier<String> state, int most) {
        this.state = state;
        this.places = new Semaphore(most);
    }

    /** Begins the answer to a reader. */
    interface Opening {

        OutputStream open() throws IOException;
    }

    /**
     * Serves one reader, on the calling thread, until it is gone or dropped.
     *
     * @return false, at once, if there are as many as there may be
     */
    boolean serve(Opening reader) throws IOException {
        if (!places.tryAcquire()) {
            return false;
        }
        try {
            run(new EventStream(reader.open()));
        } finally {
            places.release();
        }
        return true;
    }

    private void run(EventStream stream) throws IOException {
        stream.offer(state.get());
        streams.add(stream);
        try {
            stream.run();
        } finally {
            streams.remove(stream);
        }
    }

    /** Sends the state if there is need, and drops readers that take nothing. Called regularly, by one thread. */
    void send() {
        streams.stream().filter(stream -> stream.isStuck(STUCK_NANOS)).forEach(EventStream::drop);
        if (streams.isEmpty()) {
            return;
        }
        String now = state.get();
        String content = NOW.matcher(now).replaceFirst("");
        if (!content.equals(last) || System.nanoTime() - lastSent >= UNCHANGED_NANOS) {
            last = content;
            lastSent = System.nanoTime();
            streams.forEach(stream -> stream.offer(now));
        }
    }

    /** Returns how many readers there are. */
    int size() {
        return streams.size();
    }

    void close() {
        streams.forEach(EventStream::drop);
    }
}
