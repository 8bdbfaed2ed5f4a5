// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Cuts the primary of a shard off from the others, in one direction or in both, with clients on either side. */
final class ClusterCuts {

    private static final long MILLI = 1_000_000L;

    private final World world;
    private final Random random;
    private final List<Client> clients;

    ClusterCuts(World world, List<Client> clients) {
        this.world = world;
        this.random = world.random;
        this.clients = clients;
    }

    private long upTo(long most) {
        return (long) (random.nextDouble() * most);
    }

    /** It is cut off from the others, perhaps with another one, and so are clients: from either side, or neither. */
    void isolate(SimulatedCluster cluster, ClusterMember owner, long nanos) {
        List<ClusterMember> apart = new ArrayList<>(List.of(owner));
        if (random.nextInt(4) == 0) {
            apart.add(cluster.member(random.nextInt(SimulatedCluster.MEMBERS)));
        }
        long until = world.now() + nanos;
        cluster.links.separate(apart, until);
        divide(cluster, apart, nanos);
    }

    /** Clients reach none of those apart, or none of the others, perhaps not for so long; or all. */
    private void divide(SimulatedCluster cluster, List<ClusterMember> apart, long nanos) {
        long until = world.now() + nanos;
        for (Client client : clients) {
            int beside = random.nextInt(3);
            if (beside < 2) {
                hide(client, cluster, apart, beside == 0, random.nextBoolean() ? until : world.now() + upTo(nanos));
            }
        }
    }

    /**
     * It is cut off, alone or beside another primary, and its replica takes its place, without a vote if need be.
     * Clients are on either side.
     */
    void supplant(SimulatedCluster cluster, ClusterMember owner, long nanos) {
        List<ClusterMember> apart = new ArrayList<>(List.of(owner));
        boolean beside = random.nextBoolean();
        if (beside) {
            ClusterMember other = another(cluster, owner);
            apart.add(other);
            replica(cluster, other).ifPresent(apart::add); // a second node that gets its first slots is excluded
        }
        long until = world.now() + nanos;
        cluster.links.separate(apart, until);
        for (Client client : clients) {
            hide(client, cluster, apart, random.nextBoolean(), until);
        }
        world.after(upTo(500 * MILLI), () -> replica(cluster, owner)
                .ifPresent(beside || random.nextBoolean() ? ClusterMember::takeOver : ClusterMember::failOver));
    }

    /**
     * What it says reaches none of the others, and what they say reaches it: it takes itself for well, and goes on
     * until it hears of the replica in its place. Often it hears nothing of that. The others elect it if it does not
     * take longer than the cut, unless an operator is sooner.
     */
    void silence(SimulatedCluster cluster, ClusterMember owner, long nanos) {
        long until = world.now() + nanos;
        others(cluster, owner).forEach(other -> cluster.links.lose(owner, other, until));
        if (random.nextInt(4) > 0) {
            replica(cluster, owner).ifPresent(replica -> cluster.links.lose(replica, owner, until));
        }
        divide(cluster, List.of(owner), nanos);
        if (random.nextBoolean()) {
            replaceSoon(cluster, owner);
        }
    }

    /**
     * What the others say does not reach it, and what it says reaches them: they find nothing wrong, and it goes on
     * until it has heard none of them for the node timeout. An operator has its replica elected, or puts it there.
     */
    void deafen(SimulatedCluster cluster, ClusterMember owner, long nanos) {
        long until = world.now() + nanos;
        others(cluster, owner).forEach(other -> cluster.links.lose(other, owner, until));
        divide(cluster, List.of(owner), nanos);
        replaceSoon(cluster, owner);
    }

    private void replaceSoon(SimulatedCluster cluster, ClusterMember owner) {
        boolean byVote = random.nextBoolean();
        world.after(upTo(2_000 * MILLI), () -> replica(cluster, owner)
                .ifPresent(byVote ? ClusterMember::failOver : ClusterMember::takeOver));
    }

    private static List<ClusterMember> others(SimulatedCluster cluster, ClusterMember owner) {
        return cluster.members().stream().filter(member -> member != owner).toList();
    }

    /** A client reaches none of those apart, or none of the others. */
    void hide(Client client, SimulatedCluster cluster, List<ClusterMember> apart, boolean those, long until) {
        Set<SimulatedNode> hidden = new HashSet<>();
        cluster.members().stream()
                .filter(member -> apart.contains(member) == those)
                .forEach(member -> hidden.add(member.process));
        client.reach.hide(hidden, until);
    }

    /** Only looks show that a primary was a replica for a shorter time: this is excluded in writing. */
    Optional<ClusterMember> replica(SimulatedCluster cluster, ClusterMember owner) {
        return cluster.members().stream()
                .filter(member -> !member.known.isPrimary() && member.primary() == owner.index && member.process.isUp())
                .filter(member -> world.now() - member.replicaSince() > ClusterTrouble.LOOKS)
                .findFirst();
    }

    ClusterMember another(SimulatedCluster cluster, ClusterMember owner) {
        List<ClusterMember> others = cluster.members().stream()
                .filter(member -> member != owner && member.known.isPrimary())
                .toList();
        return others.get(random.nextInt(others.size()));
    }
}
