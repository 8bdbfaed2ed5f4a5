// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.holdfast.Lease;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.LeaseBridge;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.session.SessionBridge;

/**
 * Records the steps of nodes and clients, in the words of the model, where one lock is all there is.
 *
 * <p>A step of a node is what changes its memory or grants something; that a node refuses is none. What clients hold is
 * read after each event, so each step has the moment at which it was made.
 */
final class TraceRecorder implements Observer {

    private final World world;
    private final String lock;
    private final List<SimulatedNode> nodes;
    private final List<Client> clients;
    private final double quarantineMicros;
    private final List<NodeMemory> memories = new ArrayList<>();
    private final List<String> processes = new ArrayList<>();
    private final List<Boolean> marked = new ArrayList<>();
    private final List<Map<String, MemoryRedis.Entry>> seen = new ArrayList<>();
    private final Map<World.Task, Trace.Attempt> drawn = new HashMap<>();
    private final Map<String, Trace.Attempt> byOwner = new LinkedHashMap<>();
    private final List<Map<String, Long>> held = new ArrayList<>();
    private final List<Trace.Step> steps = new ArrayList<>();

    /** @param lock the only name that is locked */
    TraceRecorder(World world, Setting setting, String lock, List<SimulatedNode> nodes, List<Client> clients) {
        this.world = world;
        this.lock = lock;
        this.nodes = nodes;
        this.clients = clients;
        this.quarantineMicros = setting.acceptedSettings().widest().quarantine().toNanos() / 1_000.0;
        for (SimulatedNode node : nodes) {
            memories.add(NodeMemory.of(node, lock));
            processes.add(node.runId());
            marked.add(isMarked(node));
            seen.add(node.redis().snapshot());
        }
        clients.forEach(client -> held.add(new HashMap<>()));
    }

    /** Returns what was recorded. */
    Trace trace(String name, Modelled modelled) {
        return new Trace(name, nodes.size(), modelled, steps);
    }

    private long now() {
        return ModelTime.tick(world.now());
    }

    private void add(String kind, Trace.Attempt attempt, long... numbers) {
        steps.add(new Trace.Step(now(), kind, -1, attempt, null, numbers));
    }

    private void addOfNode(String kind, int node, Trace.Attempt attempt, NodeMemory memory, long... numbers) {
        steps.add(new Trace.Step(now(), kind, node, attempt, memory, numbers));
        if (memory != null) {
            memories.set(node, memory);
        }
    }

    @Override
    public void happened() {
        for (int node = 0; node < nodes.size(); node++) {
            look(node, nodes.get(node));
        }
        for (int client = 0; client < clients.size(); client++) {
            look(clients.get(client), held.get(client));
        }
    }

    private void look(int index, SimulatedNode node) {
        Map<String, MemoryRedis.Entry> memory = node.redis().snapshot();
        if (memory == seen.get(index) && node.runId().equals(processes.get(index))) {
            return; // nothing is written
        }
        seen.set(index, memory);
        expire(index);
        boolean restarted = !node.runId().equals(processes.get(index));
        boolean isMarked = isMarked(node);
        boolean isEmptied =
                memories.get(index).last() > 0 && NodeMemory.of(node, lock).last() == 0;
        boolean flushed = !restarted && !isMarked && (marked.get(index) || isEmptied);
        if (flushed || restarted && !node.isDurable()) {
            addOfNode("restart", index, null, NodeMemory.of(node, lock));
        }
        if (isMarked && !marked.get(index)) {
            addOfNode("look", index, null, null, quarantineLeft(node));
        }
        processes.set(index, node.runId());
        marked.set(index, isMarked);
    }

    /** Returns whether a client has looked at the process that there is, since its memory was lost. */
    private static boolean isMarked(SimulatedNode node) {
        return NodeMemory.mark(node)
                .map(mark -> mark.process().runId().equals(node.runId()))
                .orElse(false);
    }

