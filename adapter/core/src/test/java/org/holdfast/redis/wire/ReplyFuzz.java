// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.ByteArrayInputStream;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.RedisInputStream;

/** Opens the room's door a little for the fuzzer. */
public final class ReplyFuzz {

    private ReplyFuzz() {}

    /** Returns what the bytes say as a reply, or the exception that a caller is prepared for. */
    public static Object read(byte[] bytes) {
        try {
            return new ReplyReader(new RedisInputStream(new ByteArrayInputStream(bytes)), said -> said).read();
        } catch (JedisException e) {
            return e;
        }
    }
}
