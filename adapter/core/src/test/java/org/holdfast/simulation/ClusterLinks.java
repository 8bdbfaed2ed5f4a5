// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;

/** The links between the nodes of a cluster: they keep order, and break, also in one direction. */
final class ClusterLinks {

    private static final long MILLI = 1_000_000L;

    private final World world;
    private final SimulatedCluster cluster;

    private final long[][] lastArrival = new long[SimulatedCluster.MEMBERS][SimulatedCluster.MEMBERS];
    private final int[] side = new int[SimulatedCluster.MEMBERS];
    private final long[] apartUntil = new long[SimulatedCluster.MEMBERS];

    /** Until when nothing that the one says reaches the other. */
    private final long[][] lostUntil = new long[SimulatedCluster.MEMBERS][SimulatedCluster.MEMBERS];

    ClusterLinks(World world, SimulatedCluster cluster) {
        this.world = world;
        this.cluster = cluster;
    }

    /** A message arrives, in the order of its link, unless the link is broken. */
    void send(int from, int to, Runnable arrival) {
        long delay = (long) ((1 + world.random.nextDouble() * 20) * MILLI);
        lastArrival[from][to] = Math.max(lastArrival[from][to], world.now() + delay);
        if (hears(to, from)) {
            world.at(lastArrival[from][to], () -> arrive(from, to, arrival));
        }
    }

    private void arrive(int from, int to, Runnable arrival) {
        SimulatedNode process = cluster.member(to).process;
        if (!process.isUp() || !hears(to, from)) {
            return;
        }
        if (process.readyAt() > world.now()) {
            world.at(process.readyAt(), () -> arrive(from, to, arrival));
        } else {
            arrival.run();
        }
    }

    /** Returns whether two nodes hear each other. */
    boolean isLinked(int one, int other) {
        return hears(one, other) && hears(other, one);
    }

    private boolean hears(int one, int other) {
        return side(one) == side(other) && world.now() >= lostUntil[other][one];
    }

    private int side(int member) {
        return world.now() < apartUntil[member] ? side[member] : 0;
    }

    /** These do not hear the others, nor the others them. */
    void separate(List<ClusterMember> some, long until) {
        int fresh = 1 + world.random.nextInt(Integer.MAX_VALUE - 1);
        some.forEach(member -> {
            side[member.index] = fresh;
            apartUntil[member.index] = until;
        });
    }

    /** Nothing that the one says reaches the other. What that says reaches the one. */
    void lose(ClusterMember from, ClusterMember to, long until) {
        lostUntil[from.index][to.index] = until;
    }
}
