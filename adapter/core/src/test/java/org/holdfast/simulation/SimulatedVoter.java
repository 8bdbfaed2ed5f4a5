// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.protocol.term.Witnesses;

/**
 * A node that fails over: a primary, a standby that replaces it, and the witnesses that say which of them is the voter.
 *
 * <p>The process that was replaced does not know that: it goes on, hangs, or dies. Witnesses learn of a failover one
 * after the other.
 */
final class SimulatedVoter {

    static final int WITNESSES = 3;

    private static final long MILLI = 1_000_000L;

    /** How long it takes at the most until the last witness has learned of a failover. */
    private static final long GOSSIP = 300 * MILLI;

    /** How often a witness asks the processes which they are. After a failover it does not know that before. */
    private static final long INFO_PERIOD = 1_000 * MILLI;

    /** How far a replica lags at the most. */
    private static final long LONGEST_LAG = 300 * MILLI;

    private final World world;
    private final Random random;

    /** By place. */
    private final List<SimulatedNode> processes;

    private final long unasked;

    /** When two witnesses knew of the present epoch: then the process that it names may be asked after a while. */
    private long namedAt = Long.MAX_VALUE;

    /** Which process was named in each epoch. */
    private final List<Integer> named = new ArrayList<>(List.of(0));

    /** The latest epoch of which each witness knows. */
    private final int[] known = new int[WITNESSES];

    /** The epoch with which the present witnesses have begun: they count from there. */
    private int firstEpoch;

    /** Which process each witness has found at each place, when it has asked there last; empty after a failover. */
    private final String[][] found = new String[WITNESSES][2];

    /** The witness that finds the other process at one of the places. */
    private int astray;

    private int astrayAt;
    private long astrayUntil;

    /** Until when each witness is cut off from the others. */
    private final long[] apartUntil = new long[WITNESSES];

    /** @param unasked for how long no client asks a process that was named, and so it grants nothing */
    SimulatedVoter(World world, SimulatedNode first, SimulatedNode standby, long unasked) {
        this.world = world;
        this.unasked = unasked;
        this.random = world.random;
        this.processes = new ArrayList<>(List.of(first, standby));
        for (int i = 0; i < WITNESSES; i++) {
            int witness = i;
            askProcesses(witness);
            world.after(INFO_PERIOD * i / WITNESSES, () -> askAgainAndAgain(witness));
        }
    }

    private void askAgainAndAgain(int witness) {
        askProcesses(witness);
        world.after(INFO_PERIOD, () -> askAgainAndAgain(witness));
    }

    private void askProcesses(int witness) {
        for (int place = 0; place < processes.size(); place++) {
            boolean misled = witness == astray && place == astrayAt && world.now() < astrayUntil;
            SimulatedNode process = processes.get(misled ? 1 - place : place);
            if (process.isUp() && process.readyAt() <= world.now()) {
                found[witness][place] = process.runId();
            }
        }
    }

    /** For a while a witness finds the other process at a place. */
    void leadAstray(int witness, int place, long until) {
        astray = witness;
        astrayAt = place;
        astrayUntil = until;
    }

    /** Returns the process at a place that a witness has named. */
    SimulatedNode at(String place) {
        return processes.get(Integer.parseInt(place));
    }

    /** Returns the process that a client finds there whose address book has it wrong. */
    SimulatedNode otherThanAt(String place) {
        return processes.get(1 - Integer.parseInt(place));
    }

    /** Returns what a witness says. */
    Witnesses.Testimony ask(int witness) {
        int epoch = known[witness];
        int place = named.get(epoch);
        return new Witnesses.Testimony(
                "witness-" + witness,
                Integer.toString(place),
                epoch - firstEpoch,
                WITNESSES,
                Set.of(),
                found[witness][place],
                Map.of(Integer.toString(1 - place), found[witness][1 - place]));
    }

    /**
     * The other process becomes the primary: with what it has received as a replica, or, if it was replaced and has not
     * heard of it, with what it has.
     *
     * @param most how long the former one goes on at the most before it learns that it was replaced
     */
    void failOver(long most) {
        int epoch = named.size();
        SimulatedNode former = primary();
        int next = 1 - named.get(epoch - 1);
        named.add(next);
        if (processes.get(next).role.isReplica() || random.nextBoolean()) {
            processes.get(next).role.promote(former, (long) (random.nextDouble() * LONGEST_LAG));
        } else if (namedAt < world.now() - unasked) {
            processes.get(next).haveMissed();
        }
        namedAt = Long.MAX_VALUE;
        tellWitnesses(epoch, most);
        switch (random.nextInt(4)) {
            case 0 -> former.crash((long) (random.nextDouble() * most));
            case 1 -> former.pause((long) (random.nextDouble() * most));
            default -> {} // it goes on
        }
        world.after((long) (random.nextDouble() * most), () -> demote(former));
    }

