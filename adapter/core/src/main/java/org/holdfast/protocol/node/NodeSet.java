// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

/**
 * Some of the nodes.
 *
 * @param bits bit n stands for node n
 */
public record NodeSet(long bits) {

    /** No node. */
    public static final NodeSet NONE = new NodeSet(0);

    /** Returns the first n nodes. */
    public static NodeSet first(int n) {
        return new NodeSet((1L << n) - 1);
    }

    /** Returns just this node. */
    public static NodeSet of(int node) {
        return new NodeSet(1L << node);
    }

    /** Returns these nodes and one more. */
    public NodeSet with(int node) {
        return new NodeSet(bits | 1L << node);
    }

    /** Returns these nodes and the others. */
    public NodeSet and(NodeSet others) {
        return new NodeSet(bits | others.bits);
    }

    /** Returns those of these nodes that are not among the others. */
    public NodeSet without(NodeSet others) {
        return new NodeSet(bits & ~others.bits);
    }

    /** Returns whether the node is one of these. */
    public boolean contains(int node) {
        return (bits >>> node & 1) != 0;
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
