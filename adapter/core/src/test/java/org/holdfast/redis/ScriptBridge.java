// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.protocol.Answer;
import org.holdfast.protocol.Command;
import redis.clients.jedis.args.Rawable;

/** Opens the room's door a little for the simulation and the contract: what is sent, and how answers are understood. */
public final class ScriptBridge {

    private ScriptBridge() {}

    /** What a node gets: a script with its keys and arguments. */
    public record Call(String source, List<String> keys, List<String> arguments) {}

    /** @param memoryMicros how long a forgotten lock may last; 0 to trust the node's memory */
    public static Call call(Command command, String prefix, long memoryMicros) {
        List<String> words = new ArrayList<>();
        for (Rawable word : new ScriptCodec(prefix, memoryMicros).bySource(command)) {
            words.add(new String(word.getRaw(), StandardCharsets.UTF_8));
        }
        int keys = Integer.parseInt(words.get(2));
        return new Call(words.get(1), words.subList(3, 3 + keys), words.subList(3 + keys, words.size()));
    }

    /** What a node gets to set its birth mark. */
    public static Call mark(String prefix, String seen, long since, String rest) {
        return new Call(
                new String(LockScript.MARK.source(), StandardCharsets.UTF_8),
                List.of(new ScriptCodec(prefix, 1).markKey()),
                List.of(seen, Long.toString(since), rest));
    }

    public static String markKey(String prefix) {
        return new ScriptCodec(prefix, 1).markKey();
    }

    public static Answer answer(int node, Object raw) {
        return ScriptCodec.answer(node, raw);
    }
}
