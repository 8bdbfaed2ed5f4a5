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
import redis.clients.jedis.CommandArguments;

/** Writes the keys and arguments of script calls, as the headers of the scripts list them. */
final class CallWriter {

    private final String prefix;
    private final NodeKeys keys;
    private final long lingerMicros;

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
                    .add(c.token())
                    .add(keptMillis(c.fenceMillis()))
                    .add(c.maxSkewMicros());
            c.locks().forEach(lock -> call.add(bytes(keys.channel(lock.name()))));
        } else if (command instanceof Command.Refresh c) {
            refresh(c.tickets(), call);
        } else if (command instanceof Command.Leave c) {
            ticketKeys(c.ticket(), call)
                    .add(bytes(c.ticket().id().value()))
                    .add(bytes(c.announced() ? keys.channel(c.ticket().lock()) : ""));
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
            call.add(bytes(keys.channel(claim.target().name())));
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
        claim.target().names().forEach(name -> call.add(bytes(keys.channel(name))));
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
                .add(bytes(keys.channel(latch.name())));
        command.ids().forEach(id -> call.add(bytes(id)));
    }

    /** Adds the keys of locks and of all that shows their holders, and the number of locks as the first argument. */
    private CommandArguments lookedAt(List<Target> locks, CommandArguments call) {
        List<String> readers = locks.stream()
                .flatMap(lock -> ShapeCodec.of(lock).possibleReaders(prefix, lock))
                .toList();
        call.add(2 * locks.size() + 1 + readers.size());
        locks.forEach(lock -> addKeys(base(lock), call));
        call.add(bytes(heartbeatKeys() > 0 ? keys.heartbeat() : base(locks.get(0)) + "lock"));
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
        return lingerMicros > 0 && keys.shard().isEmpty() ? 1 : 0;
    }

    private void addMark(CommandArguments call) {
        addHeartbeat(call);
        if (markKeys() > 0) {
            call.add(bytes(keys.mark()));
        }
    }

    private void addHeartbeat(CommandArguments call) {
        if (heartbeatKeys() > 0) {
            call.add(bytes(keys.heartbeat()));
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

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
