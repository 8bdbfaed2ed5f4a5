// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.exceptions.JedisException;

/** Opens the room's door a little for the fuzzer. */
public final class WitnessFuzz {

    private static final List<byte[]> ADDRESS = texts("127.0.0.1", "6379");
    private static final List<byte[]> DETAILS = texts("config-epoch", "1", "num-other-sentinels", "2", "runid", "");
    private static final byte[] SERVER = bytes("run_id:" + "a".repeat(40));

    private WitnessFuzz() {}

    private static List<byte[]> texts(String... all) {
        return Stream.of(all).map(WitnessFuzz::bytes).toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Understands what a Sentinel sent in the place of its answers. */
    public static void hear(Object raw) {
        List<?> parts = raw instanceof List<?> list ? list : List.of();
        try {
            SentinelReply.testimony("main", part(parts, 0, raw), part(parts, 1, raw), part(parts, 2, raw), raw, raw);
        } catch (JedisException e) {
            // what a caller is prepared for
        }
        try {
            SentinelReply.testimony(
                    "main", ADDRESS, DETAILS, SERVER, part(parts, 0, raw), part(parts, 1, raw)); // the rest is well
        } catch (JedisException e) {
            // what a caller is prepared for
        }
    }

    private static Object part(List<?> parts, int index, Object otherwise) {
        return index < parts.size() ? parts.get(index) : otherwise;
    }
}
