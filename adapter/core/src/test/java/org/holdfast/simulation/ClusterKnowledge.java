// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * What a node of a cluster knows of all of them: which one has which slots, in which epoch, whose replica each is, and
 * which have failed.
 */
final class ClusterKnowledge {

    private final int index;

    /** Which node has the slots of each part. */
    final int[] owners;

    /** Parts that their owner does not claim any more: whichever node claims them next has them. */
    final boolean[] unclaimed;

    final long[] epochs;

    /** Whose replica each one is; {@link ClusterMember#NONE} for a primary. */
    final int[] primaries;

    final boolean[] failed;
    final boolean[] suspected;

    /** The largest epoch that it has heard of. */
    long epoch;

    /** @param index which node knows it */
    ClusterKnowledge(int index, int members, int parts) {
        this.index = index;
        this.owners = new int[parts];
        this.unclaimed = new boolean[parts];
        this.epochs = new long[members];
        this.primaries = new int[members];
        this.failed = new boolean[members];
        this.suspected = new boolean[members];
    }

    /** All nodes know each other, and which node has which slots. */
    void begin(int[] owner, int[] primaryOf, long[] epochOf) {
        System.arraycopy(owner, 0, owners, 0, owners.length);
        System.arraycopy(primaryOf, 0, primaries, 0, primaries.length);
        System.arraycopy(epochOf, 0, epochs, 0, epochs.length);
        epoch = Arrays.stream(epochOf).max().orElseThrow();
    }

    int parts() {
        return owners.length;
    }

    int members() {
        return epochs.length;
    }

    /** Returns whether the node itself is one. */
    boolean isPrimary() {
        return primaries[index] == ClusterMember.NONE;
    }

    boolean has(int part) {
        return isPrimary() && owners[part] == index;
    }

    /** Returns which parts a node has. */
    BitSet partsOf(int member) {
        BitSet parts = new BitSet();
        IntStream.range(0, owners.length).filter(part -> owners[part] == member).forEach(parts::set);
        return parts;
    }

    boolean isVoter(int member) {
        return primaries[member] == ClusterMember.NONE && !partsOf(member).isEmpty();
    }

    int majority() {
        return (int) IntStream.range(0, epochs.length).filter(this::isVoter).count() / 2 + 1;
    }

    /** Returns whether it hears enough primaries for the cluster to be in order. */
    boolean isWell() {
        long all = IntStream.range(0, epochs.length).filter(this::isVoter).count();
        long reachable = IntStream.range(0, epochs.length)
                .filter(this::isVoter)
                .filter(member -> member == index || !failed[member] && !suspected[member])
                .count();
        return reachable >= all / 2 + 1;
    }

    /** Returns the largest epoch that any node has. */
    long largestEpoch() {
        return Math.max(epoch, Arrays.stream(epochs).max().orElseThrow());
    }

    /** Returns what a message of a node says. */
    ClusterMember.Header header(int member) {
        int owner = primaries[member] == ClusterMember.NONE ? member : primaries[member];
        BitSet suspects = new BitSet();
        IntStream.range(0, epochs.length)
                .filter(other -> suspected[other] || failed[other])
                .forEach(suspects::set);
        return new ClusterMember.Header(member, primaries[member], epoch, epochs[owner], partsOf(owner), suspects);
    }
}
