// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.time.Duration;
import redis.clients.jedis.exceptions.JedisException;

/** A node answers, and is not to be used. */
public final class NodeRefusedException extends JedisException {

    private static final long serialVersionUID = 1L;

    private final Duration left;

    NodeRefusedException(String reason) {
        this(reason, Duration.ZERO);
    }

    /** @param left for how long, if that ends by itself; else zero */
    NodeRefusedException(String reason, Duration left) {
        super(reason);
        this.left = left;
    }

    /** Returns for how much longer it is not to be used, if that ends by itself; else zero. */
    public Duration left() {
        return left;
    }
}
