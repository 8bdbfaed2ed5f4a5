/**
 * The algorithm: one attempt to acquire, to renew or to release a {@link org.holdfast.protocol.node.Claim} on a
 * majority of independent nodes.
 *
 * <p>Start at {@link org.holdfast.protocol.quorum.Redlock}. It follows the steps that <a
 * href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">the algorithm's page</a> gives, and
 * its own comment names the differences.
 *
 * <ul>
 *   <li>{@link org.holdfast.protocol.quorum.Tally} counts the answers of the nodes to one command. What follows from
 *       them is a {@link org.holdfast.protocol.quorum.QuorumResult} or a {@link
 *       org.holdfast.protocol.quorum.RenewalResult}.
 *   <li>{@link org.holdfast.protocol.quorum.TokenClock} proposes fencing tokens.
 *   <li>{@link org.holdfast.protocol.quorum.UnfinishedReleases} sends releases again to nodes that did not confirm
 *       them.
 *   <li>{@link org.holdfast.protocol.quorum.Timing} says for how long a claim is valid and an answer is waited for.
 * </ul>
 *
 * <p>Nothing here knows what this process holds, nor any caller that waits: that is decided in the rooms above. The
 * room knows {@code node} and {@code env}.
 */
@NullMarked
package org.holdfast.protocol.quorum;

import org.jspecify.annotations.NullMarked;
