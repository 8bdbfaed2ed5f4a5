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

    private static final System.Logger LOG = System.getLogger(SharedReader.class.getName());

    /** A wait without an end may take a thread of a {@code ForkJoinPool}, and so memory: this one is repeated. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** A reader thread that was woken and has not come after so many waits, a second, is lost. */
    private static final int LOOKS = 100;

    private final Lock lock;
    private final IntConsumer ready;
    private final IntConsumer writable;
    private final Runnable giveUpConnections;

    /** Signalled when what has come was read. */
    private final Condition wasRead;

    /** The rounds whose threads wait while another thread reads for them. */
    private final ArrayDeque<PendingRound> readFor = new ArrayDeque<>();

    private @Nullable Selection selection;
    private boolean reading;
    private long reads;

    /** Whether nothing is read any more. */
    private boolean stopped;

    /**
     * @param ready reads from the connection to a node, for which something has come; called with the lock
     * @param writable sends to a node what it did not take before; called with the lock
     * @param giveUpConnections gives up all of them, whatever fails, as the selector is lost with the thread that waits
     *     with it; called with the lock
     */
    SharedReader(Lock lock, IntConsumer ready, IntConsumer writable, Runnable giveUpConnections) {
        this.lock = lock;
        this.ready = ready;
        this.writable = writable;
        this.giveUpConnections = giveUpConnections;
        this.wasRead = lock.newCondition();
    }

    /** A selector, and what it has found last. Only the thread that selects uses what was found. */
    private static final class Selection {

        private final List<SelectionKey> found = new ArrayList<>();
        private final Consumer<SelectionKey> finding = found::add;
        private final Selector selector = Selector.open(); // last: what fails behind it would leave it open

        private Selection() throws IOException {}

        private void select(long nanos) throws IOException {
            selector.select(finding, Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos + 999_999)));
        }
    }

    /** Makes sure that there is a selector, before there is a connection, and before each that is added. */
    void requireSelector() throws IOException {
        if (selection == null) {
            selection = new Selection();
        }
    }

    private Selection selection() {
        return Objects.requireNonNull(selection, "requireSelector comes before the first connection");
    }

    private Selector selector() {
        return selection().selector;
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
        if (reading || selection == null) { // without it nothing comes: the round's nodes were given up
            awaitTurn(round, nanos);
        } else {
            select(nanos);
        }
    }

    private void awaitTurn(PendingRound round, long nanos) {
        round.awaited(System.nanoTime() + nanos);
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
        if (reading || selection == null) {
            wasRead.awaitNanos(nanos);
        } else {
            select(nanos);
        }
    }

    /**
     * A thread that has its answer stops reading: if no other one reads, a waiting one must. One whose time is over
     * wakes by itself, or the JVM has lost it, as it may when the heap is full.
     */
    void passOn() {
        PendingRound next = reading ? null : readFor.peekFirst();
        while (next != null) {
            next.changed().signal();
            if (next.waitsAt(System.nanoTime())) {
                return;
            }
            readFor.removeFirst();
            next = readFor.peekFirst();
        }
    }

    /** Waits until something has come, so long at the most, and reads it. Waits without the lock. */
    private void select(long nanos) {
        Selection own = selection();
        reading = true;
        try {
            lock.unlock();
            own.select(nanos);
        } catch (ClosedSelectorException e) {
            // the channel was closed meanwhile: every request has its answer by now
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            SureLock.takeAgain(lock); // other threads wait for this one
            if (own == selection) {
                reading = false;
                try {
                    readSelected(own);
                } finally {
                    wasRead.signalAll();
                }
            } else {
                closeLate(own);
            }
        }
    }

    /** This thread was given up, and has come all the same: its selector has no connection any more. */
    private static void closeLate(Selection own) {
        try {
            own.selector.close();
        } catch (IOException e) {
            Thread.onSpinWait(); // nothing waits with it any more
        }
    }

    /** Reads what has come, without waiting for more. */
    void readWhatHasCome() {
        if (selection == null || stopped) {
            return;
        }
        if (reading) {
            letReaderRead(); // what it finds may be from before this process stood still
        }
        if (reading) {
            letReaderRead();
        } else if (selection != null && !stopped) {
            readNow(selection);
        }
    }

    private void readNow(Selection now) {
        try {
            now.selector.selectNow(now.finding);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        readSelected(now);
    }

    /** Makes the reader thread read at once, so that no node is found overdue while its answer lies unread. */
    private void letReaderRead() {
        Selection awaited = selection();
        if (!comes(awaited, false)) {
            selection = null; // its selector belongs to that thread, which holds its monitor
            reading = false;
            giveUpConnections.run();
            logLostReader();
        }
    }

    private static void logLostReader() {
        try {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0317: a thread that reads the answers of nodes was woken and has not run for a second: the"
                            + " connections from which it reads are given up, and others are opened; no node is to"
                            + " blame. Look for a full heap, virtual threads whose carriers are busy, or a debugger");
        } catch (OutOfMemoryError e) {
            Thread.onSpinWait(); // its callers are told the reason all the same
        }
    }

    /**
     * Wakes the reader thread, and waits until it has read.
     *
     * @param stopping whether to wait for it although nothing is read any more
     * @return false if it is to be given up: it does not come, as the JVM may lose a virtual thread when the heap is
     *     full, and no other thread has given it up
     */
    private boolean comes(Selection awaited, boolean stopping) {
        long seen = reads;
        awaited.selector.wakeup();
        int looks = 0;
        boolean interrupted = false;
        while (isAwaited(awaited, seen) && stopping == stopped && looks < LOOKS) {
            try {
                if (wasRead.awaitNanos(LOOK_NANOS) <= 0) {
                    looks++; // a process that stood still meanwhile has waited once
                }
            } catch (InterruptedException e) {
                interrupted = true; // wait on, and restore the status later
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return looks < LOOKS || !isAwaited(awaited, seen);
    }

    private boolean isAwaited(Selection awaited, long seen) {
        return reading && reads == seen && awaited == selection;
    }

    private void readSelected(Selection from) {
        reads++;
        try {
            for (int i = 0; i < from.found.size() && from == selection && !stopped; i++) {
                SelectionKey key = from.found.get(i);
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
            from.found.clear(); // what is left of it is found again
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

    /** Closes the selector, or leaves it to the reader thread, which may not come: only that one has its monitor. */
    void close() throws IOException {
        Selection last = selection;
        if (last != null && (!reading || comes(last, true)) && !reading && last == selection) {
            last.selector.close();
        }
        selection = null;
    }
}
