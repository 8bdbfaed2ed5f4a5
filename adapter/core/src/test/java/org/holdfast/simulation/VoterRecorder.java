// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.holdfast.Lease;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.term.Witnesses;

/**
 * Records the steps of witnesses, processes and clients, in the words of {@code Voter.tla}, where one lock on one node
 * is all there is, and that node fails over.
 *
 * <p>Terms have the numbers that the model gives them: one more than the epoch. What a client calls a term is its own.
 */
final class VoterRecorder implements Recording {

    private final World world;
    private final String lock;
    private final SimulatedVoter voter;
    private final AttemptRecorder attempts;
    private final double quarantineMicros;
    private final long fresh;
    private final List<SimulatedNode> processes;
    private final Map<SimulatedNode, NodeMemory> memories = new HashMap<>();
    private final Map<SimulatedNode, Long> marks = new HashMap<>();
    private final Map<SimulatedNode, Map<String, MemoryRedis.Entry>> seen = new HashMap<>();
    private final Map<Places, VoterTrace.Inquiry> inquiries = new HashMap<>();
    private final int[] known = new int[SimulatedVoter.WITNESSES];
    private int promotions;
    private final List<VoterTrace.Step> steps = new ArrayList<>();

    /** @param lock the only name that is locked */
    VoterRecorder(World world, Setting setting, String lock, SimulatedVoter voter, List<Client> clients) {
        this.world = world;
        this.lock = lock;
        this.voter = voter;
        this.attempts = new AttemptRecorder(
                world,
                clients,
                (kind, attempt, numbers) ->
                        steps.add(new VoterTrace.OfAttempt(now(), kind, attempt, numbers.length > 0 ? numbers[0] : 0)));
        this.quarantineMicros = setting.acceptedSettings().widest().quarantine().toNanos() / 1_000.0;
        this.fresh = new ModelTime(setting, Modelled.VOTER.ttl()).fresh();
        this.processes = voter.processes();
        for (SimulatedNode process : processes) {
            memories.put(process, NodeMemory.of(process, lock));
            marks.put(process, termOfMark(process));
        }
    }

    @Override
    public String text(String name) {
        return new VoterTrace(name, steps, fresh).text();
    }

    private long now() {
        return ModelTime.tick(world.now());
    }

    private int number(SimulatedNode process) {
        return processes.indexOf(process) + 1;
    }

    @Override
    public void happened() {
        failOver();
        for (int witness = 0; witness < known.length; witness++) {
            int epoch = voter.known(witness);
            if (epoch > known[witness]) {
                known[witness] = epoch;
                steps.add(new VoterTrace.OfVoter(now(), "learn", witness + 1, epoch + 1));
            }
        }
        processes.forEach(this::look);
        attempts.look();
    }

    private void failOver() {
        if (voter.epoch() > promotions) {
            promotions++;
            SimulatedNode next = voter.primary();
            NodeMemory memory = NodeMemory.of(next, lock);
            memories.put(next, memory);
            marks.put(next, termOfMark(next)); // what it has received
            steps.add(new VoterTrace.OfProcess(now(), "promote", number(next), null, memory));
        }
    }

    private static long termOfMark(SimulatedNode process) {
        String promotion = NodeMemory.mark(process)
                .map(BirthMark::process)
                .map(BirthMark.Process::promotion)
                .orElse("@-1");
        return Long.parseLong(promotion.substring(promotion.indexOf('@') + 1)) + 1;
    }

    /** A client has looked at a process: it has another mark, and is in quarantine. */
    private void look(SimulatedNode process) {
        Map<String, MemoryRedis.Entry> memory = process.redis().snapshot();
        if (seen.put(process, memory) == memory) {
            return; // nothing is written
        }
        long term = termOfMark(process);
        if (marks.put(process, term) != term) {
            long since = NodeMemory.mark(process).orElseThrow().sinceMicros();
            long ends = ModelTime.tick(process.clock.worldMoment(since + (long) quarantineMicros));
            steps.add(new VoterTrace.OfVoter(now(), "look", number(process), term, Math.max(0, ends - now())));
        }
    }

    @Override
    public void inquired(Places places) {
        happened();
        VoterTrace.Inquiry inquiry = new VoterTrace.Inquiry(places);
        inquiries.put(places, inquiry);
        steps.add(new VoterTrace.OfInquiry(now(), "question", inquiry, 0));
    }

    @Override
    public void testified(Places places, int witness, Witnesses.Testimony said) {
        happened();
        VoterTrace.Inquiry inquiry = inquiries.get(places);
        VoterTrace.OfInquiry step = new VoterTrace.OfInquiry(now(), "hear", inquiry, witness + 1);
        inquiry.heard.add(new VoterTrace.Heard(step, said.place(), said.epoch()));
        steps.add(step);
    }

    @Override
    public void agreed(Places places, Witnesses.Agreement named) {
        happened();
        VoterTrace.Inquiry inquiry = inquiries.get(places);
        inquiry.named = named;
        steps.add(new VoterTrace.OfInquiry(now(), "agree", inquiry, named.epoch() + 1));
    }

    @Override
    public void preparing() {
        attempts.draw();
    }

    @Override
    public void sent(Command command) {
        happened();
        if (command instanceof Command.Acquire acquire) {
            attempts.begin(acquire.claim());
        } else if (command instanceof Command.Release release) {
            attempts.released(release);
        }
    }

    /** Only then is a process asked: it is looked at before, if that is due. */
    @Override
    public void left(Command command, Places places) {
        happened();
        if (command instanceof Command.OfClaim of) {
            Trace.Attempt attempt = attempts.of(of.claim());
            if (command instanceof Command.Acquire) {
                attempt.by = places;
                steps.add(new VoterTrace.OfAttempt(now(), "ask", attempt, 0));
            } else if (command instanceof Command.Renew) {
                steps.add(new VoterTrace.OfAttempt(now(), "renew", attempt, 0));
            }
        }
    }

    /** What comes after an attempt is over, or while an answer that was read is not yet used, changes nothing. */
    @Override
    public void read(Command command, Answer answer) {
        happened();
        if (command instanceof Command.OfClaim of && answer.reply() instanceof Reply.Granted) {
            Trace.Attempt attempt = attempts.of(of.claim());
            boolean needed = command instanceof Command.Renew ? attempt.got : !attempt.got;
            if (needed && !attempt.over) {
                steps.add(new VoterTrace.OfAttempt(now(), "read", attempt, 0));
            }
        }
    }

    @Override
    public void relied(Lease lease) {
        happened();
        attempts.rely(lease);
    }

    @Override
    public void ran(SimulatedNode process, Command command, Answer answer) {
        NodeMemory memory = NodeMemory.of(process, lock);
        NodeMemory before = memories.put(process, memory);
        boolean granted = answer.reply() instanceof Reply.Granted;
        boolean releases = command instanceof Command.Release
                && !before.owner().isEmpty()
                && memory.owner().isEmpty();
        if (command instanceof Command.OfClaim of && (granted || releases)) {
            String kind = TraceRecorder.kind(command, granted);
            steps.add(new VoterTrace.OfProcess(now(), kind, number(process), attempts.of(of.claim()), memory));
        }
    }
}
