// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.holdfast.protocol.node.Command;

/**
 * A command as the words that a node receives: {@code EVAL}, the source of a script, how many keys there are, the keys,
 * and the arguments. For nodes that are not reached by Jedis.
 */
public final class ScriptWords {

    private ScriptWords() {}

    /**
     * Returns the words for a node whose clock is read by the caller itself.
     *
     * @param clockMillis what that clock shows
     */
    public static List<String> of(ScriptCodec codec, Command command, long clockMillis) {
        boolean shortens = command instanceof Command.Renew renewal && renewal.last();
        CallBytes call = new CallBytes();
        return of(
                shortens
                        ? codec.shortening((Command.Renew) command, clockMillis, false, call)
                        : codec.bySource(command, call));
    }

    static List<String> of(CallBytes call) {
        return call.words().stream()
                .map(word -> new String(word, StandardCharsets.UTF_8))
                .toList();
    }
}
