// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.util.List;
import java.util.Optional;
import org.holdfast.protocol.node.Command;
import org.holdfast.redis.cluster.Shard;
import org.jspecify.annotations.Nullable;

/** Translates commands into script calls. {@link ReplyDecoder} understands what the scripts return. */
public final class ScriptCodec {

    /** The caller knows nothing of the node's clock. */
    private static final CallWriter.Clock UNKNOWN = new CallWriter.Clock(0, 0);

    private final String prefix;
    private final NodeKeys keys;
    private final long lingerMicros;

    private final CallWriter writer;
    private final ShortCalls shortCalls;

    /** What is asked, if that is a shard of a cluster. */
    private final Optional<Shard> shard;

    /** Whether an open connection may lead to another process than before. Stays once it is set. */
    private volatile boolean behindProxy;

    /**
     * @param prefix what every key begins with
     * @param lingerMicros how much longer than its lease a lock's key lasts; 0 to trust the nodes' memory
     */
    public ScriptCodec(String prefix, long lingerMicros) {
        this(prefix, lingerMicros, Optional.empty());
    }

    /** Returns the same for a shard of a cluster. */
    public ScriptCodec of(Optional<Shard> asked) {
        return new ScriptCodec(prefix, lingerMicros, asked);
    }

    private ScriptCodec(String prefix, long lingerMicros, Optional<Shard> shard) {
        this.shard = shard;
        this.prefix = prefix;
        this.keys = new NodeKeys(prefix, shard);
        this.lingerMicros = lingerMicros;
        this.writer = new CallWriter(keys, lingerMicros);
        this.shortCalls = new ShortCalls(keys, lingerMicros);
    }

    /**
     * From now on scripts ask which process runs them.
     *
     * @return whether they did not before
     */
    public boolean askWhichProcess() {
        boolean news = !behindProxy;
        behindProxy = true;
        return news;
    }

    /** Returns what keys on the node are called. */
    public NodeKeys keys() {
        return keys;
    }

    /**
     * Returns why the node is not to be sent a command yet, which relies on what it remembers; null if it is. A release
     * and a look do not.
     */
    public @Nullable String whyNotYet(Command command) {
        LockScript.Prelude prelude = script(command).prelude();
        if (prelude == null || !prelude.hasMark()) {
            return null;
        }
        String name = CommandName.of(command);
        if (sinceMicros(keys.own(), command) == Long.MAX_VALUE) {
            return "it is not known since when it has the slot of " + name;
        }
        if (!(command instanceof Command.Acquire) || shard.isEmpty()) {
            return null;
        }
        if (!shard.get().isHomeShared()) {
            return "other clients may know more of it than is noted where this client looks: that is found out at the next"
                    + " looks, one each second";
        }
        return shard.get().mayLackKeys(keys.slot(name)) ? lacking(name) : null;
    }

    /**
     * Returns why an answer that comes now is no vote, as the slot is by now; null if it is one.
     *
     * @param sentAt when the command was sent
     */
    public @Nullable String whyNoVote(Command command, long sentAt) {
        String name = CommandName.of(command);
        boolean lacks = command instanceof Command.Acquire
                && shard.filter(it -> it.mayLackKeysSince(keys.slot(name), sentAt))
                        .isPresent();
        return lacks ? lacking(name) : null;
    }

    private static String lacking(String name) {
        return "the slot of " + name + " is being moved away, or was until now, or its node has not answered the last"
                + " looks, one each second, as far as is known here";
    }

    private long sinceMicros(NodeKeys.OwnKeys own, Command command) {
        int slot = keys.slot(CommandName.of(command));
        return shard.map(it -> it.sinceMicros(own.tag().orElse(""), slot)).orElse(0L);
    }

    /**
     * Writes the usual call: by the script's SHA if it is known, which a node may have forgotten. When a ticket is
     * removed, or an attempt is undone without a tombstone, no caller waits for the reply that says so: these calls
     * always have the source.
     *
     * @param call to write it to, which is returned; likewise in the other methods
     */
    public CallBytes usual(Command command, boolean known, CallBytes call) {
        boolean undoes = command instanceof Command.Release release && !release.tombstone();
        boolean bySha = known && !undoes && !(command instanceof Command.Leave);
        return write(command, UNKNOWN, bySha, call);
    }

    /**
     * Writes the call by a caller that vouches for the node's clock.
     *
     * @param vouchedMillis leases that ended until then have ended, in milliseconds by that clock
     * @param known whether the node knows the script, as far as is known here
     */
    public CallBytes vouching(Command command, long vouchedMillis, boolean known, CallBytes call) {
        return write(command, new CallWriter.Clock(vouchedMillis, vouchedMillis), known, call);
    }

