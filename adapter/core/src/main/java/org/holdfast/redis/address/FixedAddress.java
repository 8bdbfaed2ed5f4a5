// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import org.jspecify.annotations.Nullable;

/** Where one process is, whichever has that place. */
public sealed interface FixedAddress extends VoterAddress permits NodeAddress, UnixAddress {

    /** Returns the ACL user, or null for the default user. */
    @Nullable
    String user();

    /** Returns the index of the database. */
    int database();

    /** Returns the same node, whose writes are said to survive a restart and a failover. */
    FixedAddress asDurable();
}
