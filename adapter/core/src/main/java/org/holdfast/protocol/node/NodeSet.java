// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import java.util.stream.LongStream;

/**
 * Some of the nodes.
 *
 * @param bits bit n stands for node n
 */
public record NodeSet(long bits) {

    /** All of up to five nodes: a lock needs several at each step. */
    private static final NodeSet[] SMALL =
            LongStream.range(0, 1 << 5).mapToObj(NodeSet::new).toArray(NodeSet[]::new);

    /** No node. */
    public static final NodeSet NONE = SMALL[0];

    private static NodeSet ofBits(long bits) {
        return bits >= 0 && bits < SMALL.length ? SMALL[(int) bits] : new NodeSet(bits);
    }

    /** Returns the first n nodes. */
    public static NodeSet first(int n) {
        return ofBits((1L << n) - 1);
    }

    /** Returns just this node. */
    public static NodeSet of(int node) {
        return ofBits(1L << node);
    }

    /** Returns these nodes and one more. */
    public NodeSet with(int node) {
        return ofBits(bits | 1L << node);
    }

    /** Returns these nodes and the others. */
    public NodeSet and(NodeSet others) {
        return ofBits(bits | others.bits);
    }

    /** Returns those of these nodes that are not among the others. */
    public NodeSet without(NodeSet others) {
        return ofBits(bits & ~others.bits);
    }

    /** Returns whether the node is one of these. */
    public boolean contains(int node) {
        return (bits >>> node & 1) != 0;
    }

    /** Returns the node with the smallest number; 64 if there is none. */
    public int smallest() {
        return Long.numberOfTrailingZeros(bits);
    }

    /** Returns how many they are. */
    public int size() {
        return Long.bitCount(bits);
    }

    /** Returns whether there is none. */
    public boolean isEmpty() {
        return bits == 0;
    }
}
