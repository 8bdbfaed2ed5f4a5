/**
 * Where each voter is now, and connections to it.
 *
 * <p>{@link org.holdfast.redis.voter.VoterConnector} opens connections to voters by their number. A {@code Locator}
 * knows where a voter is: at a fixed address, or where a majority of its Sentinels says ({@code SentinelLocator}). Each
 * connection has the number of the term for which it was opened ({@link org.holdfast.protocol.term.Terms}): when the
 * voter has become another process, whatever comes on the connection counts for nothing.
 */
@NullMarked
package org.holdfast.redis.voter;

import org.jspecify.annotations.NullMarked;
