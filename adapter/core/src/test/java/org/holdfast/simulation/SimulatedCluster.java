// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.redis.address.ClusterAddress;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.cluster.ReplicationIds;
import org.holdfast.redis.cluster.SlotRecord;

/**
 * A voter that is a cluster: primaries that share the slots, a replica of each, a primary that has none yet, links
 * between them that break, and what operators do to it.
 *
 * <p>All names of a world are in one slot. That, and the one in which each primary keeps what it knows of itself, are
 * parts that are moved; what is left of the slots of each primary is a part that stays.
 */
final class SimulatedCluster {

    static final int PRIMARIES = 3;
    static final int MEMBERS = 2 * PRIMARIES + 1;

    /** A primary without slots, to which an operator may move some. */
    private static final int SPARE = 2 * PRIMARIES;

    private static final long MILLI = 1_000_000L;
    private static final long REPLICATION = 50 * MILLI;

    /** How far a replica lags at the most. */
    private static final long LONGEST_LAG = 300 * MILLI;

    final ClusterParts parts;
    final ClusterLinks links;
    private final World world;
    private final Random random;
    private final int voter;
    private final long nodeTimeout;
    private final boolean dropsClaims;
    private final boolean durable;
    private final List<ClusterMember> members = new ArrayList<>();
    private final ClusterChannels channels;
    private int winner;

    /** Another cluster, which clients are not to use; empty if there is none. */
    private Optional<SimulatedCluster> stranger = Optional.empty();

    /** Whether keys of names were moved since the move began. */
    private boolean lacksKeys;

    /** How the processes are made. */
    interface Processes {

        /** @param durable whether what one of them has answered survives, also when another takes its place */
        SimulatedNode build(boolean durable);
    }

    SimulatedCluster(World world, int voter, Setting setting, String name, Processes processes) {
        this.world = world;
        this.random = world.random;
        this.voter = voter;
        this.nodeTimeout = drawNodeTimeout();
        this.dropsClaims = random.nextBoolean(); // Redis 7.0 and later
        this.durable = random.nextInt(3) == 0;
        this.parts = new ClusterParts(world, name);
        this.links = new ClusterLinks(world, this);
        for (int member = 0; member < MEMBERS; member++) {
            SimulatedNode process = processes.build(durable);
            if (dropsClaims) {
                process.redis().beVersion7();
            }
            members.add(new ClusterMember(this, world, member, MEMBERS, parts.count(), process));
        }
        this.channels = new ClusterChannels(this);
        begin(setting);
        this.winner = owner().index;
        world.after(REPLICATION, this::replicate);
    }

    /** One that is long lets a primary that is cut off go on for as long as it is: Redis has 15 s if it is not set. */
    private long drawNodeTimeout() {
        return (random.nextInt(4) == 0 ? 15_000 : 600 + random.nextInt(900)) * MILLI;
    }

    /** Clients have used it for long. */
    private void begin(Setting setting) {
        int[] owners = parts.owners();
        int[] primaries = new int[MEMBERS];
        long[] epochs = new long[MEMBERS];
        int largest = random.nextInt(PRIMARIES);
        for (int member = 0; member < MEMBERS; member++) {
            boolean primary = member < PRIMARIES || member == SPARE;
            primaries[member] = primary ? ClusterMember.NONE : member - PRIMARIES;
            epochs[member] = member == SPARE ? 0 : 1 + (member + largest) % PRIMARIES;
        }
        members.forEach(member -> member.known.begin(owners, primaries, epochs));
        for (int i = 0; i < PRIMARIES; i++) {
            ClusterMember member = members.get(i);
            member.process.probes.haveBeenUsed(
                    setting.acceptedSettings(),
                    Optional.of(new NodeFacts.Appointment(1, 0, 0, NodeFacts.Namer.CLUSTER)),
                    parts.home(i));
            member.process.probes.haveUsedNoSlot(parts.home(i));
            member.process.probes.haveFoundItsHome(member.id, parts.home(i));
            member.process
                    .redis()
                    .set(
                            parts.home(i).own().slots(),
                            SlotRecord.none(member.id, member.process.role.dataSet())
                                    .next(
                                            epochs[i],
                                            ClusterParts.ofPrimary(i),
                                            new BitSet(),
                                            any -> SimulatedNode.BOOT_MICROS - 3_600_000_000L)
                                    .text());
            members.get(i + PRIMARIES)
                    .process
                    .role
                    .receive(member.process.redis().snapshot(), member.process.role.dataSet());
        }
    }

    /** There is another cluster, to which its addresses may come to lead. */
    void beBeside(SimulatedCluster other) {
        stranger = Optional.of(other);
    }

    Optional<SimulatedCluster> stranger() {
        return stranger;
    }

    int voter() {
        return voter;
    }

    long nodeTimeout() {
        return nodeTimeout;
    }

    /** Returns whether a slot that its owner does not claim any more goes to any node that does. */
    boolean dropsClaims() {
        return dropsClaims;
    }

    /**
     * Returns whether a write that was answered survives each failover. Then what a node writes is kept elsewhere too,
     * and one whose place was taken can write no more.
     */
    boolean isDurable() {
        return durable;
    }

    ClusterMember member(int index) {
        return members.get(index);
    }

    List<ClusterMember> members() {
        return members;
    }

    ClusterChannels channels() {
        return channels;
    }

    /** Returns the member at an address. */
    Optional<ClusterMember> at(HostPort place) {
        return members.stream().filter(member -> member.place.equals(place)).findFirst();
    }

