// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.node.Ticket;

/** Writes the keys and arguments of script calls, as the headers of the scripts list them. */
final class CallWriter {

    private final String prefix;
    private final NodeKeys keys;
    private final long lingerMicros;
    private final LockWords.Recent recent;

    /** Of a node that is no shard: there they have other names as soon as the shard's slots are others. */
    private final byte[] mark;

    private final byte[] heartbeat;

    /** How much longer than its lease a lock's key lasts. */
    private final long lingerMillis;

    /**
     * What a caller knows of the clock of one node, in milliseconds by that.
     *
     * @param vouchedMillis leases that ended until then have ended; 0 if it vouches for none
     * @param earliestMillis what the clock shows at the least if it is not behind; 0 if that is not known
     */
    record Clock(long vouchedMillis, long earliestMillis) {}

    /** @param lingerMicros how much longer than its lease a lock's key lasts; 0 to trust the nodes' memory */
    CallWriter(NodeKeys keys, long lingerMicros) {
        this.prefix = keys.prefix();
        this.keys = keys;
        this.lingerMicros = lingerMicros;
        this.recent = new LockWords.Recent(keys);
        this.mark = keys.own().mark().getBytes(StandardCharsets.UTF_8);
        this.heartbeat = keys.own().heartbeat().getBytes(StandardCharsets.UTF_8);
        this.lingerMillis = (lingerMicros + 999) / 1_000;
    }

