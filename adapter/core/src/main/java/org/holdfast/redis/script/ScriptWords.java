// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.protocol.node.Command;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.args.Rawable;

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
        return of(shortens ? codec.shortening((Command.Renew) command, clockMillis, false) : codec.bySource(command));
    }

    static List<String> of(CommandArguments call) {
        List<String> words = new ArrayList<>();
        for (Rawable word : call) {
            words.add(new String(word.getRaw(), StandardCharsets.UTF_8));
        }
        return words;
    }
}
