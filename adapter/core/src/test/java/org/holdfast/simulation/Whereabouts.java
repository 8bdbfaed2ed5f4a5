// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.holdfast.protocol.guard.ClockMonitor;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.term.Succession;
import org.holdfast.protocol.term.Terms;
import org.holdfast.protocol.term.Witnesses;

/**
 * Where the nodes are, as far as one client knows: it asks the witnesses of those that fail over, as the real one asks
 * Sentinels, and the real {@link Terms} and {@link Witnesses} decide what that is worth.
 */
final class Whereabouts implements Places {

    /** A vote counts for so many node timeouts. The real one counts for 25 of them, which is as good. */
    private static final int COUNTS = 16;

    /** How often they are asked in that time. */
    private static final int QUESTIONS = 8;

    private final World world;
    private final Network network;
    private final SimulatedTime time;
    private final ClockMonitor clockMonitor;
    private final List<SimulatedNode> fixed;
    private final List<SimulatedVoter> voters;
    private final List<Terms> terms = new ArrayList<>();
    private final List<Succession> successions = new ArrayList<>();
    private final long nodeTimeout;
    private final long[] apartUntil;
    private final int[] heardWitnesses;
    private final long[] astrayUntil;
    private final int[] astrayAt;

    /** @param voters empty if no node fails over */
    Whereabouts(
            World world,
            Network network,
            SimulatedTime time,
            ClockMonitor clockMonitor,
            Setting setting,
            List<SimulatedNode> fixed,
            List<SimulatedVoter> voters) {
        this.world = world;
        this.network = network;
        this.time = time;
        this.clockMonitor = clockMonitor;
        this.fixed = fixed;
        this.voters = voters;
        Duration round = setting.timing().nodeTimeout();
        this.nodeTimeout = round.toNanos();
        Duration counts = counts(setting);
        this.apartUntil = new long[voters.size()];
        this.heardWitnesses = new int[voters.size()];
        this.astrayUntil = new long[voters.size()];
        this.astrayAt = new int[voters.size()];
        voters.forEach(voter -> {
            terms.add(new Terms(time, counts, round, setting.timing().driftFactor()));
            successions.add(new Succession());
        });
    }

    /** Returns how long a vote counts after a question. */
    static Duration counts(Setting setting) {
        return setting.timing().nodeTimeout().multipliedBy(COUNTS);
    }

    @Override
    public Optional<Place> of(int node) {
        if (voters.isEmpty()) {
            return Optional.of(new Place(fixed.get(node), 0));
        }
        return terms.get(node).counting().map(term -> new Place(found(node, term.place()), term.number()));
    }

    private SimulatedNode found(int node, String place) {
        boolean misled = world.now() < astrayUntil[node] && place.equals(Integer.toString(astrayAt[node]));
        return misled ? voters.get(node).otherThanAt(place) : voters.get(node).at(place);
    }

    @Override
    public boolean isVoter(int node, SimulatedNode process) {
        return voters.isEmpty()
                || terms.get(node)
                        .counting()
                        .filter(term -> term.process().equals(process.runId()))
                        .isPresent();
    }

    @Override
    public boolean counts(int node, int term) {
        return voters.isEmpty() || terms.get(node).count(term);
    }

    @Override
    public Optional<NodeFacts.Appointment> appointment(int node) {
        return voters.isEmpty()
                ? Optional.empty()
                : terms.get(node)
                        .counting()
                        .map(term -> new NodeFacts.Appointment(
                                term.number(),
                                term.epoch(),
                                terms.get(node).unsettledNanos(term),
                                NodeFacts.Namer.SENTINELS));
    }

    /** For a while the client hears only the first few witnesses of a node: it is beside the former primary. */
    void standApart(int node, int witnesses, long until) {
        heardWitnesses[node] = witnesses;
        apartUntil[node] = until;
    }

    /** For a while the client finds the other process at a place of a node. */
    void goAstray(int node, int place, long until) {
        astrayAt[node] = place;
        astrayUntil[node] = until;
    }

    /** Asks again and again. The calling thread does nothing else. */
    void askAgainAndAgain() {
        while (true) {
            world.waitUntil(world.now() + COUNTS * nodeTimeout / QUESTIONS);
            ask();
        }
    }

    /** Asks all witnesses, and waits for their answers for a node timeout at the most. */
    void ask() {
        world.observer().inquired(this);
        long askedAt = time.nanoTime();
        long wall = time.epochMicros();
        List<List<Witnesses.Testimony>> heard = new ArrayList<>();
        for (int node = 0; node < voters.size(); node++) {
            heard.add(new ArrayList<>());
            for (int witness = 0; witness < SimulatedVoter.WITNESSES; witness++) {
                ask(node, witness, heard.get(node));
            }
        }
        world.waitUntil(world.now() + Math.min(nodeTimeout, network.roundTrips()));
        for (int node = 0; node < voters.size(); node++) {
            weigh(node, heard.get(node), askedAt, wall);
        }
    }

    private void weigh(int node, List<Witnesses.Testimony> heard, long askedAt, long wall) {
        List<Witnesses.Testimony> own = successions.get(node).own(heard);
        Optional<Witnesses.Agreement> agreed = Witnesses.agree(SimulatedVoter.WITNESSES, own);
        agreed.ifPresent(named -> world.observer().agreed(this, named));
        agreed.ifPresent(named -> successions.get(node).agreed(named, own));
        if (agreed.isPresent() && terms.get(node).confirm(agreed.get(), askedAt, wall)) {
            Terms.Term term = terms.get(node).current().orElseThrow();
            if (term.again()) {
                clockMonitor.goesOn(node, term.number());
            } else {
                clockMonitor.begin(node, term.number());
            }
        }
    }

    private void ask(int node, int witness, List<Witnesses.Testimony> heard) {
        network.later(() -> {
            boolean reached = world.now() >= apartUntil[node] || witness < heardWitnesses[node];
            if (reached) {
                Witnesses.Testimony said = voters.get(node).ask(witness);
                world.observer().testified(this, witness, said);
                network.later(() -> heard.add(said));
            }
        });
    }
}
