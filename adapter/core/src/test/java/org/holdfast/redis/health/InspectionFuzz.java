// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.util.Map;
import java.util.Optional;
import redis.clients.jedis.exceptions.JedisException;

/** Opens the room's door a little for the fuzzer. */
public final class InspectionFuzz {

    private InspectionFuzz() {}

    /** Understands what a node sent in the place of each answer to an inspection. */
    public static void inspect(Object raw) {
        attempt(() -> {
            Map<String, String> info = InspectionDecoder.info(raw);
            InspectionDecoder.facts(info, 1, InspectionDecoder.durabilityFault(info, raw, raw), Optional.empty());
        });
        attempt(() -> InspectionDecoder.micros(raw));
        attempt(() -> InspectionDecoder.sees(raw, "127.0.0.1:6379"));
        attempt(() -> InspectionDecoder.sees(raw, ":6379"));
    }

    private static void attempt(Runnable task) {
        try {
            task.run();
        } catch (JedisException e) {
            // what a caller is prepared for
        }
    }
}
