// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.holdfast.memory.LuaInterpreter;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.memory.PreparedCall;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.redis.script.NodeKeys;
import org.holdfast.redis.script.ScriptBridge;

/** One Redis process: it runs scripts, crashes, forgets, pauses, evicts, and is restarted. */
final class SimulatedNode {

    static final String PREFIX = "s";

    /** What keys are called on a node that is no shard of a cluster. */
    static final NodeKeys KEYS = new NodeKeys(PREFIX, Optional.empty());

    static final long BOOT_MICROS = 1_800_000_000_000_000L;
    private static final long SECOND = 1_000_000_000L;

    /** Nodes are looked at once a second: so long after it may evict, no client counts on it any more. */
    private static final long EVICTION_PAUSE = SECOND + SECOND / 2;

    /** How often Redis deletes keys that have expired. */
    private static final long EXPIRY_CYCLE = SECOND / 10;

    final SimulatedClock clock;
    final NodeRole role;
    final NodeProbes probes;
    private final World world;
    private final int index;
    private final MemoryRedis redis;
    private final SavedMemory memory;
    private final boolean persistent;
    private final NodeChecker checker;
    private long evictions;
    private long evictingUntil;
    private boolean up = true;
    private String name = "run";
    private SlotGate gate = SlotGate.OPEN;
    private Runnable counted = () -> {};
    private long countedAt = Long.MIN_VALUE / 2;
    private long pausedUntil;
    private int incarnation;

    /** Before the first restart it knows all scripts. */
    private boolean restarted;

    private final Set<String> known = new HashSet<>();

    /**
     * @param rate how fast its clock runs
     * @param clockStepMicros by how much its clock is set wrong
     * @param persistent whether a crash loses nothing
     */
    SimulatedNode(
            World world,
            int index,
            LuaInterpreter lua,
            double rate,
            long clockStepMicros,
            boolean persistent,
            NodeChecker checker) {
        this.world = world;
        this.index = index;
        this.checker = checker;
        this.clock = new SimulatedClock(world, checker, rate, clockStepMicros);
        this.redis = new MemoryRedis(lua, clock::micros);
        this.redis.beProcess(this::runId);
        this.memory = new SavedMemory(world, redis);
        this.role = new NodeRole(this, memory, checker);
        this.probes = new NodeProbes(this, redis);
        this.persistent = persistent;
        world.after(EXPIRY_CYCLE, this::expire);
    }

    /**
     * It is a member of a cluster, and does not run what names keys in slots that it does not have.
     *
     * @param member by which its process is named
     * @param told is run when it has granted something that counts
     */
    void join(String member, SlotGate slots, Runnable told) {
        name = member;
        role.beginDataSet();
        gate = slots;
        counted = told;
    }

    /** Returns when it has granted something last that counts. */
    long countedAt() {
        return countedAt;
    }

    /** Redis does not wait until a client asks for a key that has expired. */
    private void expire() {
        if (up && pausedUntil <= world.now()) {
            redis.expire(world.random::nextBoolean); // it looks at twenty keys at a time
            if (checker.isFarAhead()
                    && gate
                            == SlotGate
                                    .OPEN) { // what remains open: a lock and its fence go, by chance not the heartbeat
                redis.get(ScriptBridge.heartbeatKey(PREFIX));
            }
        }
        world.after(EXPIRY_CYCLE, this::expire);
    }

    boolean isUp() {
        return up;
    }

    /** Returns whether its operator vouches that a crash loses nothing. */
    boolean isDurable() {
        return persistent;
    }

    /** Returns a number that changes with the process, and when connections to it are ended: a cluster ends none. */
    int incarnation() {
        return gate == SlotGate.OPEN ? incarnation + role.changes() : incarnation;
    }

    /** Returns when the process gets to work: at once, or when its pause is over. */
    long readyAt() {
        return Math.max(world.now(), pausedUntil);
    }

    MemoryRedis redis() {
        return redis;
    }

    /** Returns whether it has run the script before, since it was started. */
    boolean knows(PreparedCall prepared) {
        return !restarted || known.contains(prepared.call().source());
    }

    /**
     * Runs a command, and checks on the way that it does what it may.
     *
     * @param counts whether its client still counts what this process answers
     */
    Answer execute(Command command, PreparedCall prepared, boolean counts) {
        MemoryRedis before = redis.copy();
        known.add(prepared.call().source());
        Answer answer = run(prepared);
        world.observer().ran(this, command, answer);
        Belongings belongings = new Belongings(redis.copy(), prepared.call(), command, clock.micros() / 1_000);
        checker.done(command, answer, before, redis, belongings, clock.micros(), counts);
        if (counts && answer.reply() instanceof Reply.Granted) {
            countedAt = world.now();
            counted.run();
        }
        remember();
        return answer;
    }

