// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.util.List;
import redis.clients.jedis.exceptions.JedisException;

/** Opens the room's door a little for the fuzzer. */
public final class WitnessFuzz {

    private WitnessFuzz() {}

    /** Understands what a Sentinel sent in the place of its answers. */
    public static void hear(Object raw) {
        List<?> parts = raw instanceof List<?> list ? list : List.of();
        try {
            SentinelReply.testimony(
                    "main", raw, parts.isEmpty() ? raw : parts.get(0), parts.size() < 2 ? raw : parts.get(1));
        } catch (JedisException e) {
            // what a caller is prepared for
        }
        if (parts.size() == 3) {
            try {
                SentinelReply.testimony("main", parts.get(0), parts.get(1), parts.get(2));
            } catch (JedisException e) {
                // what a caller is prepared for
            }
        }
    }
}
