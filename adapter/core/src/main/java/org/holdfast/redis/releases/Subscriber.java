// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.releases;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.ObjLongConsumer;
import org.holdfast.protocol.env.SureLock;
import org.holdfast.protocol.env.Time;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Receives releases by other processes: one connection to each node, for all locks that callers wait for.
 *
 * <p>One thread serves all connections, as long as a caller waits and a little longer; only that thread uses them. If a
 * node does not let us subscribe, no releases are received from it, and waiters have to poll.
 */
public final class Subscriber implements ReleaseSubscriber {

    private static final System.Logger LOG = System.getLogger(Subscriber.class.getName());

    /** How long after a failure no other thread is started. */
    private static final long RESTART_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long LONGEST_CLOSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AskedNodes nodes;
    private final VoterConnector connector;
    private final ScriptCodec codec;
    private final Time time;
    private final Executor threads;
    private final Lock lock = new SureLock(System::nanoTime);
    private final Condition stopped = lock.newCondition();
    private final Interests interests;
    private Listener listener = (name, message) -> {};
    private ObjLongConsumer<String> forced = (name, token) -> {};
    private @Nullable Selector selector;
    private boolean running;
    private int threadsAlive;
    private boolean failed;
    private long failedAt;
    private boolean closed;
    private long stoppedAt;

    /** @param threads gives a thread for as long as it takes */
    public Subscriber(AskedNodes nodes, VoterConnector connector, ScriptCodec codec, Time time, Executor threads) {
        this.nodes = nodes;
        this.connector = connector;
        this.codec = codec;
        this.time = time;
        this.threads = threads;
        this.interests = new Interests(nodes.size());
    }

    @Override
    public void onRelease(Listener told) {
        listener = told;
    }

    @Override
    public void onForcedRelease(ObjLongConsumer<String> told) {
        forced = told;
    }

    @Override
    public void subscribe(String name) {
        lock.lock();
        try {
            interests.add(name);
            try {
                if (!closed && (interests.haveChanged() || !running)) {
                    wakeOrStart();
                }
            } catch (RuntimeException | Error e) { // the caller will not unsubscribe
                interests.remove(name, time.nanoTime(), running);
                throw e;
            }
        } finally {
            lock.unlock();
        }
    }

    private void wake() {
        Objects.requireNonNull(selector, "a thread that listens has a selector").wakeup();
    }

    private void wakeOrStart() {
        if (running) {
            wake();
            return;
        }
        long now = time.nanoTime();
        if (failed && now - failedAt < RESTART_PAUSE_NANOS) {
            return;
        }
        failed = false;
        try {
            start();
        } catch (IOException | RuntimeException | OutOfMemoryError e) { // waiters poll, as without us
            running = false;
            failed = true;
            failedAt = now;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0306: this process cannot receive releases: " + Failures.describe(e));
        }
    }

    private void start() throws IOException {
        Selector own = Selector.open();
        boolean started = false;
        try {
            threads.execute(() -> run(own));
            started = true;
            selector = own;
            running = true;
            threadsAlive++;
        } finally {
            if (!started) {
                own.close();
            }
        }
    }

    @Override
    public void unsubscribe(String name) {
        SureLock.take(lock); // else the name would be listened for, for ever
        try {
            interests.remove(name, time.nanoTime(), running);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isSubscribed(String name) {
        lock.lock();
        try {
            return interests.isHeard(name);
        } finally {
            lock.unlock();
        }
    }

    private void run(Selector own) {
        SubscriberConnections connections = null;
        Throwable failure = null;
        try {
            connections = connections(own);
            Set<String> wanted = wanted(Set.of());
            while (!wanted.isEmpty() || !mayEnd(connections)) {
                if (!wanted.isEmpty()) {
                    connections.serve(wanted);
                }
                wanted = wanted(wanted);
            }
        } catch (Throwable e) { // waiters poll, as without us
            failure = e;
            fail(connections);
        } finally {
            ended(own);
        }
        if (failure != null) { // last: it may fail too, as without memory
            LOG.log(System.Logger.Level.WARNING, "HF0307: this process receives no releases any more", failure);
        }
    }

    private SubscriberConnections connections(Selector own) {
        SubscriberConnection.Listener received = new Received();
        return new SubscriberConnections(
                own,
                nodes.size(),
                node -> new SubscriberConnection(node, nodes, connector, codec, time, own, received));
    }

    /** Returns the names to listen for, the same set if nothing has changed. */
    private Set<String> wanted(Set<String> before) {
        lock.lock();
        try {
            interests.expire(time.nanoTime());
            return closed ? Set.of() : interests.wanted(before);
        } finally {
            lock.unlock();
        }
    }

    /** Called when no caller waits: closes the connections, and returns whether that is still so. */
    private boolean mayEnd(SubscriberConnections connections) {
        connections.close();
        lock.lock();
        try {
            running = !closed && interests.haveChanged(); // a waiter that comes from now on starts another thread
            return !running;
        } finally {
            lock.unlock();
        }
    }

    private void fail(@Nullable SubscriberConnections connections) {
        if (connections != null) {
            connections.abandon();
        }
        SureLock.take(lock);
        try {
            running = false;
            interests.unheard(); // the next thread has to listen for all of them
            failed = true;
            failedAt = time.nanoTime();
        } finally {
            lock.unlock();
        }
    }

    private void ended(Selector own) {
        Throwable unclosed = null;
        try {
            own.close();
        } catch (IOException | RuntimeException | Error e) {
            unclosed = e;
        }
        SureLock.take(lock);
        try {
            threadsAlive--;
            stopped.signalAll();
        } finally {
            lock.unlock();
        }
        if (unclosed != null) {
            LOG.log(System.Logger.Level.DEBUG, "HF0308: a selector did not close", unclosed);
        }
    }

    /** Takes what the connections receive, on the thread that serves them. */
    private final class Received implements SubscriberConnection.Listener {

        /**
         * The node has not reported earlier releases to this process: if a quorum reports now, the lock may be free.
         */
        @Override
        public void confirmed(int node, String name) {
            boolean heardNow;
            lock.lock();
            try {
                heardNow = interests.confirmed(node, name);
            } finally {
                lock.unlock();
            }
            if (heardNow) {
                listener.released(name, "");
            }
        }

        /** A waiter that relied on reports has to ask: the lock may be released, and not be reported, at any time. */
        @Override
        public void ended(int node, String name) {
            boolean unheardNow;
            lock.lock();
            try {
                unheardNow = interests.ended(node, name);
            } finally {
                lock.unlock();
            }
            if (unheardNow) {
                listener.released(name, "");
            }
        }

        @Override
        public void released(String name, String message) {
            listener.released(name, message);
        }

        @Override
        public void releasedByForce(String name, long token) {
            forced.accept(name, token);
        }

        @Override
        public void disconnected(int node) {
            List<String> unheardNow;
            lock.lock();
            try {
                unheardNow = interests.disconnected(node);
            } finally {
                lock.unlock();
            }
            unheardNow.forEach(name -> listener.released(name, ""));
        }
    }

    @Override
    public void stop() {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                stoppedAt = time.nanoTime();
            }
            if (threadsAlive > 0) {
                wake();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        stop();
        lock.lock();
        try {
            long left = LONGEST_CLOSE_NANOS - (time.nanoTime() - stoppedAt);
            while (threadsAlive > 0 && left > 0) {
                left = stopped.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the thread ends all the same
        } finally {
            lock.unlock();
        }
    }
}
