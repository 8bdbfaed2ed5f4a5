// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.OptionalInt;
import java.util.OptionalLong;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.term.Terms;

/**
 * When a node that has become a shard may be used for the first time: when so many others have named it that no
 * majority is left for the one before it, and what that one has granted has expired.
 *
 * <p>Safe for use by any number of threads; one at a time tells it what was seen.
 */
public final class FirstUse {

    private final Terms terms;
    private final Time time;
    private volatile Named named = new Named(0, OptionalLong.empty(), 0);

    /**
     * By how many others the node is named.
     *
     * @param term in which it is the shard
     * @param since when enough of them have named it; nothing before that
     * @param needed how many are enough
     */
    private record Named(int term, OptionalLong since, int needed) {}

    FirstUse(Terms terms, Time time) {
        this.terms = terms;
        this.time = time;
    }

    /**
     * Takes whether enough other primaries name the node too, see {@link Assignment#isWitnessed}.
     *
     * @param needed how many are enough
     * @param watched whether this client has heard of the shard so lately that nothing was missed meanwhile
     */
    void witnessed(boolean enough, int needed, boolean watched) {
        int term = terms.current().map(Terms.Term::number).orElse(0);
        Named before = named;
        boolean known = watched && before.term() == term && before.since().isPresent();
        if (!known || before.needed() != needed) {
            OptionalLong since =
                    known ? before.since() : enough ? OptionalLong.of(time.nanoTime()) : OptionalLong.empty();
            named = new Named(term, since, needed);
        }
    }

    /** Returns how many other primaries must name the node before it is used; empty if they have. */
    public OptionalInt lacksWitnesses() {
        Named known = named;
        return known.since().isPresent() ? OptionalInt.empty() : OptionalInt.of(known.needed());
    }

    /** Returns for how much longer the node is not to be used, in nanoseconds. */
    public long unsettledNanos() {
        OptionalLong since = named.since();
        return since.isEmpty()
                ? terms.settlesNanos()
                : Math.max(0, since.getAsLong() + terms.settlesNanos() - time.nanoTime());
    }
}
