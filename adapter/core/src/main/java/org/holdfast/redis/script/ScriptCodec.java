// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.node.Ticket;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.cluster.Slot;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;

/** Translates commands into script calls. {@link ReplyDecoder} understands what the scripts return. */
public final class ScriptCodec {

    /** The caller knows nothing of the node's clock. */
    private static final Clock UNKNOWN = new Clock(0, 0);

    private final String prefix;
    private final long lingerMicros;

    /** How much longer than its lease a lock's key lasts. */
    private final long lingerMillis;

    /** What is asked, if that is a shard of a cluster. */
    private final Optional<Shard> shard;

    /** Whether an open connection may lead to another process than before. Stays once it is set. */
    private volatile boolean behindProxy;

    /**
     * What a caller knows of the clock of one node, in milliseconds by that.
     *
     * @param vouchedMillis leases that ended until then have ended; 0 if it vouches for none
     * @param earliestMillis what the clock shows at the least if it is not behind; 0 if that is not known
     */
    private record Clock(long vouchedMillis, long earliestMillis) {}

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
        this.lingerMicros = lingerMicros;
        this.lingerMillis = (lingerMicros + 999) / 1_000;
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

    /** Returns the key of the birth mark. */
    public String markKey() {
        return home() + "birth";
    }

    /** Returns the key of the heartbeat. */
    public String heartbeatKey() {
        return home() + "heartbeat";
    }

    /** Returns the key where a shard of a cluster keeps since when it has its slots. */
    public String slotsKey() {
        return home() + "slots";
    }

    /** Returns a name below which nothing is taken, for a look. */
    public String nameForLooks() {
        return shard.flatMap(Shard::homeTag).orElse("check");
    }

    private String home() {
        return prefix
                + shard.flatMap(Shard::homeTag).map(tag -> ":{" + tag + "}:").orElse(":");
    }

    /** Returns why the node is not to be sent a command yet; null if it is. */
    public @Nullable String whyNotYet(Command command) {
        return shard.isPresent() && sinceMicros(command) == Long.MAX_VALUE
                ? "it is not known since when it has the slot of " + name(command)
                : null;
    }

    private long sinceMicros(Command command) {
        int slot = slot(name(command));
        return shard.map(it -> it.sinceMicros(slot)).orElse(0L);
    }

    /** Returns the slot of a lock in a cluster: all its keys are in one. */
    public int slot(String lock) {
        return Slot.of(base(lock));
    }

    /** Returns the name that a command is about; the first of several. */
    public static String name(Command command) {
        if (command instanceof Command.OfClaim c) {
            return c.claim().target().name();
        }
        if (command instanceof Command.Refresh c) {
            return c.tickets().get(0).lock();
        }
        if (command instanceof Command.Leave c) {
            return c.ticket().lock();
        }
        if (command instanceof Command.FindPermit c) {
            return c.semaphore();
        }
        if (command instanceof Command.UseLatch c) {
            return c.latch().name();
        }
        return command instanceof Command.Inspect c
                ? c.locks().get(0).name()
                : ((Command.ForceRelease) command).locks().get(0).name();
    }

    /**
     * Returns the usual call: by the script's SHA if it is known, which a node may have forgotten. When a ticket is
     * removed, or an attempt is undone without a tombstone, no caller waits for the reply that says so: these calls
     * always have the source.
     */
    public CommandArguments usual(Command command, boolean known) {
        boolean undoes = command instanceof Command.Release release && !release.tombstone();
        return !known || undoes || command instanceof Command.Leave ? bySource(command) : bySha(command);
    }

    /** Returns the call by the script's SHA. */
    CommandArguments bySha(Command command) {
        LockScript script = script(command);
        return arguments(command, UNKNOWN, new CommandArguments(Protocol.Command.EVALSHA).add(script.sha()));
    }

    /**
     * Returns the call of a script that the node knows, by a caller that vouches for the node's clock.
     *
     * @param vouchedMillis leases that ended until then have ended, in milliseconds by that clock
     */
    public CommandArguments vouching(Command command, long vouchedMillis) {
        CommandArguments call = new CommandArguments(Protocol.Command.EVALSHA)
                .add(script(command).sha());
        return arguments(command, new Clock(vouchedMillis, vouchedMillis), call);
    }

    /**
     * Returns the call by which a lease may end earlier than so far.
     *
     * @param known whether the node knows the script, as far as is known here
     * @param earliestMillis the earliest moment that the node's clock shows if it is not behind: it changes nothing
     *     if it is; 0 if that is not known
     */
    public CommandArguments shortening(Command.Renew command, long earliestMillis, boolean known) {
        LockScript script = script(command);
        CommandArguments call = known
                ? new CommandArguments(Protocol.Command.EVALSHA).add(script.sha())
                : new CommandArguments(Protocol.Command.EVAL).add(script.source());
        return arguments(command, new Clock(0, earliestMillis), call);
    }

