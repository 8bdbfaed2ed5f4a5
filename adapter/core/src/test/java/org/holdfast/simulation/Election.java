// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.HashSet;
import java.util.Set;

/** How a replica comes to take the place of its primary: it asks for votes, and primaries give theirs once an epoch. */
final class Election {

    private final World world;
    private final SimulatedCluster cluster;
    private final ClusterMember member;
    private final ClusterKnowledge known;
    private final Set<Integer> votes = new HashSet<>();
    private long votedIn;
    private long beginsAt = Long.MAX_VALUE;

    /** In which epoch it has asked for votes; 0 if it has not. */
    private long askedIn;

    private boolean forced;

    Election(World world, SimulatedCluster cluster, ClusterMember member, ClusterKnowledge known) {
        this.world = world;
        this.cluster = cluster;
        this.member = member;
        this.known = known;
    }

    /** A replica asks for votes when its primary has failed, or when an operator says so. */
    void run() {
        if (known.isPrimary()
                || known.partsOf(member.primary()).isEmpty()
                || !known.failed[member.primary()] && !forced) {
            beginsAt = Long.MAX_VALUE;
            askedIn = 0;
            return;
        }
        if (beginsAt == Long.MAX_VALUE) {
            beginsAt = world.now() + (forced ? 0 : (long) ((1 + world.random.nextDouble()) * ClusterMember.CRON));
        }
        if (askedIn == 0 && world.now() >= beginsAt) {
            askedIn = ++known.epoch;
            votes.clear();
            ClusterMember.Header said = known.header(member.index);
            boolean force = forced;
            member.others().forEach(other -> member.send(other, to -> to.election.vote(said, force)));
        } else if (world.now() > beginsAt + 2 * cluster.nodeTimeout()) { // no node was elected
            end();
        }
    }

    /** An operator says so. */
    void force() {
        forced = true;
        beginsAt = Long.MAX_VALUE;
        askedIn = 0;
        run();
    }

    /** It is over: the node has been elected, or no node was. */
    void end() {
        forced = false;
        askedIn = 0;
        beginsAt = Long.MAX_VALUE;
    }

    private void vote(ClusterMember.Header said, boolean force) {
        known.epoch = Math.max(known.epoch, said.current());
        boolean entitled = known.isVoter(member.index)
                && said.current() >= known.epoch
                && votedIn < known.epoch
                && said.primary() != ClusterMember.NONE;
        boolean replaceable = known.primaries[said.from()] != ClusterMember.NONE
                && (known.failed[known.primaries[said.from()]] || force);
        boolean current = said.claims().stream()
                .allMatch(part -> known.owners[part] == ClusterMember.NONE
                        || known.unclaimed[part]
                        || known.epochs[known.owners[part]] <= said.epoch());
        if (entitled && replaceable && current) {
            votedIn = known.epoch;
            long in = known.epoch;
            member.send(said.from(), to -> to.election.count(member.index, in));
        }
    }

    private void count(int voter, long in) {
        if (known.isPrimary() || askedIn == 0 || in < askedIn || !known.isVoter(voter)) {
            return;
        }
        votes.add(voter);
        if (votes.size() >= known.majority()) {
            member.promote(askedIn);
        }
    }
}
