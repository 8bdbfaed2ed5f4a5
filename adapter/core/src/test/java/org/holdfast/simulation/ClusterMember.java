// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.holdfast.redis.address.HostPort;

/**
 * A node of a cluster: what the nodes tell each other in their messages, and what follows from that, as in Redis'
 * cluster.c, from which the order of all decisions here is. What is done to it comes from {@link SimulatedCluster}.
 */
final class ClusterMember {

    static final int NONE = -1;

    private static final long MILLI = 1_000_000L;

    /** How often it sends a message to each other one, and does what is due. */
    static final long CRON = 200 * MILLI;

    final int index;
    final String id;
    final HostPort place;
    final SimulatedNode process;
    final ClusterKnowledge known;
    final Election election;
    final SlotMoves moves;
    final MemberAnswers answers;
    private final SimulatedCluster cluster;
    private final World world;
    private final long[] failedAt;
    private final long[] heardAt;
    private final Map<Integer, Map<Integer, Long>> reports = new HashMap<>();
    private int incarnation;
    private long replicaSince = Long.MIN_VALUE / 2; // from the beginning

    /** Another one has taken its place, and it can write no more, see {@link SimulatedCluster#isDurable}. */
    private boolean fenced;

    /** What each message says of its sender, or of the primary of that. */
    record Header(int from, int primary, long current, long epoch, BitSet claims, BitSet suspects) {

        int owner() {
            return primary == NONE ? from : primary;
        }
    }

    ClusterMember(SimulatedCluster cluster, World world, int index, int members, int parts, SimulatedNode process) {
        this.cluster = cluster;
        this.world = world;
        this.index = index;
        this.process = process;
        this.id = String.format("%040x", world.random.nextInt(Integer.MAX_VALUE) * 16L + index);
        this.place = new HostPort("10.0.0.1", 1 + 100 * cluster.voter() + index);
        this.failedAt = new long[members];
        this.heardAt = new long[members];
        this.known = new ClusterKnowledge(index, members, parts);
        this.election = new Election(world, cluster, this, known);
        this.moves = new SlotMoves(known);
        this.answers = new MemberAnswers(cluster, this, known);
        process.join("member-" + index, answers::refusal, cluster::granted);
        world.after((long) (world.random.nextDouble() * CRON), this::cron);
    }

    int primary() {
        return known.primaries[index];
    }

    int owner(int part) {
        return known.owners[part];
    }

    long replicaSince() {
        return replicaSince;
    }

    /** Returns its epoch, as far as it knows. */
    long ownEpoch() {
        return known.epochs[index];
    }

    private void broadcast() {
        Header said = known.header(index);
        others().forEach(other -> send(other, to -> to.hear(said, false)));
    }

    IntStream others() {
        return IntStream.range(0, known.members()).filter(other -> other != index);
    }

    interface Message {
        void arrive(ClusterMember to);
    }

    void send(int to, Message message) {
        cluster.send(index, to, () -> message.arrive(cluster.member(to)));
    }

    /** What is due from time to time. */
    private void cron() {
        world.after(CRON, this::cron);
        if (!process.isUp() || process.readyAt() > world.now()) {
            return;
        }
        if (process.incarnation() != incarnation) { // it knows what it knew, and has heard of none since
            incarnation = process.incarnation();
            Arrays.fill(heardAt, world.now());
            Arrays.fill(known.suspected, false);
        }
        others().forEach(other -> {
            if (world.now() - heardAt[other] > cluster.nodeTimeout()) {
                known.suspected[other] = true;
                failIfAgreed(other);
            }
            Header said = known.header(index);
            send(other, to -> to.hear(said, true));
        });
        election.run();
    }

    /** @param asks whether it is to be answered */
    private void hear(Header said, boolean asks) {
        int from = said.from();
        known.epoch = Math.max(known.epoch, said.current());
        known.epochs[from] = Math.max(known.epochs[from], said.epoch());
        heardAt[from] = world.now();
        known.suspected[from] = false;
        learnRole(from, said.primary());
        unfail(from);
        if (said.primary() == NONE && !said.claims().equals(known.partsOf(from))) {
            take(from, said.epoch(), said.claims());
        }
        tellOfLargerEpochs(said);
        boolean collides = said.primary() == NONE && known.isPrimary() && !fenced && said.epoch() == ownEpoch();
        if (collides && id.compareTo(cluster.member(from).id) < 0) {
            known.epochs[index] = ++known.epoch;
        }
        listen(said);
        if (asks) {
            Header mine = known.header(index);
            send(from, to -> to.hear(mine, false));
        }
    }

    private void learnRole(int from, int primary) {
        if (primary != NONE && known.primaries[from] == NONE) {
            known.partsOf(from).stream().forEach(part -> known.owners[part] = NONE);
        }
        known.primaries[from] = primary;
    }

    /** A primary that is heard again after so long, and still has its slots, was not replaced, as far as it knows. */
    private void unfail(int member) {
        boolean replaced =
                known.primaries[member] != NONE || known.partsOf(member).isEmpty();
        boolean old = world.now() - failedAt[member] > 2 * cluster.nodeTimeout();
        if (known.failed[member] && (replaced || old)) {
            known.failed[member] = false;
        }
    }

