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
        boolean grants = raw instanceof Long clock && clock >= 1_000_000_000_000_000L
                || raw instanceof List<?> list
                        && list.size() == 3
                        && Long.valueOf(1).equals(list.get(0));
        if (granted && !grants) {
            throw new IllegalStateException("taken for a grant: " + raw);
        }
    }
}
