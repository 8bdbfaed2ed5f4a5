// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.util.List;
import org.holdfast.protocol.node.Reply;

/** Opens the room's door a little for the fuzzer. */
public final class DecoderFuzz {

    private DecoderFuzz() {}

    /** Understands what a node sent as the reply of a script. */
    public static void decode(Object raw) {
        boolean granted = ReplyDecoder.answer(0, raw).reply() instanceof Reply.Granted;
        boolean grants = isClock(raw) || raw instanceof List<?> list && isGrant(list);
        if (granted && !grants) {
            throw new IllegalStateException("taken for a grant: " + raw);
        }
    }

    /** As granted.lua and granted_in_turn.lua return it. */
    private static boolean isGrant(List<?> list) {
        return list.size() >= 3
                && Long.valueOf(1).equals(list.get(0))
                && Long.valueOf(0).equals(list.get(1))
                && isClock(list.get(2))
                && (list.size() == 3 || list.size() == 4 && list.get(3) instanceof List<?> numbers && ascend(numbers));
    }

    private static boolean isClock(Object raw) {
        return raw instanceof Long clock && clock >= 1_000_000_000_000_000L;
    }

    private static boolean ascend(List<?> numbers) {
        long last = 0;
        for (Object each : numbers) {
            if (!(each instanceof Long number) || number <= last) {
                return false;
            }
            last = number;
        }
        return numbers.size() <= 15;
    }
}