    ClusterAddress address() {
        return new ClusterAddress(
                members.stream().limit(PRIMARIES).map(member -> member.place).toList(), false, null, null, durable);
    }

    /** Returns a part of one slot in which the owner of the names may keep what it knows of itself. */
    int home() {
        ClusterMember owner = owner();
        return IntStream.range(0, parts.count())
                .filter(part -> part != parts.named() && parts.slots(part).cardinality() == 1 && owner.known.has(part))
                .findFirst()
                .orElse(parts.named());
    }

    /** Returns the node that has the slot of all names, by the largest epoch. */
    ClusterMember owner() {
        return owner(parts.named());
    }

    ClusterMember owner(int part) {
        return members.stream()
                .filter(member -> member.known.has(part))
                .reduce((one, other) -> one.ownEpoch() >= other.ownEpoch() ? one : other)
                .orElse(members.get(winner));
    }

    /** A message arrives, unless the link is broken; what it says may change which node has the names. */
    void send(int from, int to, Runnable arrival) {
        links.send(from, to, () -> {
            arrival.run();
            noteWinner();
        });
    }

    private void replicate() {
        world.after(REPLICATION, this::replicate);
        noteWinner();
        for (ClusterMember replica : members) {
            if (!replica.known.isPrimary()) {
                ClusterMember primary = members.get(replica.primary());
                if (primary.known.isPrimary()
                        && primary.process.isUp()
                        && links.isLinked(primary.index, replica.index)) {
                    Map<String, MemoryRedis.Entry> memory =
                            primary.process.redis().snapshot();
                    ReplicationIds dataSet = primary.process.role.dataSet();
                    world.after(
                            (long) (random.nextDouble() * LONGEST_LAG),
                            () -> receive(replica, primary, memory, dataSet));
                }
            }
        }
    }

    private static void receive(
            ClusterMember replica,
            ClusterMember primary,
            Map<String, MemoryRedis.Entry> memory,
            ReplicationIds dataSet) {
        if (replica.primary() == primary.index && replica.process.isUp()) {
            replica.process.role.receive(memory, dataSet);
        }
    }

    /** A replica has been elected. */
    void promoted(ClusterMember elected) {
        if (elected.known.has(parts.named())) {
            if (lacksKeys) {
                elected.process.haveMissedSince(members.get(winner).process.countedAt());
            }
            winner = elected.index;
        }
    }

    /** A node has taken the slots of a part from another one, with those keys that it has by now. */
    void imported(ClusterMember taker, int part, int before) {
        boolean whole = part == parts.named()
                && before == winner
                && keys(members.get(before), part).isEmpty();
        if (whole) {
            winner = owner().index;
        }
        lacksKeys &= part != parts.named();
        noteWinner();
    }

    private List<String> keys(ClusterMember member, int part) {
        return member.process.keys(key -> parts.of(key) == part);
    }

    /** Which node has the names may change otherwise: it knows nothing of what another one has granted. */
    private void noteWinner() {
        ClusterMember now = owner();
        if (now.index != winner) {
            now.process.haveMissedSince(members.get(winner).process.countedAt());
            winner = now.index;
        }
    }

    /** A node has granted something that counts; perhaps another one has its names by now. */
    void granted() {
        noteWinner();
        members.stream()
                .filter(member -> member.index != winner && member.process.countedAt() == world.now())
                .forEach(former -> members.get(winner).process.haveMissedSince(world.now()));
    }

    /** An operator gives parts on which the primaries do not agree to one that did not have them before. */
    void repair() {
        for (int part = 0; part < parts.count(); part++) {
            int torn = part;
            ClusterMember claims = owner(part);
            List<ClusterMember> primaries =
                    members.stream().filter(one -> one.known.isPrimary()).toList();
            if (!claims.known.has(part) || primaries.stream().anyMatch(one -> one.owner(torn) != claims.index)) {
                primaries.stream()
                        .filter(one -> primaries.stream().noneMatch(other -> other.owner(torn) == one.index))
                        .findFirst()
                        .ifPresent(one -> {
                            one.moves.beginImport(torn, claims.index);
                            one.assign(torn, one.index);
                        });
            }
        }
    }

    /** An operator begins to move a part. */
    void beginMove(int part, ClusterMember from, ClusterMember to) {
        lacksKeys &= part != parts.named();
        to.moves.beginImport(part, from.index);
        from.moves.beginMigration(part, to.index);
    }

    /** An operator moves the keys of a part, some time apart, and does then what follows. */
    void moveKeys(int part, ClusterMember from, ClusterMember to, int most, Runnable then) {
        List<String> keys = keys(from, part);
        boolean possible = from.moves.isMigrating(part)
                && to.moves.isImporting(part)
                && from.known.has(part)
                && isUp(from)
                && isUp(to);
        if (!possible || keys.isEmpty() || most == 0) {
            then.run();
            return;
        }
        lacksKeys |= part == parts.named();
        from.process.migrate(keys.get(random.nextInt(keys.size())), to.process);
        world.after((long) (random.nextDouble() * 100 * MILLI), () -> moveKeys(part, from, to, most - 1, then));
    }

    /** A move was given up: what was moved away stays there, and the node of before does not have it. */
    void givenUp(ClusterMember from, int part) {
        if (part == parts.named() && from.known.has(part) && lacksKeys) {
            from.process.haveMissedSince(from.process.countedAt());
        }
    }

    private boolean isUp(ClusterMember member) {
        return member.process.isUp() && member.process.readyAt() <= world.now();
    }

    @Override
    public String toString() {
        return members.stream().map(ClusterMember::toString).collect(Collectors.joining(", ", "(", ")"));
    }
}
