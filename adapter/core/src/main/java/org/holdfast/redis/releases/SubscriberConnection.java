// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.releases;

import java.nio.channels.Selector;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.holdfast.protocol.env.Time;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeConnection;
import org.holdfast.redis.wire.NodeErrors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The connection on which one node reports released locks. For one thread.
 *
 * <p>It is asked for a sign of life when it is quiet, and replaced if none comes: a connection that has died half-way
 * looks just like one on which nothing is sent.
 */
final class SubscriberConnection implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(SubscriberConnection.class.getName());
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(2);

    /**
     * For a sign of life on a shard. A node that runs a script is silent until it says after 5 s (busy-reply-threshold)
     * that it is busy. Redis 7.4 to 8 ends then if a connection that listens in its shard has been closed meanwhile:
     * see docs/operations.md.
     */
    private static final long PATIENCE_IN_SHARD_NANOS = TimeUnit.SECONDS.toNanos(8);

    private static final long LONGEST_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** A message comes in one part, unless a node hangs: the other nodes' messages are not read meanwhile. */
    private static final long LONGEST_PART_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long FORBIDDEN_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Receives what the nodes report. */
    interface Listener {

        /** The node will report releases of the lock from now on. */
        void confirmed(int node, String lock);

        /** The node does not report them any more. */
        void ended(int node, String lock);

        void released(String lock, String message);

        /** @param token the token of the forced release */
        void releasedByForce(String lock, long token);

        /** The connection is gone, and its subscriptions with it. */
        void disconnected(int node);
    }

    private final int node;
    private final AskedNodes nodes;
    private final VoterConnector connector;
    private final ScriptCodec codec;
    private final Time time;
    private final Selector selector;
    private final Listener listener;

    /** Null if no connection is being opened. */
    private @Nullable Opening opening;

    private @Nullable NodeConnection connection;

    /** Null if there is no connection. */
    private @Nullable ReleaseChannels channels;

    private long nextConnect;
    private long lastHeard;
    private long lastPing;

    SubscriberConnection(
            int node,
            AskedNodes nodes,
            VoterConnector connector,
            ScriptCodec codec,
            Time time,
            Selector selector,
            Listener listener) {
        this.node = node;
        this.nodes = nodes;
        this.connector = connector;
        this.codec = codec;
        this.time = time;
        this.selector = selector;
        this.listener = listener;
        this.nextConnect = now();
    }

    /** A connection, and how its node publishes; or null and why there is none. */
    private record Opened(@Nullable NodeConnection connection, Publication publication, String failure) {

        static Opened failed(String failure) {
            return new Opened(null, Publication.EVERYWHERE, failure);
        }
    }

    /** Opens a connection on another thread: a node that hangs must not keep the thread from listening to others. */
    private final class Opening implements Runnable {

        private static final Opened GIVEN_UP = Opened.failed("it is not needed any more");
        private final AtomicReference<Opened> result = new AtomicReference<>();

        @Override
        public void run() {
            Opened opened;
            try {
                opened = open();
            } catch (RuntimeException | OutOfMemoryError e) {
                opened = Opened.failed(Failures.describe(e));
            }
            if (!result.compareAndSet(null, opened)) {
                abandon(opened);
            }
            selector.wakeup();
        }

        private Opened open() {
            NodeConnection fresh = connector.open(node);
            boolean asked = false;
            try {
                connector.askWhichNode(node, fresh);
                boolean inShard = connector.shard(node).isPresent();
                Publication publication = inShard ? Publication.ask(fresh) : Publication.EVERYWHERE;
                asked = true;
                return new Opened(fresh, publication, "");
            } finally {
                if (!asked) {
                    fresh.abandon();
                }
            }
        }

        void giveUp() {
            Opened opened = result.getAndSet(GIVEN_UP);
            if (opened != null) {
                abandon(opened);
            }
        }

        private void abandon(Opened opened) {
            if (opened.connection() != null) {
                opened.connection().abandon();
            }
        }
    }

    private long now() {
        return time.nanoTime();
    }

    /** Keeps a live connection, with subscriptions for these locks. */
    void serve(Set<String> wanted) {
        try {
            if (connection == null) {
                connect(wanted);
            }
            if (connection != null && isOfPresentTerm(connection) && isAlive()) {
                channels().request(wanted);
                connection.push();
            }
        } catch (RuntimeException e) {
            drop(Failures.describe(e), PAUSE_NANOS);
        }
    }

    private boolean isOfPresentTerm(NodeConnection open) {
        String over = nodes.whyOver(node, open);
        if (over != null) {
            drop(over, PAUSE_NANOS);
        }
        return over == null;
    }

    private void connect(Set<String> wanted) {
        if (opening == null
                && !wanted.isEmpty()
                && now() - nextConnect >= 0
                && nodes.health(node).isAsked()) {
            opening = new Opening();
            if (!connector.runElsewhere(opening)) {
                opening.run();
            }
        }
        Opened opened = opening == null ? null : opening.result.get();
        if (opened == null) {
            return;
        }
        opening = null;
        NodeConnection fresh = opened.connection();
        if (fresh == null) {
            drop(opened.failure(), PAUSE_NANOS);
            return;
        }
        connection = fresh;
        channels = new ReleaseChannels(fresh, opened.publication(), codec.keys(), time, new Received());
        fresh.register(selector, node);
        lastHeard = now();
        lastPing = lastHeard;
    }

    private NodeConnection connected() {
        return Objects.requireNonNull(connection, "there is no connection to listen on");
    }

    private ReleaseChannels channels() {
        return Objects.requireNonNull(channels, "there is no connection to listen on");
    }

    /** Asks for a sign of life when it is quiet, and gives the connection up when none has come. */
    private boolean isAlive() {
        long now = now();
        long patience = connector.shard(node).isPresent() ? PATIENCE_IN_SHARD_NANOS : QUIET_NANOS;
        if (lastPing - lastHeard > 0 && now - lastPing > patience) {
            drop("nothing was heard for " + TimeUnit.NANOSECONDS.toMillis(now - lastHeard) + " ms", 0);
            return false;
        }
        if (now - lastHeard > QUIET_NANOS && now - lastPing > QUIET_NANOS) {
            lastPing = now;
            connected().sendCommand(new CommandArguments(Command.PING));
        }
        return true;
    }

    /** Returns whether more has come than was read: a selector does not know of that. */
    boolean hasMore() {
        return connection != null && connection.hasBuffered();
    }

    /** Reads what has come, for a while: a node that never stops sending must leave others their turn. */
    void readWhatHasCome() {
        long begun = now();
        try {
            do {
                lastHeard = now();
                channels().understand(connected().read(LONGEST_PART_NANOS));
            } while (hasMore() && lastHeard - begun < LONGEST_TURN_NANOS);
        } catch (JedisAccessControlException e) {
            tellOfRefusal(Failures.describe(e));
            drop(Failures.describe(e), FORBIDDEN_PAUSE_NANOS);
        } catch (JedisDataException e) {
            refused(Failures.describe(e));
        } catch (RuntimeException e) {
            drop(Failures.describe(e), PAUSE_NANOS);
        }
    }

    private void refused(String reason) {
        if (!channels().understandError(reason)) {
            drop(reason, NodeErrors.isMisdirected(reason) ? PAUSE_NANOS : FORBIDDEN_PAUSE_NANOS);
        }
    }

    private void tellOfRefusal(String reason) {
        String more = nodes.refusedSubscriptions(node).leave();
        if (more != null) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "HF0304: node " + nodes.address(node) + " does not let us listen for releases: " + reason + more);
        }
    }

    /** What comes on this connection. */
    private final class Received implements ReleaseChannels.Listener {

        @Override
        public void confirmed(String lock) {
            listener.confirmed(node, lock);
        }

        @Override
        public void ended(String lock) {
            listener.ended(node, lock);
            connector.askAnew();
        }

        @Override
        public void released(String lock, String message) {
            listener.released(lock, message);
        }

        @Override
        public void releasedByForce(String lock, long token) {
            listener.releasedByForce(lock, token);
        }
    }

    private void drop(String reason, long pauseNanos) {
        LOG.log(
                System.Logger.Level.DEBUG,
                "HF0305: no longer listening to node " + nodes.address(node) + ": " + reason);
        close();
        nextConnect = now() + pauseNanos;
    }

    @Override
    public void close() {
        if (opening != null) {
            opening.giveUp();
            opening = null;
        }
        if (connection != null) {
            NodeConnection gone = connection;
            connection = null;
            channels = null;
            try {
                gone.abandon();
            } finally {
                listener.disconnected(node);
            }
        }
    }
}
