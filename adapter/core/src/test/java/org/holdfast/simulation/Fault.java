// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * What can go wrong in a world. A run has few kinds of it, so that each has its consequences undisturbed by the others.
 */
enum Fault {
    /** A node's process ends, and is back some time later. */
    CRASH(3),
    FLUSH(1),
    NODE_PAUSE(1),
    CLIENT_PAUSE(1),
    /** A client does not reach some nodes. */
    CUT_OFF(1),
    /** A node's clock is set: wrong, or right again if it was ahead. */
    CLOCK_STEP(2),
    /** A node's clock that was set back is set right again. */
    CLOCK_SET_RIGHT(1),
    /** A node's clock goes ahead and is back a moment later. */
    CLOCK_BLIP(1),
    /** A node's clock goes back and is right again a moment later. */
    CLOCK_DIP(1),
    /** A node's clock goes back by more than any lease lasts, and is right again a moment later. */
    CLOCK_DIVE(1),
    /**
     * A node's clock goes ahead in several steps, and is back after the last one. Meanwhile a client may lose its
     * connection to it, so that what it undoes arrives when the clock is back, and the node's memory may be full.
     */
    CLOCK_STAIRS(1),
    /** A node evicts some of its keys. */
    EVICTION(1),
    /** A node evicts some of the keys of a line in which clients wait, and not the others. */
    EVICTION_IN_LINE(1),
    /** A client's wall clock is set, to a time that is near enough. */
    WALL_STEP(2),
    /** A client's wall clock is wrong by far too much for a while. */
    WALL_FAR_OFF(1),
    /** A client's machine is suspended: its clock stands still meanwhile. */
    STANDSTILL(1),
    /** What a client sends takes long to leave it, and so does what it does before that. */
    SLOW_SENDING(2),
    /** A node answers with errors for a while. */
    ERRORS(1),
    /** A node has no memory left for a while. */
    FULL_MEMORY(1),
    /** An operator takes a lock away from its holders. */
    FORCED_RELEASE(1),
    /** A node is restarted and has nothing of what it had, unless its operator vouches that it loses nothing. */
    RESTART_EMPTY(0),
    /** A node is restarted and has all that it had. */
    RESTART_WHOLE(0),
    /** Another process takes the place of a node's. Only in worlds of its own, in which nodes have standbys. */
    FAILOVER(0),
    /** The same, and the standby has received all or nothing, and the former primary goes on for long. */
    FAILOVER_IN_FULL(0),
    /** As the first, after a while in which the process and the others do not hear each other in one direction. */
    FAILOVER_ONE_WAY(0),
    /**
     * The same as one of these, or the standby comes to the place of the primary; and the address of one of the
     * processes leads to the other one for some clients.
     */
    FAILOVER_ASTRAY(0),
    /**
     * All witnesses of a node are lost, and others begin with what it is, while no client reaches it. Before that it
     * has failed over and back, of which some clients have heard the first only, and it fails over again.
     */
    WITNESSES_LOST(0),
    /** The primary of a shard does not hear the others for a while, and some clients are on its side. */
    SHARD_ISOLATED(0),
    /** The same, and it takes a larger epoch meanwhile, as it does when a move of a slot to it ends. */
    SHARD_TAKES_EPOCH(0),
    /** The process of the primary of a shard ends, and is back some time later. */
    SHARD_CRASH(0),
    SHARD_PAUSE(0),
    /** An operator puts a replica in the place of its primary. */
    SHARD_REPLACED(0),
    /** An operator puts a replica in the place of a primary that is cut off, with some clients on either side. */
    SHARD_SUPPLANTED(0),
    /** The same while a client reaches no node, and back when it does again. */
    SHARD_THERE_AND_BACK(0),
    /** No node hears the primary of a shard, which hears them, perhaps all but its replica. */
    SHARD_UNHEARD(0),
    /** The primary of a shard hears no node, and they hear it. An operator puts a replica in its place. */
    SHARD_DEAF(0),
    /** The slot of the names moves to another shard, key by key. */
    SLOT_MOVED(0),
    /** The slot of the names comes to another shard, without what is left of its keys. */
    SLOT_TAKEN(0),
    /** The same as one of these, and back. */
    SLOT_THERE_AND_BACK(0),
    /** The slot of the names is another shard's for a moment, without its keys, while clients ask for locks. */
    SLOT_AWAY_UNSEEN(0),
    /** The move of the slot of the names is given up half way. */
    SLOT_GIVEN_UP(0),
    /** The same while a client does not reach the cluster. */
    SLOT_GIVEN_UP_UNSEEN(0),
    /** The slot in which a shard keeps what it knows of itself moves away, and perhaps back. */
    HOME_MOVED(0),
    /** The same, to a primary that gets the slot of the names right after it, without its keys. */
    HOME_MOVED_FIRST(0),
    /** As the first of these, but given up when only its list has gone; then as {@link #SLOT_AWAY_UNSEEN}. */
    SLOT_AWAY_UNLISTED(0),
    /** The primary ends in the middle of a move of the slot of the names, of which its replica knows nothing. */
    SLOT_SOURCE_CRASH(0),
    /** Some clients find another cluster at the addresses of this one. Only in worlds of its own. */
    ADDRESSES_OF_ANOTHER(0);

    private static final Set<Fault> OF_CLUSTERS = EnumSet.range(SHARD_ISOLATED, ADDRESSES_OF_ANOTHER);

    private final int weight;

    /** @param weight how often it is drawn, compared to others */
    Fault(int weight) {
        this.weight = weight;
    }

    /** Returns whether a node may forget a lock by it, or a lease end later than it should. */
    boolean isOfMemoryOrClocks() {
        return switch (this) {
            case CLIENT_PAUSE, CUT_OFF, NODE_PAUSE, WALL_STEP, WALL_FAR_OFF, SLOW_SENDING, ERRORS, FULL_MEMORY -> false;
            default -> true;
        };
    }

    /** Returns whether another process takes the place of a node's by it, which has a standby. */
    boolean isFailover() {
        return switch (this) {
            case FAILOVER, FAILOVER_IN_FULL, FAILOVER_ONE_WAY, FAILOVER_ASTRAY, WITNESSES_LOST -> true;
            default -> false;
        };
    }

    /** Returns whether it happens to clusters only. */
    boolean isOfClusters() {
        return OF_CLUSTERS.contains(this);
    }

    /** Returns whether any of these names is that of a fault of clusters. */
    static boolean isAnyOfClusters(String only) {
        return OF_CLUSTERS.stream().anyMatch(fault -> !only.isEmpty() && fault.takesPart(only));
    }

    private boolean takesPart(String only) {
        return only.isEmpty() || List.of(only.split(",")).contains(name());
    }

    /**
     * Draws the kinds that a run has: a few, or all. One that is listed twice happens twice as often.
     *
     * @param only names of the only kinds there are; empty for all of nodes that are no clusters and do not fail over
     */
    static List<Fault> drawKinds(Random random, String only) {
        List<Fault> all = new ArrayList<>();
        for (Fault fault : values()) {
            int weight = only.isEmpty() ? fault.weight : Math.max(1, fault.weight);
            for (int i = 0; i < weight && fault.takesPart(only); i++) {
                all.add(fault);
            }
        }
        if (random.nextInt(4) == 0) {
            return all;
        }
        List<Fault> few = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            few.add(all.get(random.nextInt(all.size())));
        }
        return few;
    }
}