    /** Adds what the script of a command needs to a call, and returns that. */
    CallBytes arguments(Command command, Clock clock, CallBytes call) {
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
            c.locks().forEach(lock -> call.add(keys.channel(lock.name())));
            call.add(c.holder().map(Owner::value).orElse(""));
        } else if (command instanceof Command.Refresh c) {
            refresh(c.tickets(), call);
        } else if (command instanceof Command.Leave c) {
            ticketKeys(c.ticket(), call)
                    .add(c.ticket().id())
                    .add(c.announced() ? keys.channel(c.ticket().lock()) : "");
        }
        return call;
    }

    /** Returns whether a command may be written without what {@link ShortCalls} adds on the node. */
    static boolean mayBeShort(Command command) {
        if (command instanceof Command.Acquire acquire) {
            return acquire.queueing().isEmpty() && isOneName(acquire.claim());
        }
        return command instanceof Command.Release release
                && release.held()
                && release.tombstone()
                && isOneName(release.claim());
    }

    private static boolean isOneName(Claim claim) {
        return !claim.target().isShared() && claim.target().names().size() == 1;
    }

    /** Adds what the script of such a command needs to a call, and returns that. */
    CallBytes fewArguments(Command command, Clock clock, CallBytes call) {
        call.add(2);
        if (command instanceof Command.Acquire acquire) {
            Claim claim = acquire.claim();
            addLock(claim.target(), call);
            call.add(claim.owner())
                    .add(claim.token())
                    .add(claim.ttlMillis() + lingerMillis)
                    .add(claim.lastToken());
            return clock.vouchedMillis() == 0 ? call : call.add(clock.vouchedMillis());
        }
        Claim claim = ((Command.Release) command).claim();
        addLock(claim.target(), call);
        return call.add(claim.owner())
                .add(claim.lastToken() + 1)
                .add(keptMillis(claim.fenceMillis()))
                .add(recent.of(claim.target().name()).channel());
    }

    private void acquire(Command.Acquire command, long vouchedMillis, CallBytes call) {
        Claim claim = command.claim();
        boolean queues = command.queueing().isPresent();
        boolean reads = claim.target().isShared();
        call.add(keysOf(claim) + (queues ? 3 : 0) + markKeys());
        addLock(claim.target(), call);
        if (queues) {
            String base = base(claim.target().name());
            call.add(base + "queue").add(base + "queue-reading").add(base + "tickets");
        }
        addReaders(claim, call);
        addMark(call);
        addTake(claim, claim.token(), vouchedMillis, call)
                .add(claim.target().names().size())
                .add(claim.lastToken())
                .add(command.maxSkewMicros());
        command.queueing().ifPresent(queueing -> addTicket(queueing.ticket(), reads, call));
    }

    private static void addTicket(Optional<Ticket> ticket, boolean reads, CallBytes call) {
        ticket.map(Ticket::id).ifPresentOrElse(call::add, () -> call.add(""));
        call.add(ticket.map(Ticket::number).orElse(0L))
                .add(ticket.map(Ticket::ttlMillis).orElse(0L))
                .add(ticket.map(Ticket::known).orElse(false) ? 1 : 0)
                .add(reads ? 1 : 0);
    }

    private void renew(Command.Renew command, Clock clock, CallBytes call) {
        Claim claim = command.claim();
        call.add(keysOf(claim) + markKeys());
        addLock(claim.target(), call);
        addReaders(claim, call);
        addMark(call);
        addTake(claim, claim.lastToken(), clock.vouchedMillis(), call);
        if (claim.target().isShared()) {
            call.add(keys.channel(claim.target().name()));
        } else {
            call.add(claim.target().names().size());
        }
        call.add(command.last() ? clock.earliestMillis() : 0L);
        if (command.last() && !claim.target().isShared()) {
            claim.target().names().forEach(name -> call.add(keys.channel(name)));
        }
    }

    /**
     * Adds what one script needs to renew leases of one name each, of callers that have not compared the node's clock
     * with their own.
     */
    CallBytes renewals(List<Command.Renew> commands, CallBytes call) {
        call.add(2 * commands.size() + markKeys());
        commands.forEach(command -> addLock(command.claim().target(), call));
        addMark(call);
        addTake(commands.get(0).claim(), commands.get(0).claim().lastToken(), 0, call)
                .add(commands.size());
        for (Command.Renew command : commands.subList(1, commands.size())) {
            addTerms(command.claim(), command.claim().lastToken(), call);
        }
        return call;
    }

    private void release(Command.Release command, CallBytes call) {
        Claim claim = command.claim();
        call.add(keysOf(claim) + heartbeatKeys());
        addLock(claim.target(), call);
        addReaders(claim, call);
        addHeartbeat(call);
        call.add(claim.owner())
                .add(command.tombstone() ? claim.lastToken() + 1 : 0L)
                .add(keptMillis(claim.fenceMillis()))
                .add(command.held() ? 0 : aheadMicros(claim));
        for (String name : claim.target().names()) {
            call.add(recent.of(name).channel());
        }
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

    private void findPermit(Command.FindPermit command, CallBytes call) {
        call.add(command.permits() + heartbeatKeys());
        for (int permit = 0; permit < command.permits(); permit++) {
            call.add(base(new Target.Permit(command.semaphore(), permit)) + "lock");
        }
        addHeartbeat(call);
        call.add(command.first()).add(command.permits()).add(lingerMicros);
    }

    private void useLatch(Command.UseLatch command, CallBytes call) {
        Latch latch = command.latch();
        call.add(1)
                .add(base(latch.name()) + "latch")
                .add(latch.generation())
                .add(latch.count())
                .add(command.keptMillis())
                .add(keys.channel(latch.name()));
        command.ids().forEach(id -> call.add(id));
    }

    /** Adds the keys of locks and of all that shows their holders, and the number of locks as the first argument. */
    private CallBytes lookedAt(List<Target> locks, CallBytes call) {
        List<String> readers = locks.stream()
                .flatMap(lock -> ShapeCodec.of(lock).possibleReaders(prefix, lock))
                .toList();
        call.add(2 * locks.size() + 1 + readers.size());
        locks.forEach(lock -> addKeys(base(lock), call));
        call.add(heartbeatKeys() > 0 ? keys.own().heartbeat() : base(locks.get(0)) + "lock");
        readers.forEach(key -> call.add(key));
        return call.add(locks.size());
    }

    private void refresh(List<Ticket> tickets, CallBytes call) {
        ticketKeys(tickets.get(0), call).add(tickets.get(0).ttlMillis());
        for (Ticket ticket : tickets) {
            call.add(ticket.id()).add(ticket.number());
        }
    }

    /** The keys of a ticket's queue. */
    private CallBytes ticketKeys(Ticket ticket, CallBytes call) {
        String base = base(ticket.lock());
        return call.add(2)
                .add(base + (ticket.reads() ? "queue-reading" : "queue"))
                .add(base + "tickets");
    }

    private int keysOf(Claim claim) {
        ShapeCodec shape = ShapeCodec.of(claim.target());
        return 2 * claim.target().names().size()
                + shape.readers(prefix, claim.target()).size();
    }

    private void addLock(Target target, CallBytes call) {
        if (target.isPermit()) {
            addKeys(base(target), call);
            return;
        }
        List<String> names = target.names();
        for (int i = 0; i < names.size(); i++) { // an iterator would be one more object for each call
            LockWords words = recent.of(names.get(i));
            call.add(words.lock()).add(words.fence());
        }
    }

    private static void addKeys(String base, CallBytes call) {
        call.add(base + "lock").add(base + "fence");
    }

    private void addReaders(Claim claim, CallBytes call) {
        for (String key : ShapeCodec.of(claim.target()).readers(prefix, claim.target())) {
            call.add(key);
        }
    }

    private int markKeys() {
        return 2 * heartbeatKeys();
    }

    /** On a shard of a cluster they are arguments: keys must be in one slot. */
    private int heartbeatKeys() {
        return lingerMicros > 0 && keys.shard().isEmpty() ? 1 : 0;
    }

    private void addMark(CallBytes call) {
        addHeartbeat(call);
        if (markKeys() > 0) {
            call.add(mark);
        }
    }

    private void addHeartbeat(CallBytes call) {
        if (heartbeatKeys() > 0) {
            call.add(heartbeat);
        }
    }

    private CallBytes addTake(Claim claim, long token, long vouchedMillis, CallBytes call) {
        return addTerms(claim, token, call).add(lingerMicros).add(vouchedMillis);
    }

    private CallBytes addTerms(Claim claim, long token, CallBytes call) {
        return call.add(claim.owner())
                .add(token)
                .add(claim.target().isShared() ? claim.ttlMillis() : claim.ttlMillis() + lingerMillis)
                .add(keptMillis(claim.fenceMillis()));
    }

    private String base(String lock) {
        return ShapeCodec.base(prefix, lock);
    }

    /** Of several names the first stands for all. */
    private String base(Target target) {
        return ShapeCodec.of(target).bases(prefix, target).get(0);
    }
}
