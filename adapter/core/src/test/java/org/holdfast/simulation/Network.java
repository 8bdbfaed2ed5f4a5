// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.holdfast.protocol.Answer;
import org.holdfast.protocol.Command;
import org.holdfast.protocol.NodeSet;
import org.holdfast.protocol.Nodes;
import org.holdfast.protocol.Reply;
import org.holdfast.protocol.Round;

/**
 * What lies between clients and nodes: connections that keep order, break, and lose what is on them.
 *
 * <p>What was sent on a connection that broke may still arrive, later than what follows on the next one, and twice.
 */
final class Network {

    private final World world;
    private final List<SimulatedNode> nodes;
    private final long meanDelay;
    private final double breaks;
    private final long nodeTimeout;

    Network(World world, List<SimulatedNode> nodes, long meanDelay, double breaks, long nodeTimeout) {
        this.world = world;
        this.nodes = nodes;
        this.meanDelay = meanDelay;
        this.breaks = breaks;
        this.nodeTimeout = nodeTimeout;
    }

    private long delay() {
        double uniform = 1 - world.random.nextDouble();
        return (long) (-Math.log(uniform) * meanDelay) + 1;
    }

    /** Which nodes a client cannot reach now. */
    static final class Partition {
        long until;
        NodeSet cutOff = NodeSet.NONE;

        boolean isCutOff(int node, long now) {
            return now < until && cutOff.contains(node);
        }
    }

    /** One caller's connections, one to each node. */
    final class Connections implements Nodes {

        private final Partition partition;
        private final Connection[] open = new Connection[nodes.size()];

        Connections(Partition partition) {
            this.partition = partition;
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
            Answers answers = new Answers(targets.size());
            for (int node = 0; node < open.length; node++) {
                if (targets.contains(node)) {
                    Connection connection = connection(node);
                    if (connection == null) {
                        answers.answered(new Answer(node, new Reply.NotSent("no connection"), 0));
                    } else {
                        connection.send(command, answers);
                    }
                }
            }
            return answers;
        }

        private Connection connection(int node) {
            Connection known = open[node];
            if (known != null && !known.broken) {
                return known;
            }
            SimulatedNode target = nodes.get(node);
            boolean reachable = target.isUp()
                    && target.readyAt() <= world.now()
                    && !partition.isCutOff(node, world.now())
                    && target.admit();
            open[node] = reachable ? new Connection(node, partition) : null;
            return open[node];
        }
    }

    private record Request(Command command, Answers answers) {}

    private final class Connection {

        private final int node;
        private final Partition partition;
        private final int incarnation;
        private final ArrayDeque<Request> unanswered = new ArrayDeque<>();
        private long lastArrival;
        private long lastAnswer;
        private boolean broken;

        Connection(int node, Partition partition) {
            this.node = node;
            this.partition = partition;
            this.incarnation = nodes.get(node).incarnation();
        }

        void send(Command command, Answers answers) {
            Request request = new Request(command, answers);
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
            Answer answer = target.execute(request.command());
            lastAnswer = Math.max(lastAnswer, world.now() + delay());
            if (!partition.isCutOff(node, world.now())) {
                world.at(lastAnswer, () -> answered(request, answer));
            }
        }

        private void answered(Request request, Answer answer) {
            if (!broken && unanswered.peekFirst() == request) {
                unanswered.pollFirst();
                request.answers().answered(answer);
                if (answer.reply() instanceof Reply.Forgotten) {
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

    /** Gives a caller's rounds the clock of its machine. */
    Nodes withClock(Connections connections, SimulatedTime time) {
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
                        return answers.next(time, deadline);
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
