// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.holdfast.memory.LuaInterpreter;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.memory.PreparedCall;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.redis.script.LockKey;
import org.holdfast.redis.script.ReplyDecoder;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.script.ScriptWords;
import org.holdfast.redis.survey.FoundLocks;
import org.holdfast.redis.survey.Waiting;

/**
 * The nodes of one test, for all its processes. Each runs the real scripts, one at a time, as soon as it receives them;
 * one that hangs runs them when it resumes.
 */
final class MemoryNodes implements Nodes {

    private final List<String> addresses;
    private final VirtualTime time;
    private final ScriptCodec codec;
    private final List<Node> nodes = new ArrayList<>();
    private final List<MemoryNotifications> listeners = new CopyOnWriteArrayList<>();

    MemoryNodes(List<String> addresses, String keyPrefix, VirtualTime time) {
        this.addresses = List.copyOf(addresses);
        this.time = time;
        this.codec = new ScriptCodec(keyPrefix, 0);
        LuaInterpreter lua = new LuaInterpreter();
        for (int node = 0; node < addresses.size(); node++) {
            nodes.add(new Node(node, new MemoryRedis(lua, time::epochMicros)));
        }
    }

    /** Adds a process that may subscribe to what the nodes publish. */
    void listen(MemoryNotifications listener) {
        listeners.add(listener);
    }

    ScriptCodec codec() {
        return codec;
    }

    @Override
    public int count() {
        return addresses.size();
    }

    @Override
    public String address(int node) {
        return addresses.get(node);
    }

    @Override
    public void prepare() {
        // there is nothing to connect to
    }

    @Override
    public synchronized Round send(Command command, NodeSet targets) {
        MemoryRound round = new MemoryRound(time, targets.size());
        for (Node node : nodes) {
            if (targets.contains(node.index)) {
                node.receive(command, round);
            }
        }
        return round;
    }

    /** Adds the locks whose keys are on the nodes. */
    synchronized void find(FoundLocks found) {
        for (Node node : nodes) {
            node.redis.expire(() -> true);
            node.redis.keyNames().forEach(key -> LockKey.parse(codec.keys().prefix(), key)
                    .ifPresent(found::add));
        }
    }

    /** Returns how many callers of all processes wait for a lock. */
    synchronized Waiting waiting(String lock) {
        Waiting waiting = new Waiting(0, (int)
                listeners.stream().filter(each -> each.isSubscribed(lock)).count());
        for (Node node : nodes) {
            int tickets =
                    node.redis.sortedSet(codec.keys().tickets(lock)).members().size();
            waiting = waiting.or(new Waiting(tickets, 0));
        }
        return waiting;
    }

    synchronized boolean isHanging(int node) {
        return nodes.get(node).hanging;
    }

    /** The node answers nothing from now on, and keeps what it receives. */
    synchronized void hang(int node) {
        nodes.get(node).hanging = true;
    }

    /** The node runs what it has received, and answers again. */
    synchronized void resume(int node) {
        nodes.get(node).resume();
    }

    private final class Node {

        private final int index;
        private final MemoryRedis redis;
        private final List<Runnable> received = new ArrayList<>();
        private boolean hanging;

        Node(int index, MemoryRedis redis) {
            this.index = index;
            this.redis = redis;
            redis.tell((channel, message) -> listeners.stream()
                    .filter(listener -> listener.published(channel, message))
                    .count());
        }

        void receive(Command command, MemoryRound round) {
            if (hanging) {
                received.add(() -> round.answered(run(command)));
            } else {
                round.answered(run(command));
            }
        }

        void resume() {
            hanging = false;
            List<Runnable> late = List.copyOf(received);
            received.clear();
            late.forEach(Runnable::run);
        }

        private Answer run(Command command) {
            List<String> words = ScriptWords.of(codec, command, time.epochMicros() / 1_000);
            int firstArgument = 3 + Integer.parseInt(words.get(2));
            ScriptCall call = new ScriptCall(
                    words.get(1), words.subList(3, firstArgument), words.subList(firstArgument, words.size()));
            try {
                redis.expire(() -> true);
                List<Object> reply = redis.evalToBytes(new PreparedCall(call)); // of one if it is no list
                return ReplyDecoder.answer(index, reply.size() == 1 ? reply.get(0) : reply);
            } catch (MemoryRedis.ErrorReply error) {
                return new Answer(index, new Reply.Refused(String.valueOf(error.getMessage())), 0);
            }
        }
    }
}
