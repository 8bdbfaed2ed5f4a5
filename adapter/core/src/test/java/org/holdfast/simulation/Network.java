// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.holdfast.protocol.Agreements;
import org.holdfast.protocol.Answer;
import org.holdfast.protocol.Clocks;
import org.holdfast.protocol.Command;
import org.holdfast.protocol.Lookout;
import org.holdfast.protocol.NodeGuard;
import org.holdfast.protocol.NodeSet;
import org.holdfast.protocol.Nodes;
import org.holdfast.protocol.Reply;
import org.holdfast.protocol.Round;
import org.holdfast.redis.ScriptBridge;

/**
 * What lies between clients and nodes: connections that keep order, break, and lose what is on them.
 *
 * <p>What was sent on a connection that broke may still arrive, later than what follows on the next one, and twice.
 */
final class Network {

    private final World world;
    private final List<SimulatedNode> nodes;
    private long meanDelay;
    private double breaks;
    private final long nodeTimeout;
    private final Agreements agreements;
    private final long memoryMicros;
    private final Turns turns;
    private final List<SimulatedAnnouncements> audience = new ArrayList<>();

    Network(
            World world,
            List<SimulatedNode> nodes,
            long meanDelay,
            double breaks,
            long nodeTimeout,
            Agreements agreements,
            Turns turns) {
        this.world = world;
        this.nodes = nodes;
        this.meanDelay = meanDelay;
        this.breaks = breaks;
        this.nodeTimeout = nodeTimeout;
        this.agreements = agreements;
        this.memoryMicros = agreements.widest().quarantine().toNanos() / 1_000;
        this.turns = turns;
        for (int node = 0; node < nodes.size(); node++) {
            int from = node;
            nodes.get(node).redis().tell(channel -> announce(from, channel));
        }
    }

    /** What one client makes of each node. */
    List<NodeGuard> guards(Clocks clocks, SimulatedTime time) {
        return IntStream.range(0, nodes.size())
                .mapToObj(
                        node -> new NodeGuard(node, agreements, nodes.get(node).isDurable(), clocks, time))
                .toList();
    }

    private long delay() {
        double uniform = 1 - world.random.nextDouble();
        return (long) (-Math.log(uniform) * meanDelay) + 1;
    }

    /** The nodes as one client sees them: which it cannot reach now, and what it knows of their clocks. */
    static final class View {
        final SimulatedTime time;
        final Clocks clocks;
        final List<NodeGuard> guards;
        long cutOffUntil;
        NodeSet cutOff = NodeSet.NONE;
        private NodeSet setAside = NodeSet.NONE;

        View(SimulatedTime time, Clocks clocks, List<NodeGuard> guards) {
            this.time = time;
            this.clocks = clocks;
            this.guards = guards;
        }

        boolean isCutOff(int node, long now) {
            return now < cutOffUntil && cutOff.contains(node);
        }

        boolean isAsked(int node) {
            return !setAside.contains(node) && !clocks.isDoubted(node);
        }
    }

    /** From now on nothing breaks, nor is it so slow that round trips often take longer than anybody waits for them. */
    void calmDown() {
        breaks = 0;
        meanDelay = Math.min(meanDelay, nodeTimeout / 25);
    }

    /** Something arrives. */
    void later(Runnable arrival) {
        world.after(delay(), arrival);
    }

    /** Returns whether what a node says without being asked does not arrive. */
    boolean isLost(int node, View view) {
        return view.isCutOff(node, world.now()) || world.random.nextDouble() < breaks;
    }

    void announceTo(SimulatedAnnouncements client) {
        audience.add(client);
    }

    /** A node has published something; returns how many listen there. */
    private long announce(int node, String channel) {
        long listeners = 0;
        for (SimulatedAnnouncements client : audience) {
            listeners += client.published(node, channel) ? 1 : 0;
        }
        return listeners;
    }

    private boolean isReachable(int node, View view) {
        SimulatedNode target = nodes.get(node);
        return target.isUp() && target.readyAt() <= world.now() && !view.isCutOff(node, world.now());
    }

    /** How a client looks at nodes in the background. */
    final class Sight implements Lookout.Sight {

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
        public boolean isLookDue(int node) {
            return nextLook[node] <= world.now();
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
            world.after(there, () -> {
                if (isReachable(node, view)) {
                    long now = nodes.get(node).clockMicros();
                    view.clocks.note(node, sentAt, view.time.nanoTime(), now); // the guard asks since when it is known
                    clock[0] = nodes.get(node).admit(view.guards.get(node)) ? now : NOT_ADMITTED;
                }
            });
            world.waitUntil(world.now() + there + delay());
            if (clock[0] == NOT_ADMITTED) {
                view.setAside = view.setAside.with(node);
            } else {
                view.clocks.note(node, sentAt, view.time.nanoTime(), clock[0]);
                view.setAside = view.setAside.without(NodeSet.of(node));
            }
        }

        @Override
        public boolean quarantine(int node, String reason) {
            world.waitUntil(world.now() + delay());
            boolean reached = isReachable(node, view);
            if (reached) {
                nodes.get(node).quarantine(view.guards.get(node));
            }
            return reached;
        }

