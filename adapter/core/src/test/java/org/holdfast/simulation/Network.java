// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.memory.PreparedCall;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.guard.AcceptedSettings;
import org.holdfast.protocol.guard.ClockMonitor;
import org.holdfast.protocol.guard.NodeGuard;
import org.holdfast.protocol.guard.NodeMonitor;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.redis.script.NodeKeys;
import org.holdfast.redis.script.ScriptBridge;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.wire.NodeErrors;

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
                .mapToObj(node ->
                        new NodeGuard(node, acceptedSettings, nodes.get(node).isDurable(), clockMonitor, time))
                .toList();
    }

    private PreparedCall prepared(Command command) {
        return prepared(ScriptBridge.call(command, usualCodec, "", 0));
    }

    private static PreparedCall prepared(ScriptCall call) {
        return new PreparedCall(call);
    }

    /** Returns what encodes commands for nodes, some of which may be shards. */
    ScriptCodec codec() {
        return usualCodec;
    }

    private long delay() {
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

    private boolean isReachable(int node, View view) {
        return view.places
                .of(node)
                .filter(place -> isReachable(place, node, view))
                .isPresent();
    }

    private boolean isReachable(Places.Place place, int node, View view) {
        SimulatedNode target = place.process();
        return target.isUp() && target.readyAt() <= world.now() && !view.isCutOff(node, target, world.now());
    }

    /** Returns the process that a client reaches. */
    private static SimulatedNode reached(int node, View view) {
        return view.places.of(node).orElseThrow().process();
    }

    /** Looks at a node as a connecting client does; returns whether it is to be used. */
    private boolean isAdmitted(int node, View view) {
        try {
            if (!isReachable(node, view)) {
                return false;
            }
            SimulatedNode process = reached(node, view);
            view.places.findHome(node, process);
            Optional<NodeGuard.Admission.Admitted> admitted =
                    process.probes.admit(view.guards.get(node), view.places.appointment(node), keys(node, view));
            admitted.ifPresent(
                    it -> view.places.noteSlots(node, process, !it.reason().isEmpty()));
            return admitted.isPresent();
        } catch (MemoryRedis.ErrorReply e) {
            return false;
        }
    }

    /** Returns what keys are called on a node, besides those of locks. */
    private static NodeKeys keys(int node, View view) {
        return view.places.codec(node).map(ScriptCodec::keys).orElse(SimulatedNode.KEYS);
    }

    private boolean quarantined(int node, View view) {
        try {
            boolean reached = isReachable(node, view);
            if (reached) {
                reached(node, view)
                        .probes
                        .quarantine(view.guards.get(node), view.places.appointment(node), keys(node, view));
            }
            return reached;
        } catch (MemoryRedis.ErrorReply e) {
            return false;
        }
    }

    /** How a client looks at nodes in the background. */
    final class Sight implements NodeMonitor.Sight {

        private static final long PAUSE_NANOS = 200_000_000L;
        private static final long NOT_ADMITTED = Long.MIN_VALUE;

        private final View view;
        private final long[] nextLook = new long[nodes.size()];

        Sight(View view) {
            this.view = view;
        }

        @Override
        public int count() {
            return nodes.size();
        }

        @Override
        public boolean isAsked(int node) {
            return view.isAsked(node);
        }

        @Override
        public long nanosUntilLook(int node) {
            return nextLook[node] - world.now();
        }

        @Override
        public boolean claimLook(int node) {
            nextLook[node] = world.now() + PAUSE_NANOS;
            return true;
        }

        @Override
        public void look(int node) {
            long sentAt = view.time.nanoTime();
            long there = delay();
            long[] clock = {NOT_ADMITTED};
            int[] term = {0};
            world.after(there, () -> {
                if (isReachable(node, view)) {
                    long now = reached(node, view).clock.micros();
                    term[0] = term(node);
                    view.clockMonitor.note(
                            node, term[0], sentAt, view.time.nanoTime(), now); // the guard asks since when it is known
                    clock[0] = isAdmitted(node, view) ? now : NOT_ADMITTED;
                }
            });
            world.waitUntil(world.now() + there + delay());
            if (clock[0] != NOT_ADMITTED) {
                view.clockMonitor.note(node, term[0], sentAt, view.time.nanoTime(), clock[0]);
            }
            view.looked(node, clock[0] != NOT_ADMITTED && view.places.counts(node, term[0]));
        }

        private int term(int node) {
            return view.places.of(node).orElseThrow().term();
        }

        @Override
        public boolean quarantine(int node, String reason) {
            world.waitUntil(world.now() + delay());
            return quarantined(node, view);
        }

        @Override
        public boolean isVouchedFor(int node) {
            long sentAt = view.time.nanoTime();
            world.waitUntil(world.now() + delay());
            if (!isReachable(node, view)) {
                return false;
            }
            SimulatedNode process = reached(node, view);
            view.clockMonitor.note(node, term(node), sentAt, view.time.nanoTime(), process.clock.micros());
            return process.probes
                    .mark(keys(node, view))
                    .filter(mark -> view.clockMonitor.isVouchedFor(node, mark.steadyMicros(), mark.watchedMicros()))
                    .isPresent();
        }
    }

    /** One caller's connections, one to each node. */
    final class Connections implements Nodes {

        private final View view;
        private final Connection[] open = new Connection[nodes.size()];

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
                    Connection connection = connection(node);
                    Optional<String> reason = whyNotSent(node, command, connection);
                    if (reason.isPresent()) {
                        answers.answered(new Answer(node, new Reply.NotSent(reason.get()), 0));
                    } else {
                        connection.send(command, prepared, answers);
                    }
                }
            }
            sendSlowly(command);
            return answers;
        }

        private Optional<String> whyNotSent(int node, Command command, Connection connection) {
            return connection == null
                    ? Optional.of("no connection")
                    : view.places.codec(node).map(codec -> codec.whyNotYet(command));
        }

        private Connection connection(int node) {
            Connection known = open[node];
            if (known != null && !view.places.counts(node, known.place.term())) {
                known.break_();
            }
            if (known != null && !known.broken && view.isAsked(node)) {
                return known;
            }
            boolean admitted = isReachable(node, view) && isClockRight(node) && isAdmitted(node, view);
            open[node] = admitted ? new Connection(node, view) : null;
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

    /**
     * @param again whether it is sent once more, with the script, to a node that did not know it
     * @param vouched whether it is sent once more, to a node whose clock is believed
     */
    private record Request(
            Command command, PreparedCall prepared, Answers answers, long sentAt, boolean again, boolean vouched) {

        /** Its caller waits no more: it would overtake its release. */
        boolean isTooLate() {
            return command instanceof Command.Acquire && answers.isLeft();
        }

        /** What an attempt has got is taken back, and tickets are, without a chance to ask again. */
        boolean bringsScript() {
            boolean undoes = command instanceof Command.Release release && !release.tombstone();
            return again || undoes || command instanceof Command.Leave;
        }
    }

    private final class Connection {

        private final int node;
        private final View view;
        private final Places.Place place;
        private final int incarnation;

        /** Which process answered when the node was looked at. */
        private final String process;

        private final ArrayDeque<Request> unanswered = new ArrayDeque<>();
        private long lastArrival;
        private long lastAnswer;
        private boolean broken;

        Connection(int node, View view) {
            this.node = node;
            this.view = view;
            this.place = view.places.of(node).orElseThrow();
            this.incarnation = place.process().incarnation();
            this.process = place.process().runId();
        }

        /** @param usual what is sent to every node, unless they are shards */
        void send(Command command, PreparedCall usual, Answers answers) {
            send(new Request(command, call(command, usual), answers, view.time.nanoTime(), false, false));
        }

        /** A command by which a lock may end earlier says what this node's clock shows at the least. */
        private PreparedCall call(Command command, PreparedCall usual) {
            if (command instanceof Command.Renew renewal && renewal.last()) {
                long earliest = view.clockMonitor.earliestMillis(node, view.time.nanoTime());
                return asked(prepared(ScriptBridge.shortening(renewal, codec(), process, earliest)));
            }
            return usual == null ? vouching(command, 0) : asked(usual);
        }

        private PreparedCall vouching(Command command, long vouchedMillis) {
            return asked(prepared(ScriptBridge.call(command, codec(), process, vouchedMillis)));
        }

        private ScriptCodec codec() {
            return view.places.codec(node).orElse(usualCodec);
        }

        private PreparedCall asked(PreparedCall prepared) {
            return proxied ? new PreparedCall(ScriptBridge.behindProxy(prepared.call(), process)) : prepared;
        }

        private void send(Request request) {
            unanswered.addLast(request);
            boolean breaking = world.random.nextDouble() < breaks;
            if (!breaking || world.random.nextBoolean()) {
                lastArrival = Math.max(lastArrival, world.now() + delay());
                world.at(lastArrival, () -> arrive(request));
            }
            if (breaking) {
                world.after(delay(), this::break_);
                if (world.random.nextInt(4) == 0) { // a retry below us, or a packet that took the long way
                    world.after(20 * delay(), () -> arrive(request));
                }
            }
            world.after(nodeTimeout, () -> timeOut(request));
        }

        private void timeOut(Request request) {
            if (!isClientPaused(() -> timeOut(request)) && unanswered.contains(request)) {
                break_();
            }
        }

        /** While a client's machine is paused none of its threads reads what comes: they read it later. */
        private boolean isClientPaused(Runnable later) {
            boolean paused = view.machine.pausedUntil > world.now();
            if (paused) {
                world.at(view.machine.pausedUntil, later);
            }
            return paused;
        }

        private void arrive(Request request) {
            SimulatedNode target = place.process();
            if (!proxied && target.incarnation() != incarnation || !target.isUp()) {
                break_();
                return;
            }
            long ready = target.readyAt();
            if (ready > world.now()) {
                world.at(ready, () -> arrive(request));
                return;
            }
            boolean known = request.bringsScript() || target.knows(request.prepared());
            Answer answer = known
                    ? target.execute(request.command(), request.prepared(), view.places.counts(node, place.term()))
                    : null;
            if (known) {
                turns.answered(request.command(), answer);
            }
            lastAnswer = Math.max(lastAnswer, world.now() + delay());
            if (!view.isCutOff(node, target, world.now())) {
                world.at(lastAnswer, () -> answered(request, answer));
            }
        }

        /** @param answer null if the node does not know the script */
        private void answered(Request request, Answer answer) {
            if (isClientPaused(() -> answered(request, answer)) || broken || unanswered.peekFirst() != request) {
                return;
            }
            Request first = unanswered.pollFirst();
            if (answer == null) {
                sendScript(first);
                return;
            }
            if (!view.places.counts(node, place.term())) {
                first.answers().answered(new Answer(node, new Reply.NoAnswer("it is not the voter any more"), 0));
                break_();
                return;
            }
            if (!view.places.countsFor(node, first.command(), first.sentAt())) {
                first.answers().answered(new Answer(node, new Reply.NoAnswer("the slot is elsewhere"), 0));
                return;
            }
            Answer weighed = view.clockMonitor.weigh(
                    answer, first.command(), place.term(), first.sentAt(), view.time.nanoTime());
            if (weighed.reply() instanceof Reply.Ended ended) {
                sendVouching(first, ended);
                return;
            }
            first.answers().answered(weighed);
            if (answer.reply() instanceof Reply.Refused refused && NodeErrors.isMisdirected(refused.reason())) {
                view.places.misdirected();
            }
            if (answer.reply() instanceof Reply.Forgotten || view.clockMonitor.isDoubted(node)) {
                break_(); // to connect anew sets the birth mark
            }
        }

        /** An acquisition whose caller waits no more is not sent again: it would overtake its release. */
        private void sendScript(Request request) {
            if (request.isTooLate()) {
                request.answers().answered(new Answer(node, new Reply.Refused("only the script was made known"), 0));
            } else {
                send(new Request(
                        request.command(),
                        request.prepared(),
                        request.answers(),
                        view.time.nanoTime(),
                        true,
                        request.vouched()));
            }
        }

        private void sendVouching(Request request, Reply.Ended ended) {
            if (request.vouched() || request.isTooLate()) {
                request.answers().answered(new Answer(node, new Reply.Held(1), 0));
            } else {
                send(new Request(
                        request.command(),
                        vouching(request.command(), ended.atMillis()),
                        request.answers(),
                        view.time.nanoTime(),
                        request.again(),
                        true));
            }
        }

        private void break_() {
            if (!broken) {
                broken = true;
                for (Request request : unanswered) {
                    request.answers().answered(new Answer(node, new Reply.NoAnswer("connection lost"), 0));
                }
                unanswered.clear();
            }
        }
    }

    /** A caller's connections. */
    Nodes connect(View view) {
        return new Connections(view);
    }
}
