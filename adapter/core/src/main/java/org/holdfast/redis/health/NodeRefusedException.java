// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.time.Duration;
import redis.clients.jedis.exceptions.JedisException;

/** A node answers, and is not to be used. */
public final class NodeRefusedException extends JedisException {

    private static final long serialVersionUID = 1L;

    private final Duration left;
    private final boolean settling;

    NodeRefusedException(String reason) {
        this(reason, Duration.ZERO);
    }

    /** @param left for how long, if that ends by itself; else zero */
    NodeRefusedException(String reason, Duration left) {
        this(reason, left, false);
    }

    private NodeRefusedException(String reason, Duration left, boolean settling) {
        super(reason);
        this.left = left;
        this.settling = settling;
    }

    /** @param left for how long a voter that has moved is not to be used; zero if the reason is another one */
    static NodeRefusedException settling(String reason, Duration left) {
        return new NodeRefusedException(reason, left, !left.isZero());
    }

    /** @param reason why the processes that take locks have to begin its quarantine */
    static NodeRefusedException unused(String reason) {
        return new NodeRefusedException("no process that takes locks has looked at it since then: " + reason);
    }

    /** Returns for how much longer it is not to be used, if that ends by itself; else zero. */
    public Duration left() {
        return left;
    }

    /** Returns for how much longer a voter that has moved is not to be used; 0 if the reason is another one. */
    long settlingNanos() {
        return settling ? left.toNanos() : 0;
    }
}