    private static CallBytes begin(ScriptText text, boolean known, CallBytes call) {
        call.begin();
        return known ? call.add("EVALSHA").add(text.sha()) : call.add("EVAL").add(text.source());
    }

    /**
     * Writes the call by which a lease may end earlier than so far.
     *
     * @param known whether the node knows the script, as far as is known here
     * @param earliestMillis the earliest moment that the node's clock shows if it is not behind: it changes nothing
     *     if it is; 0 if that is not known
     */
    public CallBytes shortening(Command.Renew command, long earliestMillis, boolean known, CallBytes call) {
        return write(command, new CallWriter.Clock(0, earliestMillis), known, call);
    }

    /**
     * Returns the script that renews several leases, of one name each.
     *
     * <p>Only where the node is no shard of a cluster: the keys of a script have to be in one slot there.
     */
    public LockScript renewingMany() {
        return behindProxy ? LockScript.RENEW_MANY.behindProxy() : LockScript.RENEW_MANY;
    }

    /** Writes the call by which several leases are renewed, by the script's SHA if that is known. */
    public CallBytes renewals(List<Command.Renew> commands, boolean known, CallBytes call) {
        return writer.renewals(commands, begin(renewingMany().text(), known, call));
    }

    /** Returns whether it speaks to a shard of a cluster. */
    public boolean isOfShard() {
        return shard.isPresent();
    }

    /** Writes the call with the script's source, which makes it known too. */
    public CallBytes bySource(Command command, CallBytes call) {
        return write(command, UNKNOWN, false, call);
    }

    /**
     * Adds to a call for one connection: a script that asks which process runs it compares that with the one which the
     * client has seen there.
     *
     * @param process run id; empty if the client has not looked
     */
    public CallBytes seenAs(String process, Command command, CallBytes call) {
        return call.isComplete() || !script(command).comparesProcess() ? call : call.add(process);
    }

    /** Returns what a node said of an error in the command's script, with the line in which it came. */
    public String explain(Command command, String error) {
        return script(command).explain(error);
    }

    /** Returns the script that carries out the command. */
    public LockScript script(Command command) {
        LockScript usual = usualScript(command);
        if (shard.isEmpty() && !behindProxy && CallWriter.mayBeShort(command)) {
            return usual.shortened();
        }
        LockScript script = shard.isPresent() ? usual.inShard() : usual;
        return behindProxy ? script.behindProxy() : script;
    }

    private static LockScript usualScript(Command command) {
        if (command instanceof Command.Acquire c) {
            return ShapeCodec.of(c.claim().target()).acquire(c.queueing().isPresent());
        }
        if (command instanceof Command.Renew c) {
            return ShapeCodec.of(c.claim().target()).renew();
        }
        if (command instanceof Command.Release c) {
            return ShapeCodec.of(c.claim().target()).release();
        }
        if (command instanceof Command.FindPermit) {
            return LockScript.FIND_PERMIT;
        }
        if (command instanceof Command.UseLatch) {
            return LockScript.USE_LATCH;
        }
        if (command instanceof Command.Inspect) {
            return LockScript.INSPECT;
        }
        if (command instanceof Command.ForceRelease) {
            return LockScript.FORCE_RELEASE;
        }
        return command instanceof Command.Refresh ? LockScript.REFRESH : LockScript.LEAVE;
    }

    /** Decides on the script once: it has to fit its arguments, and what is known of a proxy may change meanwhile. */
    private CallBytes write(Command command, CallWriter.Clock clock, boolean known, CallBytes call) {
        LockScript script = script(command);
        begin(shortCalls.text(script, command), known, call);
        if (script.isShort()) {
            return writer.fewArguments(command, clock, call).complete(); // its script compares no process
        }
        writer.arguments(command, clock, call);
        return shard.isPresent() ? addShard(command, call) : call;
    }

    /** On a shard of a cluster they are arguments: keys must be in one slot. */
    private CallBytes addShard(Command command, CallBytes call) {
        LockScript.Prelude prelude = script(command).prelude();
        if (prelude == null) {
            return call;
        }
        NodeKeys.OwnKeys own = keys.own();
        if (!prelude.hasMark()) {
            return call.add(own.heartbeat());
        }
        int slot = keys.slot(CommandName.of(command));
        return call.add(slot)
                .add(own.usedSlots())
                .add(keys.ofSlot(slot))
                .add(own.heartbeat())
                .add(own.mark())
                .add(sinceMicros(own, command));
    }
}
