// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;

/** Nodes that answer what the test says, as late as the test says. */
public final class ScriptedNodes implements Nodes {

    private final VirtualTime time;
    private final List<Function<Command, Reply>> behaviour = new ArrayList<>();
    private final List<Long> latencyMillis = new ArrayList<>();
    private long clockErrorMicros;
    private long sendingMillis;
    private boolean measured;
    private Function<Command, Object> routes = command -> "all";
    private int roundsNotLeft;
    private boolean keepsLateAnswers;
    private boolean losesLateAnswers;

    /** How many answers a caller has waited for that had not waited before. */
    public int awaitedLate;

    /** What has not come yet to callers that wait no more. */
    private final List<Runnable> lateAnswers = new ArrayList<>();

    /** What was sent, in order: the node and the command. */
    public final List<Sent> sent = new ArrayList<>();

    public record Sent(int node, Command command) {}

    public ScriptedNodes(VirtualTime time, int count) {
        this.time = time;
        for (int node = 0; node < count; node++) {
            behaviour.add(ScriptedNodes::agree);
            latencyMillis.add(1L);
        }
    }

    /** Agrees to each command. */
    public static Reply agree(Command command) {
        return command instanceof Command.Release ? new Reply.Released(0) : new Reply.Granted();
    }

    public ScriptedNodes node(int node, Function<Command, Reply> replies) {
        behaviour.set(node, replies);
        return this;
    }

    public ScriptedNodes node(int node, Reply reply) {
        return node(node, command -> reply);
    }

    public ScriptedNodes latency(int node, long millis) {
        latencyMillis.set(node, millis);
        return this;
    }

    /** Has sending take its time, as it does where a connection has to be opened first. */
    public ScriptedNodes sendingTakes(long millis) {
        sendingMillis = millis;
        return this;
    }

    public ScriptedNodes clocksOffBy(long micros) {
        clockErrorMicros = micros;
        return this;
    }

    /** Has their clocks known before they are asked. */
    public ScriptedNodes measuresClocks() {
        measured = true;
        return this;
    }

    @Override
    public boolean isClockSkewed(long wallMicros, long limitMicros) {
        return measured && Math.abs(time.epochMicros() + clockErrorMicros - wallMicros) > limitMicros;
    }

    public <T extends Command> List<Sent> sent(Class<T> kind) {
        return sent.stream().filter(s -> kind.isInstance(s.command())).toList();
    }

    /** Has answers that no caller waits for come when the test says, by {@link #lateAnswersCome}. */
    public ScriptedNodes keepsLateAnswers() {
        keepsLateAnswers = true;
        return this;
    }

    /** Has answers that no caller waits for never come: they were lost in this process. */
    public ScriptedNodes losesLateAnswers() {
        losesLateAnswers = true;
        return keepsLateAnswers();
    }

    public void lateAnswersCome(int answers) {
        for (int i = 0; i < answers; i++) {
            lateAnswers.remove(0).run();
        }
    }

    /** Returns how many rounds were begun, and not left. */
    public int roundsNotLeft() {
        return roundsNotLeft;
    }

    @Override
    public int count() {
        return behaviour.size();
    }

    @Override
    public String address(int node) {
        return "node-" + node;
    }

    @Override
    public void prepare() {}

    /** Has commands go to several processes of each node. */
    public ScriptedNodes routes(Function<Command, Object> routes) {
        this.routes = routes;
        return this;
    }

    @Override
    public Object route(Command command) {
        return routes.apply(command);
    }

    @Override
    public Round send(Command command, NodeSet targets) {
        time.passMillis(sendingMillis);
        List<Arrival> arrivals = new ArrayList<>();
        for (int node = 0; node < count(); node++) {
            if (targets.contains(node)) {
                sent.add(new Sent(node, command));
                long at = time.nanoTime() + TimeUnit.MILLISECONDS.toNanos(latencyMillis.get(node));
                Reply reply = behaviour.get(node).apply(command);
                boolean heard = !(reply instanceof Reply.NoAnswer || reply instanceof Reply.NotSent);
                arrivals.add(
                        new Arrival(at, new Answer(node, reply, heard ? time.epochMicros() + clockErrorMicros : 0)));
            }
        }
        arrivals.sort(Comparator.comparingLong(arrival -> arrival.at - time.nanoTime()));
        return new ScriptedRound(arrivals);
    }

    private record Arrival(long at, Answer answer) {}

    private final class ScriptedRound implements Round {

        private final List<Arrival> arrivals;

        ScriptedRound(List<Arrival> arrivals) {
            this.arrivals = arrivals;
            roundsNotLeft++;
        }

        @Override
        public Answer next(long deadline) {
            if (arrivals.isEmpty()) {
                return null;
            }
            Arrival first = arrivals.get(0);
            if (first.at - deadline > 0) {
                time.passTo(deadline);
                return null;
            }
            time.passTo(first.at);
            return arrivals.remove(0).answer;
        }

        @Override
        public void awaitLate(BooleanSupplier enough, long deadline) {
            if (losesLateAnswers) {
                time.passTo(deadline);
                return;
            }
            while (!enough.getAsBoolean() && !lateAnswers.isEmpty()) {
                lateAnswersCome(1);
                awaitedLate++;
            }
        }

        @Override
        public void leave(Consumer<Answer> late) {
            roundsNotLeft--;
            arrivals.forEach(arrival -> lateAnswers.add(() -> late.accept(arrival.answer)));
            if (!keepsLateAnswers) {
                lateAnswersCome(lateAnswers.size());
            }
            arrivals.clear();
        }
    }
}
