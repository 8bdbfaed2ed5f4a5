// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.memory.PreparedCall;
import org.holdfast.protocol.guard.AcceptedSettings;
import org.holdfast.protocol.guard.ClockMonitor;
import org.holdfast.protocol.guard.NodeGuard;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.redis.cluster.HomeSearch;
import org.holdfast.redis.script.ScriptBridge;
import org.holdfast.redis.script.ScriptCodec;

/**
 * What lies between clients and nodes: connections that keep order, break, and lose what is on them.
 *
 * <p>What was sent on a connection that broke may still arrive, later than what follows on the next one, and twice.
 */
final class Network {

    /** How long a program is busy with something else at the most while it is slow. */
    private static final long LONGEST_PAUSE = 1_500_000_000L;

    private final World world;
    private final List<SimulatedNode> nodes;
    private long meanDelay;
    private double breaks;
    private final long nodeTimeout;
    private final AcceptedSettings acceptedSettings;
    private final ScriptCodec usualCodec;
    private final Turns turns;
    private final boolean proxied;
    private final boolean sharded;
    private final List<SimulatedVoter> voters;
    private final Setting setting;
    private final List<SimulatedNotifications> audience = new ArrayList<>();
    private int heard;

    /**
     * @param voters by node, if nodes fail over
     * @param proxied whether a connection leads to the process that there is, and not always to the same
     */
    Network(
            World world,
            List<SimulatedNode> nodes,
            List<SimulatedVoter> voters,
            Setting setting,
            Turns turns,
            boolean proxied) {
        this.proxied = proxied;
        this.sharded = setting.isClustered();
        this.voters = voters;
        this.setting = setting;
        this.world = world;
        this.nodes = nodes;
        this.meanDelay = setting.meanDelay();
        this.breaks = setting.breaks();
        this.nodeTimeout = setting.timing().nodeTimeout().toNanos();
        this.acceptedSettings = setting.acceptedSettings();
        this.usualCodec = ScriptBridge.codec(
                SimulatedNode.PREFIX, acceptedSettings.widest().quarantine().toNanos() / 1_000);
        if (proxied) {
            usualCodec.askWhichProcess();
        }
        this.turns = turns;
        for (int node = 0; node < nodes.size() && !sharded; node++) {
            hear(node, nodes.get(node));
        }
    }

    /** What this process publishes is what the node publishes. */
    void hear(int node, SimulatedNode process) {
        process.redis().tell((channel, message) -> announce(node, channel, message));
    }

    Whereabouts whereabouts(ClockMonitor clockMonitor, SimulatedTime time) {
        return new Whereabouts(world, this, time, clockMonitor, setting, nodes, voters);
    }

    /** Returns within what time nearly all answers come. */
    long roundTrips() {
        return 8 * meanDelay;
    }

    /** Returns what all clients must agree on. */
    SharedSettings settings() {
        return acceptedSettings.widest();
    }

    /** What one client makes of each node. */
    List<NodeGuard> guards(ClockMonitor clockMonitor, SimulatedTime time) {
        return IntStream.range(0, nodes.size())
                .mapToObj(node -> new NodeGuard(
                        node,
                        acceptedSettings,
                        new AcceptedSettings.OfOthers(),
                        nodes.get(node).isDurable(),
                        clockMonitor,
                        time))
                .toList();
    }

    /** Every other renewal of one name is among many: in a call of its own all the same. */
    private PreparedCall prepared(Command command) {
        boolean amongMany = command instanceof Command.Renew renewal
                && !renewal.last()
                && !renewal.claim().target().isShared()
                && renewal.claim().target().names().size() == 1
                && renewal.claim().token() % 2 == 0;
        return new PreparedCall(
                amongMany
                        ? ScriptBridge.amongMany((Command.Renew) command, usualCodec)
                        : ScriptBridge.call(command, usualCodec, "", 0));
    }

    int size() {
        return nodes.size();
    }

    /** Returns how long a caller waits for a node. */
    long nodeTimeout() {
        return nodeTimeout;
    }

    /** Returns whether a connection leads to the process that there is, and not always to the same. */
    boolean isProxied() {
        return proxied;
    }

    /** Returns what encodes commands for nodes, some of which may be shards. */
    ScriptCodec codec() {
        return usualCodec;
    }

    /** Returns how long something is under way. */
    long delay() {
        double uniform = 1 - world.random.nextDouble();
        return (long) (-Math.log(uniform) * meanDelay) + 1;
    }

    /** From now on nothing breaks, and few round trips take longer than a caller waits for them. */
    void calmDown() {
        breaks = 0;
        meanDelay = Math.min(meanDelay, nodeTimeout / 25);
    }

    /** Something arrives. */
    void later(Runnable arrival) {
        world.after(delay(), arrival);
    }

    /** Returns when something arrives that is sent now. */
    long arrival() {
        return world.now() + delay();
    }

    /** Returns whether a connection breaks by what is sent now. */
    boolean breaks() {
        return world.random.nextDouble() < breaks;
    }

    /** A client has heard of a release. */
    void heard() {
        heard++;
    }

    /** Returns of how many releases clients have heard, in clusters. */
    int releasesHeard() {
        return heard;
    }

    /** Returns whether what a node sends without being asked does not arrive. */
    boolean isLost(int node, View view) {
        return view.isCutOff(node, world.now()) || breaks();
    }

