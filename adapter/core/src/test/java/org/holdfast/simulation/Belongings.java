// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.memory.ScriptCall;
import org.holdfast.memory.SortedSet;
import org.holdfast.memory.SortedSet.Member;
import org.holdfast.protocol.node.Command;

/** What the sender of a command and what others have among the keys that it names, on one node at one moment. */
final class Belongings {

    private static final String READERS = "readers ";
    private static final long ROUNDING_MILLIS = 2;

    private final MemoryRedis redis;
    private final ScriptCall call;
    private final Command command;
    private final long millis;
    private final Set<String> mine;

    /** @param millis the node's clock */
    Belongings(MemoryRedis redis, ScriptCall call, Command command, long millis) {
        this.redis = redis;
        this.call = call;
        this.command = command;
        this.millis = millis;
        this.mine = senders(command);
    }

    /** Returns the same in the memory of another moment. */
    Belongings in(MemoryRedis other) {
        return new Belongings(other, call, command, millis);
    }

    private static Set<String> senders(Command command) {
        Set<String> ids = new HashSet<>();
        if (command instanceof Command.OfClaim of) {
            ids.add(of.claim().owner().value());
        }
        if (command instanceof Command.Acquire acquire) {
            acquire.queueing()
                    .flatMap(Command.Queueing::ticket)
                    .ifPresent(ticket -> ids.add(ticket.id().value()));
        } else if (command instanceof Command.Refresh refresh) {
            refresh.tickets().forEach(ticket -> ids.add(ticket.id().value()));
        } else if (command instanceof Command.Leave leave) {
            ids.add(leave.ticket().id().value());
        }
        return ids;
    }

    /** Returns what others have: no command may change any of it. */
    Map<String, Object> ofOthers() {
        Map<String, Object> others = new TreeMap<>();
        for (String key : call.keys()) {
            if (key.endsWith(":lock")) {
                addLock(key, others);
            } else if (key.endsWith(":readers") && isReadByOthers(key)) {
                addReaders(key, others);
            } else if (key.endsWith(":queue") || key.endsWith(":queue-reading")) {
                addTickets(key, others);
            }
        }
        return others;
    }

    private void addLock(String key, Map<String, Object> others) {
        Lock lock = lock(key);
        if (lock == null || lock.ends() <= millis || mine.contains(lock.owner())) {
            return;
        }
        String readers = sibling(key, "readers");
        if (!lock.owner().startsWith(READERS)) {
            others.put(key, lock.owner() + " until " + Math.min(lock.ends(), mostCounted(lock)));
        } else if (!call.keys().contains(readers) || isReadByOthers(readers)) {
            others.put(key, lock.owner());
        }
    }

    /**
     * Returns the moment after which the end of a lock does not count: where a lock lasts longer than any lease, since
     * the clock was ahead, a command that takes locks cuts it to the longest, which is half a second less than it
     * lingers.
     */
    private long mostCounted(Lock lock) {
        boolean takes = command instanceof Command.Acquire || command instanceof Command.Renew;
        return takes ? millis + lock.lingersMillis() - 500 - ROUNDING_MILLIS : Long.MAX_VALUE;
    }

    /** What is written of a lock; null if there is nothing. It lingers after its end, but then keeps no holder out. */
    private record Lock(long ends, long lingersMillis, String owner) {}

    private Lock lock(String key) {
        String value = redis.get(key);
        if (value == null) {
            return null;
        }
        LockValue written = LockValue.parse(value);
        long lingersMillis = (written.lingersMicros() + 999) / 1_000;
        return new Lock(redis.expiresAt(key) / 1_000 - lingersMillis, lingersMillis, written.owner());
    }

    private boolean isMine(String key) {
        Lock lock = lock(key);
        return lock != null && mine.contains(lock.owner());
    }

    private void addReaders(String key, Map<String, Object> others) {
        for (Member member : redis.sortedSet(key).members()) {
            boolean over = Math.abs(member.score()) <= millis;
            if (!over && !mine.contains(member.name())) {
                others.put(key + " " + member.name(), member.score());
            }
        }
    }

    private boolean isReadByOthers(String readers) {
        return readers(readers).anyMatch(reader -> !mine.contains(reader.name()));
    }

    /** Without the lock the entries of readers mean nothing: the script of the next reader deletes them. */
    private Stream<Member> readers(String key) {
        Lock lock = lock(sibling(key, "lock"));
        return lock == null || !lock.owner().startsWith(READERS) || lock.ends() <= millis
                ? Stream.empty()
                : redis.sortedSet(key).members().stream().filter(member -> member.score() > millis);
    }

    private void addTickets(String key, Map<String, Object> others) {
        SortedSet expiries = redis.sortedSet(sibling(key, "tickets"));
        for (Member member : redis.sortedSet(key).members()) {
            Double expiry = expiries.score(member.name());
            if (expiry != null && expiry > millis && !mine.contains(member.name())) {
                others.put(key + " " + member.name(), member.score());
            }
        }
    }

    private static String sibling(String key, String name) {
        return key.substring(0, key.lastIndexOf(':') + 1) + name;
    }

    /** Returns the last token of each lock that is named, 0 where none is on record. */
    Map<String, Long> fences() {
        Map<String, Long> fences = new TreeMap<>();
        for (String key : call.keys()) {
            if (key.endsWith(":fence")) {
                String last = redis.get(key);
                fences.put(key, last == null ? 0 : Long.parseLong(last.split(" ", 2)[0]));
            }
        }
        return fences;
    }

    /** Returns the last token of a lease for each lock that is named, 0 where none is on record. */
    Map<String, Long> leases() {
        Map<String, Long> leases = new TreeMap<>();
        for (String key : call.keys()) {
            if (key.endsWith(":fence")) {
                String tokens = redis.get(key);
                String[] words = tokens == null ? new String[] {"0"} : tokens.split(" ");
                leases.put(key, Long.parseLong(words[Math.min(1, words.length - 1)]));
            }
        }
        return leases;
    }

    /** Returns whether the sender has any of the locks that it names. */
    boolean hasSome() {
        return call.keys().stream().anyMatch(this::has);
    }

    /** Returns whether the sender has each of the locks that it names. */
    boolean hasAll() {
        return call.keys().stream()
                .filter(key -> key.endsWith(":lock"))
                .allMatch(key -> has(key) || reads(sibling(key, "readers")));
    }

    private boolean has(String key) {
        return key.endsWith(":lock") && isMine(key) || key.endsWith(":readers") && reads(key);
    }

    private boolean reads(String readers) {
        return readers(readers).anyMatch(reader -> mine.contains(reader.name()));
    }
}
