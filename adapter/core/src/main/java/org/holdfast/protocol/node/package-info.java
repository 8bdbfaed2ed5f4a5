/**
 * The conversation with Redis nodes: what a node is asked, what it answers, and how the answers of several nodes
 * arrive.
 *
 * <ul>
 *   <li>{@link org.holdfast.protocol.node.Command} is a request to one node, {@link org.holdfast.protocol.node.Reply}
 *       its result, {@link org.holdfast.protocol.node.Answer} the result with the node and its clock.
 *   <li>{@link org.holdfast.protocol.node.Nodes} sends a command to a {@link org.holdfast.protocol.node.NodeSet}; the
 *       answers arrive in a {@link org.holdfast.protocol.node.Round}.
 *   <li>{@link org.holdfast.protocol.node.Target} is what a lock covers, {@link org.holdfast.protocol.node.Claim} one
 *       acquisition of it with its {@link org.holdfast.protocol.node.Owner} and its token, {@link
 *       org.holdfast.protocol.node.Ticket} a place in a fair queue.
 *   <li>{@link org.holdfast.protocol.node.HolderEntry} is a holder as a node reports it, {@link
 *       org.holdfast.protocol.node.HolderInfo} what stands in its owner for people to read.
 * </ul>
 *
 * <p>These are values and interfaces: the room decides nothing. It knows {@code env} only.
 */
@NullMarked
package org.holdfast.protocol.node;

import org.jspecify.annotations.NullMarked;