    void announceTo(SimulatedNotifications client) {
        audience.add(client);
    }

    /** A node has published something; returns how many clients are subscribed there. */
    private long announce(int node, String channel, String message) {
        long listeners = 0;
        for (SimulatedNotifications client : audience) {
            listeners += client.published(node, channel, message) ? 1 : 0;
        }
        return listeners;
    }

    boolean isReachable(int node, View view) {
        return view.places
                .of(node)
                .filter(place -> isReachable(place, node, view))
                .isPresent();
    }

    private boolean isReachable(Places.Place place, int node, View view) {
        SimulatedNode target = place.process();
        return target.isUp() && target.readyAt() <= world.now() && !view.isCutOff(node, target, world.now());
    }

    /** Looks at a node as a connecting client does; returns whether it is to be used. */
    boolean isAdmitted(int node, View view) {
        try {
            if (!isReachable(node, view)) {
                return false;
            }
            SimulatedNode process = view.process(node);
            if (!view.places.isVoter(node, process)) {
                return false;
            }
            Optional<HomeSearch> homes = view.places.homes(node, process);
            Optional<HomeSearch.Lead> lead = homes.flatMap(HomeSearch::search);
            Optional<NodeProbes.Look> look =
                    process.probes.admit(view.guards.get(node), view.places.appointment(node), view.keys(node), lead);
            look.ifPresent(it -> view.places.looked(node, process, it));
            return look.isPresent();
        } catch (MemoryRedis.ErrorReply e) {
            return false;
        }
    }

    boolean quarantined(int node, View view) {
        try {
            boolean found = isReachable(node, view) && view.places.isVoter(node, view.process(node));
            if (found) {
                view.process(node)
                        .probes
                        .quarantine(view.guards.get(node), view.places.appointment(node), view.keys(node));
            }
            return found;
        } catch (MemoryRedis.ErrorReply e) {
            return false;
        }
    }

    /** One caller's connections, one to each node. */
    final class Connections implements Nodes {

        private final View view;
        private final SimulatedConnection[] open = new SimulatedConnection[nodes.size()];

        Connections(View view) {
            this.view = view;
        }

        @Override
        public int count() {
            return nodes.size();
        }

        @Override
        public String address(int node) {
            return "node-" + node;
        }

        @Override
        public boolean isClockSkewed(long wallMicros, long limitMicros) {
            return view.clockMonitor.areFarFrom(wallMicros, view.time.nanoTime(), limitMicros);
        }

        /** What is done between the moment when a caller draws its token and that when it sends may take long. */
        @Override
        public void prepare() {
            world.observer().preparing();
            if (isSlow() && world.random.nextInt(8) == 0) {
                world.waitUntil(world.now() + (long) (world.random.nextDouble() * LONGEST_PAUSE));
            }
        }

        /** Only threads of programs wait: what happens by itself has none. */
        private boolean isSlow() {
            return world.now() < view.reach.slowUntil && world.current() != null;
        }

        /**
         * To send to a node may take long, before or after, as it does where connections have to be opened first.
         * Commands on tickets are sent under a real lock, at which other threads would wait in real time.
         */
        private void sendSlowly(Command command) {
            boolean ofClaim = command instanceof Command.OfClaim;
            if (ofClaim && isSlow() && world.random.nextInt(4) == 0) {
                world.waitUntil(world.now() + (long) (world.random.nextDouble() * 4 * nodeTimeout));
            }
        }

        @Override
        public Round send(Command command, NodeSet targets) {
            turns.sent(command);
            world.observer().sent(command);
            PreparedCall prepared = sharded ? null : prepared(command);
            Answers answers = new Answers(world, view.time, targets.size());
            for (int node = 0; node < open.length; node++) {
                if (targets.contains(node)) {
                    sendSlowly(command);
                    SimulatedConnection connection = connection(node);
                    Optional<String> reason = whyNotSent(node, command, connection);
                    if (reason.isPresent()) {
                        answers.answered(new Answer(node, new Reply.NotSent(reason.get()), 0));
                    } else {
                        world.observer().left(command, view.places);
                        connection.send(command, prepared, answers);
                    }
                }
            }
            sendSlowly(command);
            return answers;
        }

        private Optional<String> whyNotSent(int node, Command command, SimulatedConnection connection) {
            return connection == null
                    ? Optional.of("no connection")
                    : view.places.codec(node).map(codec -> codec.whyNotYet(command));
        }

        private SimulatedConnection connection(int node) {
            SimulatedConnection known = open[node];
            if (known != null && known.isOpen() && view.isAsked(node)) {
                return known;
            }
            boolean admitted = isReachable(node, view) && isClockRight(node) && isAdmitted(node, view);
            open[node] = admitted ? new SimulatedConnection(world, Network.this, turns, node, view) : null;
            return open[node];
        }

        private boolean isClockRight(int node) {
            long now = view.time.nanoTime();
            Places.Place place = view.places.of(node).orElseThrow();
            view.clockMonitor.note(
                    node, place.term(), now, now, place.process().clock.micros());
            return !view.clockMonitor.isDoubted(node);
        }
    }

    /** A caller's connections. */
    Nodes connect(View view) {
        return new Connections(view);
    }
}