    private long quarantineLeft(SimulatedNode node) {
        long since = NodeMemory.mark(node).orElseThrow().sinceMicros();
        return Math.max(0, ModelTime.tick(node.clock.worldMoment(since + (long) quarantineMicros)) - now());
    }

    private void look(Client client, Map<String, Long> known) {
        LongFunction<Long> left = validUntil -> ModelTime.tick(client.time.worldMoment(validUntil));
        Map<String, Long> holds = new HashMap<>();
        for (HeldLock each : client.held()) {
            holds.merge(each.claim().owner().value(), LeaseBridge.validUntil(each), Math::max);
        }
        holds.forEach((owner, validUntil) -> {
            Trace.Attempt attempt = byOwner.get(owner);
            Long before = known.put(owner, validUntil);
            if (before == null) {
                attempt.got = true;
                add("get", attempt, left.apply(validUntil) - now(), now() - attempt.drawnAt);
            } else if (validUntil - before > 0) {
                add("extend", attempt, left.apply(validUntil) - now());
            }
        });
        Set<String> gone = known.keySet().stream()
                .filter(owner -> !holds.containsKey(owner))
                .collect(Collectors.toSet());
        gone.forEach(owner -> {
            known.remove(owner);
            end(byOwner.get(owner));
        });
    }

    /** A lease whose client has stood still is lost as it begins: no look of ours has seen it. */
    private void lostAtOnce(Trace.Attempt attempt) {
        if (!attempt.over && !attempt.got) {
            attempt.got = true;
            add("get", attempt, 0, now() - attempt.drawnAt);
        }
    }

    private void end(Trace.Attempt attempt) {
        if (!attempt.over) {
            attempt.over = true;
            add(attempt.got ? "end" : "giveUp", attempt);
        }
    }

    @Override
    public void preparing() {
        Trace.Attempt attempt = new Trace.Attempt(now());
        add("draw", attempt);
        drawn.put(world.current(), attempt);
    }

    @Override
    public void sent(Command command) {
        happened();
        if (command instanceof Command.OfClaim of) {
            Claim claim = of.claim();
            Trace.Attempt attempt = byOwner.get(claim.owner().value());
            if (of instanceof Command.Acquire) {
                attempt = drawn.remove(world.current());
                attempt.claim = claim;
                byOwner.put(claim.owner().value(), attempt);
                add("ask", attempt);
            } else if (of instanceof Command.Renew) {
                add("renew", attempt);
            } else {
                if (of instanceof Command.Release release && release.held()) {
                    lostAtOnce(attempt);
                }
                end(attempt);
            }
        }
    }

    @Override
    public void relied(Lease lease) {
        happened();
        Claim claim = SessionBridge.heldLock(lease).claim(); // two readers may have the same token
        Trace.Attempt attempt = byOwner.get(claim.owner().value());
        if (attempt.got) {
            add("rely", attempt);
        }
    }

    @Override
    public void ran(Command command, Answer answer) {
        int node = answer.node();
        expire(node);
        NodeMemory memory = NodeMemory.of(nodes.get(node), lock);
        boolean granted = answer.reply() instanceof Reply.Granted;
        if (granted || !memory.equals(memories.get(node))) {
            Trace.Attempt attempt = command instanceof Command.OfClaim of
                    ? byOwner.get(of.claim().owner().value())
                    : null;
            addOfNode(kind(command, granted), node, attempt, memory);
        }
    }

    private static String kind(Command command, boolean granted) {
        if (command instanceof Command.Release release) {
            return release.held() ? "runRelease" : release.tombstone() ? "runUndo" : "runUndoInOrder";
        }
        String kind = command instanceof Command.Acquire ? "runAcquire" : "runRenew";
        return granted ? kind : "changed by a refusal";
    }

    /** The key of a lock may have gone since the node has run anything. */
    private void expire(int index) {
        NodeMemory known = memories.get(index);
        if (!known.owner().isEmpty()
                && known.expiresMicros() <= nodes.get(index).clock.micros()) {
            addOfNode("expire", index, null, known.withoutOwner());
        }
    }
}
