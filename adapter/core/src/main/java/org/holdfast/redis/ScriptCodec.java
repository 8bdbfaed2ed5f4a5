// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.holdfast.protocol.Answer;
import org.holdfast.protocol.Command;
import org.holdfast.protocol.Reply;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;

/** Translates commands into script calls, and what scripts return into replies. */
final class ScriptCodec {

    /** The first of the three numbers that every script returns. */
    private static final long GRANTED = 1;

    private static final long HELD = 2;
    private static final long TOKEN_TOO_SMALL = 3;
    private static final long RELEASED = 4;
    private static final long GONE = 5;
    private static final long FORGOTTEN = 6;
    private static final long QUARANTINED = 7;

    private final String prefix;
    private final long memoryMicros;

    /**
     * @param prefix what every key begins with
     * @param memoryMicros how long a forgotten lock may last; 0 to trust the nodes' memory
     */
    ScriptCodec(String prefix, long memoryMicros) {
        this.prefix = prefix;
        this.memoryMicros = memoryMicros;
    }

    /** Returns the key of the birth mark. */
    String markKey() {
        return prefix + ":birth";
    }

    /** Returns the call by the script's SHA, which a node may not know. */
    CommandArguments bySha(Command command) {
        LockScript script = script(command);
        return arguments(command, new CommandArguments(Protocol.Command.EVALSHA).add(script.sha()));
    }

    /** Returns the call with the script's source, which makes it known too. */
    CommandArguments bySource(Command command) {
        LockScript script = script(command);
        return arguments(command, new CommandArguments(Protocol.Command.EVAL).add(script.source()));
    }

    /** Returns the call that makes the command's script known and changes nothing. */
    CommandArguments load(Command command) {
        return new CommandArguments(Protocol.Command.SCRIPT)
                .add(Protocol.Keyword.LOAD)
                .add(script(command).source());
    }

    private static LockScript script(Command command) {
        if (command instanceof Command.Acquire) {
            return LockScript.ACQUIRE;
        }
        return command instanceof Command.Renew ? LockScript.RENEW : LockScript.RELEASE;
    }

    private CommandArguments arguments(Command command, CommandArguments call) {
        // The braces are a hash tag: on a cluster all keys of a lock live in one slot.
        String base = base(command.lock());
        byte[] lock = bytes(base + "lock");
        byte[] fence = bytes(base + "fence");
        if (command instanceof Command.Take c) {
            if (memoryMicros > 0) {
                call.add(3).add(lock).add(fence).add(bytes(markKey()));
            } else {
                call.add(2).add(lock).add(fence); // the mark lives in another slot: a cluster would not let us ask
            }
            return call.add(bytes(c.owner().value()))
                    .add(c.token())
                    .add(c.ttlMillis())
                    .add(c.fenceMillis())
                    .add(memoryMicros);
        }
        Command.Release c = (Command.Release) command;
        return call.add(2)
                .add(lock)
                .add(fence)
                .add(bytes(c.owner().value()))
                .add(c.tombstone() ? c.token() + 1 : 0L)
                .add(c.fenceMillis())
                .add(bytes(channel(command.lock())));
    }

    private String base(String lock) {
        return prefix + ":{" + lock + "}:";
    }

    /** Returns the channel on which the release of a lock is published. */
    String channel(String lock) {
        return base(lock) + "released";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Understands what a script returned; whatever is not of the expected form is refused, never taken for a grant. */
    static Answer answer(int node, Object raw) {
        if (raw instanceof List<?> list
                && list.size() == 3
                && list.get(0) instanceof Long status
                && list.get(1) instanceof Long detail
                && list.get(2) instanceof Long nodeMicros) {
            Reply reply = reply(status, detail);
            if (reply != null) {
                return new Answer(node, reply, nodeMicros);
            }
        }
        return new Answer(node, new Reply.Refused("the node returned what no script of ours returns"), 0);
    }

    private static Reply reply(long status, long detail) {
        if (status == GRANTED) {
            return new Reply.Granted();
        }
        if (status == HELD) {
            return new Reply.Held(Math.max(0, detail));
        }
        if (status == TOKEN_TOO_SMALL) {
            return new Reply.TokenTooSmall(detail);
        }
        if (status == RELEASED) {
            return new Reply.Released();
        }
        if (status == GONE) {
            return new Reply.Gone();
        }
        if (status == FORGOTTEN) {
            return new Reply.Forgotten();
        }
        return status == QUARANTINED ? new Reply.Quarantined(Math.max(1, detail)) : null;
    }
}