        @Override
        public boolean isVouchedFor(int node) {
            world.waitUntil(world.now() + delay());
            return isReachable(node, view)
                    && nodes.get(node)
                            .mark()
                            .filter(mark -> view.clocks.isVouchedFor(node, mark.steadyMicros(), mark.seenMicros()))
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
        public void prepare() {}

        @Override
        public Round send(Command command, NodeSet targets) {
            turns.sent(command);
            SimulatedRedis.Prepared prepared =
                    new SimulatedRedis.Prepared(ScriptBridge.call(command, SimulatedNode.PREFIX, memoryMicros));
            Answers answers = new Answers(targets.size());
            for (int node = 0; node < open.length; node++) {
                if (targets.contains(node)) {
                    Connection connection = connection(node);
                    if (connection == null) {
                        answers.answered(new Answer(node, new Reply.NotSent("no connection"), 0));
                    } else {
                        connection.send(command, prepared, answers);
                    }
                }
            }
            return answers;
        }

        private Connection connection(int node) {
            Connection known = open[node];
            if (known != null && !known.broken && view.isAsked(node)) {
                return known;
            }
            boolean admitted = isReachable(node, view)
                    && isClockRight(node)
                    && nodes.get(node).admit(view.guards.get(node));
            open[node] = admitted ? new Connection(node, view) : null;
            return open[node];
        }

        private boolean isClockRight(int node) {
            long now = view.time.nanoTime();
            return view.clocks.note(node, now, now, nodes.get(node).clockMicros());
        }
    }

    private record Request(Command command, SimulatedRedis.Prepared prepared, Answers answers, long sentAt) {}

    private final class Connection {

        private final int node;
        private final View view;
        private final int incarnation;
        private final ArrayDeque<Request> unanswered = new ArrayDeque<>();
        private long lastArrival;
        private long lastAnswer;
        private boolean broken;

        Connection(int node, View view) {
            this.node = node;
            this.view = view;
            this.incarnation = nodes.get(node).incarnation();
        }

        void send(Command command, SimulatedRedis.Prepared prepared, Answers answers) {
            Request request = new Request(command, prepared, answers, view.time.nanoTime());
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
            world.after(nodeTimeout, () -> {
                if (unanswered.contains(request)) {
                    break_();
                }
            });
        }

        private void arrive(Request request) {
            SimulatedNode target = nodes.get(node);
            if (target.incarnation() != incarnation || !target.isUp()) {
                break_();
                return;
            }
            long ready = target.readyAt();
            if (ready > world.now()) {
                world.at(ready, () -> arrive(request));
                return;
            }
            Answer answer = target.execute(request.command(), request.prepared());
            turns.answered(request.command(), answer);
            lastAnswer = Math.max(lastAnswer, world.now() + delay());
            if (!view.isCutOff(node, world.now())) {
                world.at(lastAnswer, () -> answered(request, answer));
            }
        }

        private void answered(Request request, Answer answer) {
            if (!broken && unanswered.peekFirst() == request) {
                unanswered.pollFirst();
                request.answers().answered(view.clocks.weigh(answer, request.sentAt(), view.time.nanoTime()));
                if (answer.reply() instanceof Reply.Forgotten || view.clocks.isDoubted(node)) {
                    break_(); // to connect anew sets the birth mark
                }
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

    /** The answers to one command. */
    private final class Answers implements Round {

        private final ArrayDeque<Answer> arrived = new ArrayDeque<>();
        private int outstanding;
        private Consumer<Answer> late;
        private World.Task waiter;

        Answers(int outstanding) {
            this.outstanding = outstanding;
        }

        void answered(Answer answer) {
            outstanding--;
            if (late != null) {
                late.accept(answer);
            } else {
                arrived.addLast(answer);
                if (waiter != null) {
                    world.wake(waiter);
                }
            }
        }

        @Override
        public Answer next(long deadline) {
            throw new UnsupportedOperationException("a client's clock is needed: see Client.Local");
        }

        Answer next(SimulatedTime time, long deadline) {
            waiter = world.current();
            while (arrived.isEmpty() && outstanding > 0 && time.nanoTime() - deadline < 0) {
                world.waitUntil(time.worldMoment(deadline));
            }
            waiter = null;
            return arrived.pollFirst();
        }

        @Override
        public void leave(Consumer<Answer> listener) {
            late = listener;
            List<Answer> left = new ArrayList<>(arrived);
            arrived.clear();
            left.forEach(listener);
        }
    }

    /** A caller's connections, whose rounds wait by the clock of its machine. */
    Nodes connect(View view) {
        Connections connections = new Connections(view);
        return new Nodes() {
            @Override
            public int count() {
                return connections.count();
            }

            @Override
            public String address(int node) {
                return connections.address(node);
            }

            @Override
            public void prepare() {}

            @Override
            public Round send(Command command, NodeSet targets) {
                Answers answers = (Answers) connections.send(command, targets);
                return new Round() {
                    @Override
                    public Answer next(long deadline) {
                        return answers.next(view.time, deadline);
                    }

                    @Override
                    public void leave(Consumer<Answer> late) {
                        answers.leave(late);
                    }
                };
            }
        };
    }
}