    private void take(int sender, long senderEpoch, BitSet claims) {
        int current = known.isPrimary() ? index : known.primaries[index];
        boolean currentLost = false;
        BitSet dirty = new BitSet();
        for (int part = 0; part < known.parts(); part++) {
            if (!claims.get(part)) {
                known.unclaimed[part] |= known.owners[part] == sender && cluster.dropsClaims();
            } else if (known.owners[part] == sender) {
                known.unclaimed[part] = false;
            } else if (!moves.isImporting(part)
                    && (known.owners[part] == NONE
                            || known.unclaimed[part]
                            || known.epochs[known.owners[part]] < senderEpoch)) {
                dirty.set(part, known.owners[part] == index);
                currentLost |= known.owners[part] == current;
                known.owners[part] = sender;
                known.unclaimed[part] = false;
            }
        }
        dirty.stream().forEach(part -> {
            moves.endMigration(part);
            cluster.channels().lost(this, part);
        });
        if (currentLost && known.partsOf(current).isEmpty()) {
            follow(sender);
        } else {
            dirty.stream().forEach(part -> process.dropSlot(key -> cluster.parts.of(key) == part));
        }
    }

    private void follow(int primary) {
        replicaSince = world.now();
        known.primaries[index] = primary;
        moves.clear();
        process.role.becomeReplica();
        fenced = false;
    }

    /** Another node has these slots, by a larger epoch. */
    private void tellOfLargerEpochs(Header said) {
        said.claims().stream()
                .filter(part -> known.owners[part] != NONE
                        && known.owners[part] != said.owner()
                        && !known.unclaimed[part]
                        && known.epochs[known.owners[part]] > said.epoch())
                .map(part -> known.owners[part])
                .distinct()
                .forEach(owner -> {
                    long ownersEpoch = known.epochs[owner];
                    BitSet parts = known.partsOf(owner);
                    send(said.from(), to -> to.update(owner, ownersEpoch, parts));
                });
    }

    private void update(int owner, long ownersEpoch, BitSet parts) {
        if (owner != index && known.epochs[owner] < ownersEpoch) {
            known.primaries[owner] = NONE;
            known.epochs[owner] = ownersEpoch;
            take(owner, ownersEpoch, parts);
        }
    }

    private void listen(Header said) {
        if (!known.isVoter(said.from())) {
            return;
        }
        for (int member = 0; member < known.members(); member++) {
            Map<Integer, Long> of = reports.computeIfAbsent(member, any -> new HashMap<>());
            if (said.suspects().get(member)) {
                of.put(said.from(), world.now());
                failIfAgreed(member);
            } else {
                of.remove(said.from());
            }
        }
    }

    private void failIfAgreed(int member) {
        long count = reports.getOrDefault(member, Map.of()).values().stream()
                        .filter(at -> world.now() - at < 2 * cluster.nodeTimeout())
                        .count()
                + (known.isPrimary() ? 1 : 0);
        if (known.suspected[member] && !known.failed[member] && count >= known.majority()) {
            fail(member);
            if (known.isPrimary()) {
                others().forEach(other -> send(other, to -> to.fail(member)));
            }
        }
    }

    private void fail(int member) {
        if (member != index && !known.failed[member]) {
            known.failed[member] = true;
            failedAt[member] = world.now();
        }
    }

    void promote(long newEpoch) {
        int former = known.primaries[index];
        BitSet parts = known.partsOf(former);
        known.primaries[index] = NONE;
        known.epochs[index] = newEpoch;
        if (cluster.isDurable()) {
            cluster.member(former).fence(parts);
            known.epochs[index] = Math.max(newEpoch, cluster.member(former).ownEpoch() + 1);
            known.epoch = Math.max(known.epoch, ownEpoch());
        }
        election.end();
        parts.stream().forEach(part -> {
            known.owners[part] = index;
            known.unclaimed[part] = false;
        });
        process.role.promote(cluster.member(former).process);
        cluster.promoted(this);
        broadcast();
    }

    /** It can write no more. What it has besides is known where it was written. */
    private void fence(BitSet parts) {
        fenced = true;
        IntStream.range(0, known.parts()).filter(known::has).forEach(parts::set);
    }

    boolean isFenced() {
        return fenced;
    }

    /** An operator has it take the place of its primary, which may be well. */
    void failOver() {
        if (!known.isPrimary()) {
            election.force();
        }
    }

    /** An operator has it take the place of its primary without a vote. */
    void takeOver() {
        if (!known.isPrimary()) {
            known.epoch = known.largestEpoch() + 1;
            promote(known.epoch);
        }
    }

    /** An operator ends the move of a part, and says at this node which one has it now. */
    void assign(int part, int to) {
        if (!known.isPrimary()
                || fenced && to == index
                || known.has(part)
                        && to != index
                        && !process.keys(key -> cluster.parts.of(key) == part).isEmpty()) {
            return; // it refuses while it has keys, or can write no more
        }
        boolean imported = to == index && moves.isImporting(part);
        moves.setStable(part);
        if (to == index && !imported) {
            return; // excluded in writing
        }
        int before = known.owners[part];
        known.owners[part] = to;
        known.unclaimed[part] = false;
        if (imported) {
            raiseEpoch();
            cluster.imported(this, part, before);
            broadcast();
        } else if (before == index) {
            cluster.channels().lost(this, part);
            process.dropSlot(key -> cluster.parts.of(key) == part);
        }
    }

    /** It takes the next epoch without a vote, as when it has imported a slot, if its own is not the largest. */
    void raiseEpoch() {
        long largest = known.largestEpoch();
        if (known.epochs[index] != largest) {
            known.epoch = largest + 1;
            known.epochs[index] = known.epoch;
        }
    }

    @Override
    public String toString() {
        String role = known.isPrimary()
                ? "@" + ownEpoch() + " of parts " + known.partsOf(index)
                : " replica of " + known.primaries[index];
        return "member-" + index + role + ", owners " + Arrays.toString(known.owners);
    }
}
