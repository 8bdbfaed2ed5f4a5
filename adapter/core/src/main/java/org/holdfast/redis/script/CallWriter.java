// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.node.Ticket;
import redis.clients.jedis.CommandArguments;

/** Writes the keys and arguments of script calls, as the headers of the scripts list them. */
final class CallWriter {

    private static final Word TWO = Word.of(2);

    private final String prefix;
    private final NodeKeys keys;
    private final long lingerMicros;
    private final Word linger;
    private final LockWords.Recent recent;

    /** Of a node that is no shard: there they have other names as soon as the shard's slots are others. */
    private final Word mark;

    private final Word heartbeat;

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
        this.linger = Word.of(lingerMicros);
        this.recent = new LockWords.Recent(keys);
        this.mark = Word.of(keys.own().mark());
        this.heartbeat = Word.of(keys.own().heartbeat());
        this.lingerMillis = (lingerMicros + 999) / 1_000;
    }

    /** Adds what the script of a command needs to a call, and returns that. */
    CommandArguments arguments(Command command, Clock clock, CommandArguments call) {
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
                    .add(Word.of(c.token()))
                    .add(Word.of(keptMillis(c.fenceMillis())))
                    .add(Word.of(c.maxSkewMicros()));
            c.locks().forEach(lock -> call.add(Word.of(keys.channel(lock.name()))));
            call.add(Word.of(c.holder().map(Owner::value).orElse("")));
        } else if (command instanceof Command.Refresh c) {
            refresh(c.tickets(), call);
        } else if (command instanceof Command.Leave c) {
            ticketKeys(c.ticket(), call)
                    .add(Word.of(c.ticket().id().value()))
                    .add(Word.of(c.announced() ? keys.channel(c.ticket().lock()) : ""));
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
    CommandArguments fewArguments(Command command, Clock clock, CommandArguments call) {
        call.add(TWO);
        if (command instanceof Command.Acquire acquire) {
            Claim claim = acquire.claim();
            addLock(claim.target(), call);
            call.add(Word.of(claim.owner().value()))
                    .add(Word.of(claim.token()))
                    .add(Word.of(claim.ttlMillis() + lingerMillis))
                    .add(Word.of(claim.lastToken()));
            return clock.vouchedMillis() == 0 ? call : call.add(Word.of(clock.vouchedMillis()));
        }
        Claim claim = ((Command.Release) command).claim();
        addLock(claim.target(), call);
        return call.add(Word.of(claim.owner().value()))
                .add(Word.of(claim.lastToken() + 1))
                .add(Word.of(keptMillis(claim.fenceMillis())))
                .add(recent.of(claim.target().name()).channel());
    }

    private void acquire(Command.Acquire command, long vouchedMillis, CommandArguments call) {
        Claim claim = command.claim();
        boolean queues = command.queueing().isPresent();
        boolean reads = claim.target().isShared();
        call.add(Word.of(keysOf(claim) + (queues ? 3 : 0) + markKeys()));
        addLock(claim.target(), call);
        if (queues) {
            String base = base(claim.target().name());
            call.add(Word.of(base + "queue"))
                    .add(Word.of(base + "queue-reading"))
                    .add(Word.of(base + "tickets"));
        }
        addReaders(claim, call);
        addMark(call);
        addTake(claim, claim.token(), vouchedMillis, call)
                .add(Word.of(claim.target().names().size()))
                .add(Word.of(claim.lastToken()))
                .add(Word.of(command.maxSkewMicros()));
        command.queueing().ifPresent(queueing -> addTicket(queueing.ticket(), reads, call));
    }

    private static void addTicket(Optional<Ticket> ticket, boolean reads, CommandArguments call) {
        call.add(Word.of(ticket.map(t -> t.id().value()).orElse("")))
                .add(Word.of(ticket.map(Ticket::number).orElse(0L)))
                .add(Word.of(ticket.map(Ticket::ttlMillis).orElse(0L)))
                .add(Word.of(ticket.map(Ticket::known).orElse(false) ? 1 : 0))
                .add(Word.of(reads ? 1 : 0));
    }

    private void renew(Command.Renew command, Clock clock, CommandArguments call) {
        Claim claim = command.claim();
        call.add(Word.of(keysOf(claim) + markKeys()));
        addLock(claim.target(), call);
        addReaders(claim, call);
        addMark(call);
        addTake(claim, claim.lastToken(), clock.vouchedMillis(), call);
        if (claim.target().isShared()) {
            call.add(Word.of(keys.channel(claim.target().name())));
        } else {
            call.add(Word.of(claim.target().names().size()));
        }
        call.add(Word.of(command.last() ? clock.earliestMillis() : 0L));
        if (command.last() && !claim.target().isShared()) {
            claim.target().names().forEach(name -> call.add(Word.of(keys.channel(name))));
        }
    }

    /**
     * Adds what one script needs to renew leases of one name each, of callers that have not compared the node's clock
     * with their own.
     */
    CommandArguments renewals(List<Command.Renew> commands, CommandArguments call) {
        call.add(Word.of(2 * commands.size() + markKeys()));
        commands.forEach(command -> addLock(command.claim().target(), call));
        addMark(call);
        addTake(commands.get(0).claim(), commands.get(0).claim().lastToken(), 0, call)
                .add(Word.of(commands.size()));
        for (Command.Renew command : commands.subList(1, commands.size())) {
            addTerms(command.claim(), command.claim().lastToken(), call);
        }
        return call;
    }

    private void release(Command.Release command, CommandArguments call) {
        Claim claim = command.claim();
        call.add(Word.of(keysOf(claim) + heartbeatKeys()));
        addLock(claim.target(), call);
        addReaders(claim, call);
        addHeartbeat(call);
        call.add(Word.of(claim.owner().value()))
                .add(Word.of(command.tombstone() ? claim.lastToken() + 1 : 0L))
                .add(Word.of(keptMillis(claim.fenceMillis())))
                .add(Word.of(command.held() ? 0 : aheadMicros(claim)));
        for (String name : claim.target().names()) {
            call.add(recent.of(name).channel());
        }
        if (claim.target().isShared()) {
            call.add(Word.of(claim.ttlMillis())).add(linger);
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
        call.add(Word.of(command.permits() + heartbeatKeys()));
        for (int permit = 0; permit < command.permits(); permit++) {
            call.add(Word.of(base(new Target.Permit(command.semaphore(), permit)) + "lock"));
        }
        addHeartbeat(call);
        call.add(Word.of(command.first())).add(Word.of(command.permits())).add(linger);
    }

    private void useLatch(Command.UseLatch command, CommandArguments call) {
        Latch latch = command.latch();
        call.add(Word.of(1))
                .add(Word.of(base(latch.name()) + "latch"))
                .add(Word.of(latch.generation()))
                .add(Word.of(latch.count()))
                .add(Word.of(command.keptMillis()))
                .add(Word.of(keys.channel(latch.name())));
        command.ids().forEach(id -> call.add(Word.of(id)));
    }

    /** Adds the keys of locks and of all that shows their holders, and the number of locks as the first argument. */
    private CommandArguments lookedAt(List<Target> locks, CommandArguments call) {
        List<String> readers = locks.stream()
                .flatMap(lock -> ShapeCodec.of(lock).possibleReaders(prefix, lock))
                .toList();
        call.add(Word.of(2 * locks.size() + 1 + readers.size()));
        locks.forEach(lock -> addKeys(base(lock), call));
        call.add(Word.of(heartbeatKeys() > 0 ? keys.own().heartbeat() : base(locks.get(0)) + "lock"));
        readers.forEach(key -> call.add(Word.of(key)));
        return call.add(Word.of(locks.size()));
    }

    private void refresh(List<Ticket> tickets, CommandArguments call) {
        ticketKeys(tickets.get(0), call).add(Word.of(tickets.get(0).ttlMillis()));
        for (Ticket ticket : tickets) {
            call.add(Word.of(ticket.id().value())).add(Word.of(ticket.number()));
        }
    }

    /** The keys of a ticket's queue. */
    private CommandArguments ticketKeys(Ticket ticket, CommandArguments call) {
        String base = base(ticket.lock());
        return call.add(Word.of(2))
                .add(Word.of(base + (ticket.reads() ? "queue-reading" : "queue")))
                .add(Word.of(base + "tickets"));
    }

    private int keysOf(Claim claim) {
        ShapeCodec shape = ShapeCodec.of(claim.target());
        return 2 * claim.target().names().size()
                + shape.readers(prefix, claim.target()).size();
    }

    private void addLock(Target target, CommandArguments call) {
        if (target.isPermit()) {
            addKeys(base(target), call);
            return;
        }
        for (String name : target.names()) {
            LockWords words = recent.of(name);
            call.add(words.lock()).add(words.fence());
        }
    }

    private static void addKeys(String base, CommandArguments call) {
        call.add(Word.of(base + "lock")).add(Word.of(base + "fence"));
    }

    private void addReaders(Claim claim, CommandArguments call) {
        for (String key : ShapeCodec.of(claim.target()).readers(prefix, claim.target())) {
            call.add(Word.of(key));
        }
    }

    private int markKeys() {
        return 2 * heartbeatKeys();
    }

    /** On a shard of a cluster they are arguments: keys must be in one slot. */
    private int heartbeatKeys() {
        return lingerMicros > 0 && keys.shard().isEmpty() ? 1 : 0;
    }

    private void addMark(CommandArguments call) {
        addHeartbeat(call);
        if (markKeys() > 0) {
            call.add(mark);
        }
    }

    private void addHeartbeat(CommandArguments call) {
        if (heartbeatKeys() > 0) {
            call.add(heartbeat);
        }
    }

    private CommandArguments addTake(Claim claim, long token, long vouchedMillis, CommandArguments call) {
        return addTerms(claim, token, call).add(linger).add(Word.of(vouchedMillis));
    }

    private CommandArguments addTerms(Claim claim, long token, CommandArguments call) {
        return call.add(Word.of(claim.owner().value()))
                .add(Word.of(token))
                .add(Word.of(claim.target().isShared() ? claim.ttlMillis() : claim.ttlMillis() + lingerMillis))
                .add(Word.of(keptMillis(claim.fenceMillis())));
    }

    private String base(String lock) {
        return ShapeCodec.base(prefix, lock);
    }

    /** Of several names the first stands for all. */
    private String base(Target target) {
        return ShapeCodec.of(target).bases(prefix, target).get(0);
    }
}
