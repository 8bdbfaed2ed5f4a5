/**
 * Decides which process a voter is that may become another one, after a failover.
 *
 * <p>Witnesses say so: Sentinels, or the primaries of a cluster. {@link org.holdfast.protocol.term.Witnesses} counts
 * what they say, {@link org.holdfast.protocol.term.WitnessGroup} and {@link org.holdfast.protocol.term.Succession} know
 * which of them are heard, and {@link org.holdfast.protocol.term.Terms} says whose votes count now.
 *
 * <p>Why this is so stands in the document {@code safety.md}. The room knows {@code node} and {@code env}.
 */
@NullMarked
package org.holdfast.protocol.term;

import org.jspecify.annotations.NullMarked;
