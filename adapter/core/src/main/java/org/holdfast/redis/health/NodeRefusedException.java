// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import redis.clients.jedis.exceptions.JedisException;

/** A node answers, and is not to be used. */
final class NodeRefusedException extends JedisException {

    private static final long serialVersionUID = 1L;

    private final long settlingNanos;

    NodeRefusedException(String reason) {
        this(reason, 0);
    }

    /** @param settlingNanos for how long that is so, where time alone ends it; else 0 */
    NodeRefusedException(String reason, long settlingNanos) {
        super(reason);
        this.settlingNanos = settlingNanos;
    }

    long settlingNanos() {
        return settlingNanos;
    }
}