    /**
     * The other process becomes the primary, with all that the former one has at this moment, or with what it has
     * itself. The former one is not told, and goes on for those that ask it.
     */
    void failOverInFull() {
        int epoch = named.size();
        SimulatedNode former = primary();
        int next = 1 - named.get(epoch - 1);
        SimulatedNode standby = processes.get(next);
        named.add(next);
        if (standby.role.isReplica() || random.nextBoolean()) {
            standby.role.promote(
                    (random.nextBoolean() ? former : standby).redis().snapshot());
        } else if (namedAt < world.now() - unasked) {
            standby.haveMissed();
        }
        namedAt = Long.MAX_VALUE;
        tellWitnesses(epoch, GOSSIP);
    }

    /** Returns the processes, by place; they stay there in worlds that a model has. */
    List<SimulatedNode> processes() {
        return List.copyOf(processes);
    }

    /** Returns the present epoch. */
    int epoch() {
        return named.size() - 1;
    }

    /** Returns the latest epoch of which a witness knows. */
    int known(int witness) {
        return known[witness];
    }

    /**
     * What the primary says reaches neither the witnesses nor its standby any more, and what they say reaches it; or
     * the other way round. Either way witnesses have no answer from it. So they replace it after a while, by a standby
     * that has nothing of what was granted since, or all. The former one goes on until they hear each other again.
     *
     * @param silent after how long it is replaced
     * @param most how long it goes on after that at the most
     */
    void failOverOneWay(long silent, long most) {
        int epoch = named.size();
        SimulatedNode former = primary();
        int next = 1 - named.get(epoch - 1);
        if (!processes.get(next).role.isReplica()) {
            return; // it has not heard yet that it was replaced
        }
        boolean heard = random.nextBoolean();
        Map<String, MemoryRedis.Entry> received = former.redis().snapshot();
        world.after(silent, () -> {
            if (named.size() == epoch
                    && primary() == former
                    && former.isUp()) { // else another one is sooner, or it was restarted
                named.add(next);
                processes.get(next).role.promote(heard ? former.redis().snapshot() : received);
                namedAt = Long.MAX_VALUE;
                tellWitnesses(epoch, most);
                world.after(most, () -> demote(former));
            }
        });
    }

    /**
     * The standby comes to the place of the primary, in the same epoch: its machine has got the address. The former one
     * goes on for those that find it there all the same, and is started again before others find it.
     *
     * @param most how long it goes on at the most
     */
    void replaceInPlace(long most) {
        SimulatedNode former = primary();
        int place = named.get(named.size() - 1);
        SimulatedNode next = processes.get(1 - place);
        if (!next.role.isReplica()) {
            return; // it has not heard yet that it was replaced
        }
        processes.set(place, next);
        processes.set(1 - place, former);
        next.role.promote(former, (long) (random.nextDouble() * LONGEST_LAG));
        world.after((long) (random.nextDouble() * most), () -> former.restartEmpty(0));
    }

    /** All witnesses are lost. Others begin with the present primary, and know nothing of what was before. */
    void loseWitnesses() {
        firstEpoch = named.size() - 1;
        Arrays.fill(known, firstEpoch);
        Arrays.fill(apartUntil, 0);
        for (String[] places : found) {
            Arrays.fill(places, "");
        }
        namedAt = world.now();
    }

    private void demote(SimulatedNode former) {
        if (primary() != former) {
            former.role.becomeReplica();
        }
    }

    /** Returns the process that was named last. */
    SimulatedNode primary() {
        return processes.get(named.get(named.size() - 1));
    }

    /** One of them has led it. One may be cut off from the others, and not from clients: perhaps the one that led. */
    private void tellWitnesses(int epoch, long most) {
        if (random.nextBoolean()) {
            apartUntil[random.nextInt(WITNESSES)] = world.now() + (long) (random.nextDouble() * most);
        }
        int leader = random.nextInt(WITNESSES);
        learn(leader, epoch);
        for (int witness = 0; witness < WITNESSES; witness++) {
            if (witness != leader) {
                int told = witness;
                long together = Math.max(world.now(), Math.max(apartUntil[leader], apartUntil[witness]));
                world.at(together + (long) (random.nextDouble() * GOSSIP), () -> learn(told, epoch));
            }
        }
    }

    private void learn(int witness, int epoch) {
        if (epoch > known[witness]) {
            known[witness] = epoch;
            Arrays.fill(found[witness], "");
        }
        boolean present = epoch == named.size() - 1;
        if (present && Arrays.stream(known).filter(it -> it == epoch).count() == 2) {
            namedAt = world.now();
        }
    }
}
