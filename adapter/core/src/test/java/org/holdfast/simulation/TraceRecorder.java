// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.holdfast.Lease;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;

/**
 * Records the steps of nodes and clients, in the words of the model, where one lock is all there is.
 *
 * <p>A step of a node is what changes its memory or grants something; that a node refuses is none.
 */
final class TraceRecorder implements Recording {

    private final World world;
    private final String lock;
    private final List<SimulatedNode> nodes;
    private final Modelled modelled;
    private final AttemptRecorder attempts;
    private final double quarantineMicros;
    private final List<NodeMemory> memories = new ArrayList<>();
    private final List<String> processes = new ArrayList<>();
    private final List<Boolean> marked = new ArrayList<>();
    private final List<Map<String, MemoryRedis.Entry>> seen = new ArrayList<>();
    private final List<Trace.Step> steps = new ArrayList<>();

    /** @param lock the only name that is locked */
    TraceRecorder(
            World world,
            Setting setting,
            String lock,
            List<SimulatedNode> nodes,
            List<Client> clients,
            Modelled modelled) {
        this.world = world;
        this.lock = lock;
        this.nodes = nodes;
        this.modelled = modelled;
        this.attempts = new AttemptRecorder(world, clients, this::add);
        this.quarantineMicros = setting.acceptedSettings().widest().quarantine().toNanos() / 1_000.0;
        for (SimulatedNode node : nodes) {
            memories.add(NodeMemory.of(node, lock));
            processes.add(node.runId());
            marked.add(isMarked(node));
            seen.add(node.redis().snapshot());
        }
    }

    @Override
    public String text(String name) {
        return new Trace(name, nodes.size(), modelled, steps).text();
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
        attempts.look();
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

    @Override
    public void preparing() {
        attempts.draw();
    }

    @Override
    public void sent(Command command) {
        happened();
        if (command instanceof Command.Acquire acquire) {
            add("ask", attempts.begin(acquire.claim()));
        } else if (command instanceof Command.Renew renewal) {
            add("renew", attempts.of(renewal.claim()));
        } else if (command instanceof Command.Release release) {
            attempts.released(release);
        }
    }

    @Override
    public void relied(Lease lease) {
        happened();
        attempts.rely(lease);
    }

    @Override
    public void ran(SimulatedNode process, Command command, Answer answer) {
        int node = answer.node();
        expire(node);
        NodeMemory memory = NodeMemory.of(process, lock);
        boolean granted = answer.reply() instanceof Reply.Granted;
        if (granted || !memory.equals(memories.get(node))) {
            Trace.Attempt attempt = command instanceof Command.OfClaim of ? attempts.of(of.claim()) : null;
            addOfNode(kind(command, granted), node, attempt, memory);
        }
    }

    static String kind(Command command, boolean granted) {
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
