// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import redis.clients.jedis.exceptions.JedisException;

/** A node answers, and is not to be used. */
final class NodeRefusedException extends JedisException {

    private static final long serialVersionUID = 1L;

    NodeRefusedException(String reason) {
        super(reason);
    }
}
