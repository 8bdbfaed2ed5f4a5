// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.holdfast.protocol.env.SureLock;
import org.holdfast.redis.wire.NodeConnection;
import org.jspecify.annotations.Nullable;

/**
 * Lets one of the threads that wait for answers on a channel read for all of them, with one selector.
 *
 * <p>No thread of its own: a thread that waits for an answer reads. If several threads wait, one of them, the reader
 * thread, reads for all, and hands over when it has its own answer. The channel's lock guards everything here; it is
 * not held while the reader thread waits. Each method is called with the lock.
 */
final class SharedReader {

    /** A wait without an end may take a thread of a {@code ForkJoinPool}, and so memory: this one is repeated. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Lock lock;
    private final IntConsumer ready;
    private final IntConsumer writable;

    /** Signalled when what has come was read. */
    private final Condition wasRead;

    /** The rounds whose threads wait while another thread reads for them. */
    private final ArrayDeque<PendingRound> readFor = new ArrayDeque<>();

    /** What was found when the thread that reads waited last. */
    private final List<SelectionKey> found = new ArrayList<>();

    private final Consumer<SelectionKey> finding = found::add;

    private @Nullable Selector selector;
    private boolean reading;
    private long reads;

    /** Whether nothing is read any more. */
    private boolean stopped;

    /**
     * @param ready reads from the connection to a node, for which something has come; called with the lock
     * @param writable sends to a node what it did not take before; called with the lock
     */
    SharedReader(Lock lock, IntConsumer ready, IntConsumer writable) {
        this.lock = lock;
        this.ready = ready;
        this.writable = writable;
        this.wasRead = lock.newCondition();
    }

    /** Makes sure that there is a selector, before there is a connection. */
    void requireSelector() throws IOException {
        if (selector == null) {
            selector = Selector.open();
        }
    }

    private Selector selector() {
        return Objects.requireNonNull(selector, "requireSelector comes before the first connection");
    }

    /** Reads from a connection too from now on. */
    void add(NodeConnection connection, int node) {
        connection.register(selector(), node);
        connection.sendWithoutWaiting(); // the lock is held
        if (reading) {
            selector().wakeup(); // the reader thread does not know of the new connection yet
        }
    }

    /** Has the rest of what was sent on a connection sent when its node takes it. */
    void sendLater(NodeConnection connection) {
        connection.awaitWritable(selector(), true);
        if (reading) {
            selector().wakeup(); // the reader thread does not wait for that yet
        }
    }

    /** All is sent. */
    void sendNoMore(NodeConnection connection) {
        connection.awaitWritable(selector(), false);
    }

    /** Requests got their answers without anything being read. */
    void answered() {
        wasRead.signalAll();
        if (reading) {
            selector().wakeup(); // the reader thread may have got its answer just now
        }
    }

    boolean isReading() {
        return reading;
    }

    boolean isStopped() {
        return stopped;
    }

    /** Waits until something may have changed for the round, so long at the most. */
    void await(PendingRound round, long nanos) {
        if (reading) {
            awaitReader(round, nanos);
        } else {
            select(nanos);
        }
    }

    private void awaitReader(PendingRound round, long nanos) {
        readFor.addLast(round);
        try {
            round.changed().awaitNanos(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // a change all the same: the round sees to it
        } finally {
            readFor.remove(round);
        }
    }

    /** Waits until something was read, so long at the most, whichever round it is for. */
    void awaitAny(long nanos) throws InterruptedException {
        if (reading) {
            wasRead.awaitNanos(nanos);
        } else {
            select(nanos);
        }
    }

    /** A thread that has its answer stops reading: if no other one reads, a waiting one must. */
    void passOn() {
        PendingRound next = reading ? null : readFor.peekFirst();
        if (next != null) {
            next.changed().signal();
        }
    }

    /** Waits until something has come, so long at the most, and reads it. Waits without the lock. */
    private void select(long nanos) {
        reading = true;
        lock.unlock();
        try {
            selector().select(finding, Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos + 999_999)));
        } catch (ClosedSelectorException e) {
            // the channel was closed meanwhile: every request has its answer by now
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            SureLock.take(lock); // other threads wait for this one
            reading = false;
            try {
                readSelected();
            } finally {
                wasRead.signalAll();
            }
        }
    }

    /** Reads what has come, without waiting for more. */
    void readWhatHasCome() {
        if (selector == null || stopped) {
            return;
        }
        if (reading) {
            letReaderRead(); // what it finds may be from before this process stood still
        }
        if (reading) {
            letReaderRead();
        } else if (!stopped) {
            readNow();
        }
    }

    private void readNow() {
        try {
            selector().selectNow(finding);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        readSelected();
    }

    /** Makes the reader thread read at once, so that no node is found overdue while its answer lies unread. */
    private void letReaderRead() {
        long seen = reads;
        selector().wakeup();
        boolean interrupted = false;
        while (reading && reads == seen && !stopped) {
            try {
                wasRead.awaitNanos(LOOK_NANOS);
            } catch (InterruptedException e) {
                interrupted = true; // wait on, and restore the status later
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void readSelected() {
        reads++;
        try {
            for (int i = 0; i < found.size() && !stopped; i++) {
                SelectionKey key = found.get(i);
                int node = (Integer) key.attachment();
                cancelIfClosed(key);
                if (key.isValid() && key.isWritable()) {
                    writable.accept(node);
                }
                if (key.isValid() && key.isReadable()) {
                    ready.accept(node);
                }
            }
        } finally {
            found.clear(); // what is left of it is found again
        }
    }

    /**
     * A channel that is closed when there is no memory may leave its key, which would be found again and again. By its
     * node alone that would be taken for an answer on the next connection to it.
     */
    private static void cancelIfClosed(SelectionKey key) {
        if (!key.channel().isOpen()) {
            key.cancel();
        }
    }

    /** Reads nothing from now on. */
    void stop() {
        stopped = true;
    }

    void close() throws IOException {
        if (selector != null) {
            selector.close();
        }
    }
}