    private Answer run(PreparedCall prepared) {
        Optional<String> refusal =
                gate.refusal(prepared.call().keys(), prepared.call().arguments());
        if (refusal.isPresent()) {
            return new Answer(index, new Reply.Refused(refusal.get()), 0);
        }
        if (role.isReplica()) {
            return new Answer(index, new Reply.Refused("READONLY You can't write against a read only replica."), 0);
        }
        try {
            return ScriptBridge.answer(index, redis.evalToBytes(prepared));
        } catch (MemoryRedis.ErrorReply error) {
            return new Answer(index, new Reply.Refused(error.getMessage()), 0);
        }
    }

    /** What it has may have changed. */
    void remember() {
        if (!persistent) { // else what it has now is what it will have
            memory.remember();
        }
    }

    SlotGate gate() {
        return gate;
    }

    /** It waits to take the place of another one, and has a clock of its own. */
    void standBy(long errorMicros) {
        name = "standby";
        role.standBy();
        clock.set(errorMicros);
    }

    /** It has this from now on, of another process or of itself. */
    void receive(Map<String, MemoryRedis.Entry> received) {
        redis.restore(received);
        remember();
    }

    /** Returns the keys of a slot. */
    List<String> keys(Predicate<String> inSlot) {
        return redis.keyNames().stream().filter(inSlot).toList();
    }

    /** Moves a key to another process, as MIGRATE does: what is left of its time to live goes along. */
    void migrate(String key, SimulatedNode to) {
        Map<String, MemoryRedis.Entry> left = new TreeMap<>(redis.snapshot());
        MemoryRedis.Entry entry = left.remove(key);
        Map<String, MemoryRedis.Entry> there = new TreeMap<>(to.redis.snapshot());
        boolean stays = entry.expiresAtMicros() == Long.MAX_VALUE;
        long ttl = Math.max(1_000, entry.expiresAtMicros() - clock.micros());
        there.put(key, new MemoryRedis.Entry(entry.value(), stays ? Long.MAX_VALUE : to.clock.micros() + ttl));
        receive(left);
        to.receive(there);
    }

    /** A slot is another node's. */
    void dropSlot(Predicate<String> inSlot) {
        Map<String, MemoryRedis.Entry> left = new TreeMap<>(redis.snapshot());
        left.keySet().removeIf(inSlot);
        receive(left);
        checker.hasNothing();
    }

    /** A slot has come without all that was granted in it, the last of it at that moment. */
    void haveMissedSince(long moment) {
        checker.forgotSince(moment);
    }

    /** Is named once more, and has not heard of what another process has granted meanwhile. */
    void haveMissed() {
        checker.forgot();
    }

    /** Answers with errors for so long. */
    void refuse(MemoryRedis.Refusing what, long nanos) {
        redis.refuse(what);
        world.after(nanos, () -> redis.refuse(MemoryRedis.Refusing.NOTHING));
    }

    /** An operator lets it evict for so long. If that lasts, memory is short a while later, and these keys go. */
    void evict(long forNanos, Predicate<String> keys) {
        evictingUntil = Math.max(evictingUntil, world.now() + forNanos);
        if (forNanos > EVICTION_PAUSE) {
            long since = world.now();
            world.after(EVICTION_PAUSE, () -> {
                if (pausedUntil <= since) { // else it could not be looked at, and did nothing itself
                    long evicted = redis.evictExpiring(keys);
                    if (evicted > 0) {
                        evictions += evicted;
                        checker.forgotSince(since);
                        remember();
                    }
                }
            });
        }
    }

    /** Returns which process it is. */
    String runId() {
        return name + "-" + incarnation;
    }

    /** Returns what a client finds that looks at it. */
    NodeFacts facts(Optional<NodeFacts.Appointment> appointment) {
        return new NodeFacts(
                new BirthMark.Process(
                        runId(),
                        evictions,
                        appointment.map(by -> by.ofMark(role.promotion())).orElse(role.promotion()),
                        BirthMark.Process.LOADED_UNKNOWN),
                !role.isReplica(),
                gate != SlotGate.OPEN,
                world.now() < evictingUntil,
                Optional.empty(),
                clock.micros(),
                appointment);
    }

    /** Crashes; unless it persists each write it loses everything, or what it received in the last second. */
    void crash(long downNanos) {
        restartWhole(downNanos);
        if (!persistent) {
            memory.loseSome();
            checker.forgot();
        }
    }

    /** Is restarted with all that it had. */
    void restartWhole(long downNanos) {
        up = false;
        incarnation++;
        restarted = true;
        known.clear();
        world.after(downNanos, () -> {
            up = true;
            evictions = 0;
        });
    }

    /** Is restarted without anything that it had. */
    void restartEmpty(long downNanos) {
        crash(downNanos);
        memory.begin(Map.of());
        checker.forgot();
    }

    /** The same, unless its operator vouches for it. */
    void restartForgetting(long downNanos) {
        if (persistent) {
            restartWhole(downNanos);
        } else {
            restartEmpty(downNanos);
        }
    }

    /** An operator flushes it. */
    void flush() {
        redis.restore(Map.of());
        checker.forgot();
        remember();
    }

    void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, world.now() + nanos);
    }

    List<String> keysWithoutTtl() {
        return redis.keysWithoutTtl().stream()
                .filter(key -> !key.matches(".*:(birth|slots|home|used|kept)"))
                .toList();
    }
}
