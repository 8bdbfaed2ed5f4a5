// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.holdfast.redis.releases.InterestsBridge;
import org.holdfast.redis.releases.ReleaseSubscriber;
import org.holdfast.redis.script.NodeKeys;

/**
 * The releases that one client receives from the shards that vote on the same names, as the real one does on a thread
 * of its own: a connection to each, on which it subscribes again where that has ended.
 */
final class SimulatedSubscriber implements ReleaseSubscriber {

    /** How often connections are served, at the least. */
    private static final long TURN = 500_000_000L;

    /** So long it takes until a connection is given up on which nothing comes. */
    private static final long PATIENCE = 2_000_000_000L;

    private final World world;
    private final Network network;
    private final View view;
    private final List<SimulatedCluster> clusters;
    private final InterestsBridge interests;
    private final List<Line> lines;
    private Listener listener = (lock, message) -> {};
    private Set<String> wanted = Set.of();
    private boolean serving;
    private boolean stopped;

    SimulatedSubscriber(World world, Network network, View view, List<SimulatedCluster> clusters) {
        this.world = world;
        this.network = network;
        this.view = view;
        this.clusters = clusters;
        this.interests = new InterestsBridge(clusters.size());
        this.lines = IntStream.range(0, clusters.size()).mapToObj(Line::new).toList();
    }

    @Override
    public void onRelease(Listener told) {
        listener = told;
    }

    @Override
    public void subscribe(String lock) {
        interests.add(lock);
        world.after(0, this::serve);
        if (!serving) {
            serving = true;
            world.after(TURN, this::takeTurns);
        }
    }

    @Override
    public void unsubscribe(String lock) {
        interests.remove(lock, view.time.nanoTime());
    }

    @Override
    public boolean isSubscribed(String lock) {
        return interests.isHeard(lock);
    }

    private void takeTurns() {
        serve();
        serving = !wanted.isEmpty();
        if (serving) {
            world.after(TURN, this::takeTurns);
        }
    }

    private void serve() {
        if (view.machine.pausedUntil <= world.now()) {
            wanted = stopped ? Set.of() : interests.wanted(wanted, view.time.nanoTime());
            lines.forEach(Line::serve);
        }
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public void close() {
        stop();
    }

    /** A connection to one node, if there is one. */
    private final class Line {

        private final int node;
        private Optional<Connection> open = Optional.empty();

        Line(int node) {
            this.node = node;
        }

        void serve() {
            if (open.filter(Connection::isOver).isPresent() || wanted.isEmpty()) {
                drop();
            } else if (open.isEmpty()) {
                open = connect();
            }
            open.ifPresent(Connection::request);
        }

        private Optional<Connection> connect() {
            return view.places
                    .of(node)
                    .filter(place -> view.isAsked(node) && reaches(place.process()))
                    .flatMap(place -> member(place.process()).map(at -> new Connection(this, at, place.term())));
        }

        private boolean reaches(SimulatedNode process) {
            return process.isUp() && process.readyAt() <= world.now() && !view.isCutOff(node, process, world.now());
        }

        private Optional<ClusterMember> member(SimulatedNode process) {
            return clusters.get(node).members().stream()
                    .filter(one -> one.process == process)
                    .findFirst();
        }

        void drop() {
            open.ifPresent(Connection::close);
            open = Optional.empty();
            interests.disconnected(node).forEach(lock -> listener.released(lock, ""));
        }
    }

    private final class Connection implements ClusterChannels.Receiver {

        private final Line line;
        private final ClusterMember at;
        private final int term;
        private final int incarnation;
        private final NodeKeys keys;
        private final ClusterChannels channels;

        /** The locks that were asked for, by channel. */
        private final Map<String, String> lockOfChannel = new HashMap<>();

        private long heardAt = world.now();
        private long lastArrival;
        private boolean closed;

        Connection(Line line, ClusterMember at, int term) {
            this.line = line;
            this.at = at;
            this.term = term;
            this.incarnation = at.process.incarnation();
            this.keys = view.places.codec(line.node).orElseThrow().keys();
            this.channels = clusters.get(line.node).channels();
        }

        /** It asks for a sign of life when it is quiet. */
        boolean isOver() {
            if (line.reaches(at.process)) {
                heardAt = world.now();
            }
            return closed
                    || !view.places.counts(line.node, term)
                    || at.process.isUp() && at.process.incarnation() != incarnation
                    || world.now() - heardAt > PATIENCE;
        }

        /** Asks for all locks that are wanted, and for no others. */
        void request() {
            wanted.forEach(lock -> {
                String channel = keys.channel(lock);
                if (lockOfChannel.putIfAbsent(channel, lock) == null) {
                    network.later(() -> arrive(channel));
                }
            });
            Map.copyOf(lockOfChannel).forEach((channel, lock) -> {
                if (!wanted.contains(lock)) {
                    lockOfChannel.remove(channel);
                    channels.unsubscribe(channel, this);
                }
            });
        }

        private void arrive(String channel) {
            boolean arrives = !closed && line.reaches(at.process) && at.process.incarnation() == incarnation;
            if (arrives && lockOfChannel.containsKey(channel)) {
                boolean taken = channels.subscribe(at, channel, this);
                answer(() -> {
                    if (taken) {
                        confirm(channel);
                    } else {
                        end(channel);
                    }
                });
            } else if (!arrives) {
                closed = true; // what was sent is lost, and with it the connection
            }
        }

        /** What a node sends keeps its order, and is read when the client is not paused. */
        private void answer(Runnable read) {
            if (view.isCutOff(line.node, at.process, world.now())) {
                return;
            }
            if (network.breaks()) {
                closed = true;
                return;
            }
            lastArrival = Math.max(lastArrival, network.arrival());
            world.at(lastArrival, () -> read(read));
        }

        private void read(Runnable read) {
            if (view.machine.pausedUntil > world.now()) {
                world.at(view.machine.pausedUntil, () -> read(read));
            } else if (!closed) {
                read.run();
            }
        }

        private void confirm(String channel) {
            String lock = lockOfChannel.get(channel);
            if (lock != null && interests.confirmed(line.node, lock)) {
                listener.released(lock, "");
            }
        }

        private void end(String channel) {
            String lock = lockOfChannel.remove(channel);
            if (lock != null) { // it is asked for again with the next turn: the slot may come back
                if (interests.ended(line.node, lock)) {
                    listener.released(lock, "");
                }
                view.places.misdirected();
            }
        }

        @Override
        public void published(String channel, String message) {
            answer(() -> {
                String lock = lockOfChannel.get(channel);
                if (lock != null) {
                    network.heard();
                    listener.released(lock, message);
                }
            });
        }

        @Override
        public void ended(String channel) {
            answer(() -> end(channel));
        }

        void close() {
            closed = true;
            channels.disconnect(this);
        }
    }
}
