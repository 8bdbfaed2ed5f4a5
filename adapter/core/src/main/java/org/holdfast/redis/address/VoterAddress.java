// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import org.jspecify.annotations.Nullable;

/**
 * Where one of the voters is: a fixed address, Sentinels that name one, or a cluster.
 *
 * <p>Its text has no user and no password. It stands for the voter in messages, whichever process that is.
 */
public sealed interface VoterAddress permits FixedAddress, SentinelAddress, ClusterAddress {

    /** Returns whether it may become another process. */
    default boolean isMoving() {
        return !(this instanceof FixedAddress);
    }

    /** Returns whether its connections are encrypted. */
    boolean tls();

    /** Returns whether the operator vouches that an acknowledged write survives a restart and a failover. */
    boolean durable();

    /** Returns the password that stands in the address, or null for none; never printed. */
    @Nullable
    String password();

    /** Returns the same voter, entered as another user. */
    VoterAddress as(@Nullable String user, @Nullable String password);
}
