// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.util.Optional;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.redis.address.FixedAddress;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/** Knows where a voter is now. Safe for use by any number of threads. */
sealed interface Locator extends AutoCloseable permits FixedLocator, SentinelLocator, ShardLocator, NowhereLocator {

    /**
     * Where a voter is.
     *
     * @param term which of the processes that the voter has been this is; 0 at a fixed address
     */
    record Place(FixedAddress address, int term) {}

    /**
     * Returns where the voter is. Asks if it is not known by now.
     *
     * @param deadline on the scale of {@link System#nanoTime()}
     * @throws JedisException if it cannot be learned
     */
    Place place(long deadline);

    /** Returns why an answer that comes now in a term does not count; null if it does. */
    @Nullable
    String whyOver(int term);

    /** Returns where the voter is, for messages about it; empty at a fixed address, and where it is not known. */
    String describePlace();

    /**
     * Returns what the guard has to know of a term; empty at a fixed address.
     *
     * @throws JedisException if the term is over
     */
    Optional<NodeFacts.Appointment> appointment(int term);

    /**
     * Requires that a process is the voter in a term, where its witnesses know processes.
     *
     * @throws JedisException if they know another one there, or the term is over
     */
    default void requireProcess(int term, String runId) {
        // most witnesses know places
    }

    /** Asks where the voter is. Blocks for a node timeout at the most. */
    void confirm();

    @Override
    void close();
}