    /** Returns the call with the script's source, which makes it known too. */
    public CommandArguments bySource(Command command) {
        LockScript script = script(command);
        return arguments(command, UNKNOWN, new CommandArguments(Protocol.Command.EVAL).add(script.source()));
    }

    /**
     * Returns the call for one connection: a script that asks which process runs it compares that with the one which
     * the client has seen there.
     *
     * @param process run id; empty if the client has not looked
     */
    public CommandArguments seenAs(String process, Command command, CommandArguments call) {
        if (!script(command).asksWhichProcess()) {
            return call;
        }
        CommandArguments told = new CommandArguments(call.getCommand());
        for (int word = 1; word < call.size(); word++) {
            told.add(call.get(word));
        }
        return told.add(bytes(process));
    }

    /** Returns what a node said of an error in the command's script, with the line in which it came. */
    public String explain(Command command, String error) {
        return script(command).explain(error);
    }

    /** Returns the script that carries out the command. */
    public LockScript script(Command command) {
        LockScript script = usualScript(command);
        if (shard.isPresent()) {
            return script.inShard();
        }
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

    private CommandArguments arguments(Command command, Clock clock, CommandArguments call) {
        if (command instanceof Command.Acquire c) {
            acquire(c, clock.vouchedMillis(), call);
        } else if (command instanceof Command.Renew c) {
            renew(c, clock, call);
        } else if (command instanceof Command.Release c) {
            release(c, call);
        } else if (command instanceof Command.FindPermit c) {
            findPermit(c, call);
        } else if (command instanceof Command.UseLatch c) {
            useLatch(c, call);
        } else if (command instanceof Command.Inspect c) {
            lookedAt(c.locks(), call);
        } else if (command instanceof Command.ForceRelease c) {
            lookedAt(c.locks(), call)
                    .add(c.token())
                    .add(keptMillis(c.fenceMillis()))
                    .add(c.maxSkewMicros());
            c.locks().forEach(lock -> call.add(bytes(channel(lock.name()))));
        } else if (command instanceof Command.Refresh c) {
            refresh(c.tickets(), call);
        } else if (command instanceof Command.Leave c) {
            ticketKeys(c.ticket(), call)
                    .add(bytes(c.ticket().id().value()))
                    .add(bytes(c.announced() ? channel(c.ticket().lock()) : ""));
        }
        return shard.isPresent() ? addShard(command, call) : call;
    }

    private CommandArguments addShard(Command command, CommandArguments call) {
        LockScript.Prelude prelude = script(command).prelude();
        if (prelude != null) {
            call.add(bytes(heartbeatKey()));
        }
        if (prelude == LockScript.Prelude.MARK) {
            call.add(bytes(markKey())).add(sinceMicros(command));
        }
        return call;
    }

    private void acquire(Command.Acquire command, long vouchedMillis, CommandArguments call) {
        Claim claim = command.claim();
        boolean queues = command.queueing().isPresent();
        boolean reads = claim.target().isShared();
        call.add(keysOf(claim) + (queues ? 3 : 0) + markKeys());
        addLock(claim.target(), call);
        String base = base(claim.target().name());
        if (queues) {
            call.add(bytes(base + "queue")).add(bytes(base + "queue-reading")).add(bytes(base + "tickets"));
        }
        addReaders(claim, call);
        addMark(call);
        addTake(claim, claim.token(), vouchedMillis, call)
                .add(claim.target().names().size())
                .add(claim.lastToken())
                .add(command.maxSkewMicros());
        command.queueing().ifPresent(queueing -> addTicket(queueing.ticket(), reads, call));
    }

    private static void addTicket(Optional<Ticket> ticket, boolean reads, CommandArguments call) {
        call.add(bytes(ticket.map(t -> t.id().value()).orElse("")))
                .add(ticket.map(Ticket::number).orElse(0L))
                .add(ticket.map(Ticket::ttlMillis).orElse(0L))
                .add(ticket.map(Ticket::known).orElse(false) ? 1 : 0)
                .add(reads ? 1 : 0);
    }

    private void renew(Command.Renew command, Clock clock, CommandArguments call) {
        Claim claim = command.claim();
        call.add(keysOf(claim) + markKeys());
        addLock(claim.target(), call);
        addReaders(claim, call);
        addMark(call);
        addTake(claim, claim.lastToken(), clock.vouchedMillis(), call);
        if (claim.target().isShared()) {
            call.add(bytes(channel(claim.target().name())));
        } else {
            call.add(claim.target().names().size());
        }
        call.add(command.last() ? clock.earliestMillis() : 0L);
    }

    private void release(Command.Release command, CommandArguments call) {
        Claim claim = command.claim();
        call.add(keysOf(claim) + heartbeatKeys());
        addLock(claim.target(), call);
        addReaders(claim, call);
        addHeartbeat(call);
        call.add(bytes(claim.owner().value()))
                .add(command.tombstone() ? claim.lastToken() + 1 : 0L)
                .add(keptMillis(claim.fenceMillis()))
                .add(command.held() ? 0 : aheadMicros(claim));
        claim.target().names().forEach(name -> call.add(bytes(channel(name))));
        if (claim.target().isShared()) {
            call.add(claim.ttlMillis()).add(lingerMicros);
        }
    }

    /**
     * Half of the retention, as where it is granted, and a TTL more: a token that is further ahead is not granted
     * before that has passed. A tombstone that is so far ahead keeps others out for no longer than a forgotten attempt
     * would.
     */
    private static long aheadMicros(Claim claim) {
        return TimeUnit.MILLISECONDS.toMicros(claim.fenceMillis() + claim.ttlMillis()) / 2;
    }

    /**
     * Fences linger as locks do: a clock that goes ahead by less, and comes back, leaves the heartbeat, which tells of
     * more.
     */
    private long keptMillis(long fenceMillis) {
        return fenceMillis + lingerMillis;
    }

    private void findPermit(Command.FindPermit command, CommandArguments call) {
        call.add(command.permits() + heartbeatKeys());
        for (int permit = 0; permit < command.permits(); permit++) {
            call.add(bytes(base(new Target.Permit(command.semaphore(), permit)) + "lock"));
        }
        addHeartbeat(call);
        call.add(command.first()).add(command.permits()).add(lingerMicros);
    }

    private void useLatch(Command.UseLatch command, CommandArguments call) {
        Latch latch = command.latch();
        call.add(1)
                .add(bytes(base(latch.name()) + "latch"))
                .add(latch.generation())
                .add(latch.count())
                .add(command.keptMillis())
                .add(bytes(channel(latch.name())));
        command.ids().forEach(id -> call.add(bytes(id)));
    }

    /** Adds the keys of locks and of all that shows their holders, and the number of locks as the first argument. */
    private CommandArguments lookedAt(List<Target> locks, CommandArguments call) {
        List<String> readers = locks.stream()
                .flatMap(lock -> ShapeCodec.of(lock).possibleReaders(prefix, lock))
                .toList();
        call.add(2 * locks.size() + 1 + readers.size());
        locks.forEach(lock -> addKeys(base(lock), call));
        call.add(bytes(heartbeatKeys() > 0 ? heartbeatKey() : base(locks.get(0)) + "lock"));
        readers.forEach(key -> call.add(bytes(key)));
        return call.add(locks.size());
    }

    private void refresh(List<Ticket> tickets, CommandArguments call) {
        ticketKeys(tickets.get(0), call).add(tickets.get(0).ttlMillis());
        for (Ticket ticket : tickets) {
            call.add(bytes(ticket.id().value())).add(ticket.number());
        }
    }

    /** The keys of a ticket's queue. */
    private CommandArguments ticketKeys(Ticket ticket, CommandArguments call) {
        String base = base(ticket.lock());
        return call.add(2)
                .add(bytes(base + (ticket.reads() ? "queue-reading" : "queue")))
                .add(bytes(base + "tickets"));
    }

    private int keysOf(Claim claim) {
        ShapeCodec shape = ShapeCodec.of(claim.target());
        return 2 * claim.target().names().size()
                + (int) shape.readers(prefix, claim.target()).count();
    }

    private void addLock(Target target, CommandArguments call) {
        ShapeCodec.of(target).bases(prefix, target).forEach(base -> addKeys(base, call));
    }

    private static void addKeys(String base, CommandArguments call) {
        call.add(bytes(base + "lock")).add(bytes(base + "fence"));
    }

    private void addReaders(Claim claim, CommandArguments call) {
        ShapeCodec.of(claim.target()).readers(prefix, claim.target()).forEach(key -> call.add(bytes(key)));
    }

    private int markKeys() {
        return 2 * heartbeatKeys();
    }

    /** On a shard of a cluster they are arguments: keys must be in one slot. */
    private int heartbeatKeys() {
        return lingerMicros > 0 && shard.isEmpty() ? 1 : 0;
    }

    private void addMark(CommandArguments call) {
        addHeartbeat(call);
        if (markKeys() > 0) {
            call.add(bytes(markKey()));
        }
    }

    private void addHeartbeat(CommandArguments call) {
        if (heartbeatKeys() > 0) {
            call.add(bytes(heartbeatKey()));
        }
    }

    private CommandArguments addTake(Claim claim, long token, long vouchedMillis, CommandArguments call) {
        return call.add(bytes(claim.owner().value()))
                .add(token)
                .add(claim.target().isShared() ? claim.ttlMillis() : claim.ttlMillis() + lingerMillis)
                .add(keptMillis(claim.fenceMillis()))
                .add(lingerMicros)
                .add(vouchedMillis);
    }

    private String base(String lock) {
        return ShapeCodec.base(prefix, lock);
    }

    /** Of several names the first stands for all. */
    private String base(Target target) {
        return ShapeCodec.of(target).bases(prefix, target).get(0);
    }

    /** Returns the channel on which the release of a lock is published. */
    public String channel(String lock) {
        return base(lock) + "released";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
