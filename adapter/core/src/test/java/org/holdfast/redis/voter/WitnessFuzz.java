// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
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
            SentinelReply.testimony("main", replies(parts, raw, 0));
        } catch (JedisException e) {
            // what a caller is prepared for
        }
        try {
            SentinelReply.testimony("main", replies(parts, raw, 3)); // the rest is well
        } catch (JedisException e) {
            // what a caller is prepared for
        }
    }

    /** @param well how many of the first ones are what a Sentinel answers */
    private static List<Object> replies(List<?> parts, Object raw, int well) {
        return Stream.concat(
                        Stream.of(ADDRESS, DETAILS, SERVER).limit(well),
                        IntStream.range(0, 6 - well).mapToObj(i -> i < parts.size() ? (Object) parts.get(i) : raw))
                .toList();
    }
}
