// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayDeque;
import org.holdfast.memory.PreparedCall;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.redis.script.ScriptBridge;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.wire.NodeErrors;

/** A connection of a client to one node: it keeps order, and breaks with all that is on it. */
final class SimulatedConnection {

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

    private final World world;
    private final Network network;
    private final Turns turns;
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

    SimulatedConnection(World world, Network network, Turns turns, int node, View view) {
        this.world = world;
        this.network = network;
        this.turns = turns;
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
            return asked(new PreparedCall(ScriptBridge.shortening(renewal, codec(), process, earliest)));
        }
        return usual == null ? vouching(command, 0) : asked(usual);
    }

    private PreparedCall vouching(Command command, long vouchedMillis) {
        return asked(new PreparedCall(ScriptBridge.call(command, codec(), process, vouchedMillis)));
    }

    private ScriptCodec codec() {
        return view.places.codec(node).orElse(network.codec());
    }

    private PreparedCall asked(PreparedCall prepared) {
        return network.isProxied() ? new PreparedCall(ScriptBridge.behindProxy(prepared.call(), process)) : prepared;
    }

    private void send(Request request) {
        unanswered.addLast(request);
        boolean breaking = network.breaks();
        if (!breaking || world.random.nextBoolean()) {
            lastArrival = Math.max(lastArrival, world.now() + network.delay());
            world.at(lastArrival, () -> arrive(request));
        }
        if (breaking) {
            world.after(network.delay(), this::break_);
            if (world.random.nextInt(4) == 0) { // a retry below us, or a packet that took the long way
                world.after(20 * network.delay(), () -> arrive(request));
            }
        }
        world.after(network.nodeTimeout(), () -> timeOut(request));
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
        if (!network.isProxied() && target.incarnation() != incarnation || !target.isUp()) {
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
        lastAnswer = Math.max(lastAnswer, world.now() + network.delay());
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
        Answer weighed =
                view.clockMonitor.weigh(answer, first.command(), place.term(), first.sentAt(), view.time.nanoTime());
        if (weighed.reply() instanceof Reply.Ended ended) {
            sendVouching(first, ended);
            return;
        }
        world.observer().read(first.command(), weighed);
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

    /** Returns whether it can be used for votes that count now. */
    boolean isOpen() {
        if (!view.places.counts(node, place.term())) {
            break_();
        }
        return !broken;
    }
}
