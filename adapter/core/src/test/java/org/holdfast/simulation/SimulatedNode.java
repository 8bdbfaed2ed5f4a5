// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.holdfast.memory.LuaInterpreter;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.memory.PreparedCall;
import org.holdfast.protocol.guard.AcceptedSettings;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.guard.MarkChange;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.guard.NodeGuard;
import org.holdfast.protocol.guard.NodeProbe;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.redis.cluster.ReplicationIds;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.script.NodeKeys;
import org.holdfast.redis.script.ScriptBridge;

/** One Redis process: it runs scripts, crashes, forgets, pauses, and has a clock of its own. */
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

    /** So long a clock stays as it was set; whatever is shorter is a blip. */
    private static final long STEP_PAUSE = SECOND + SECOND / 2;

    private final World world;
    private final int index;
    private final MemoryRedis redis;
    private final double rate;
    private final long clockStepMicros;
    private long clockErrorMicros;
    private long steppedAt = -STEP_PAUSE - 1;
    private final boolean persistent;
    private final NodeChecker checker;
    private long evictions;
    private long evictingUntil;
    private boolean up = true;
    private boolean replica;
    private int promotions;
    private int changesOfRole;
    private String name = "run";
    private ReplicationIds dataSet = new ReplicationIds("data", "");
    private SlotGate gate = SlotGate.OPEN;
    private Runnable counted = () -> {};
    private long countedAt = Long.MIN_VALUE / 2;
    private long pausedUntil;
    private int incarnation;

    /** Before the first restart it knows all scripts. */
    private boolean restarted;

    private final Set<String> known = new HashSet<>();

    /** What was in memory at moments of the last second: a crash may lose what came since. */
    private final Deque<Remembered> history = new ArrayDeque<>();

    /** What was in memory before that. */
    private Map<String, MemoryRedis.Entry> longAgo = Map.of();

    private record Remembered(long at, Map<String, MemoryRedis.Entry> memory) {}

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
        this.rate = rate;
        this.clockStepMicros = clockStepMicros;
        this.checker = checker;
        this.redis = new MemoryRedis(lua, this::clockMicros);
        this.redis.beProcess(this::runId);
        this.persistent = persistent;
        world.after(EXPIRY_CYCLE, this::expire);
    }

    /**
     * Clients have used it for long.
     *
     * @param acceptedSettings their settings
     * @param appointed how it came to be the voter, if it may be replaced
     */
    void haveBeenUsed(AcceptedSettings acceptedSettings, Optional<NodeFacts.Appointment> appointed, NodeKeys keys) {
        new Probe(appointed, keys)
                .write(new MarkChange(
                        "",
                        BOOT_MICROS - 3_600_000_000L,
                        0,
                        BOOT_MICROS - 3_600_000_000L,
                        facts(appointed).process(),
                        0,
                        0,
                        acceptedSettings,
                        acceptedSettings.heartbeat().toMillis(),
                        0,
                        BOOT_MICROS,
                        ""));
    }

    /**
     * It is a member of a cluster, and does not run what names keys in slots that it does not have.
     *
     * @param member by which its process is named
     * @param told is run when it has granted something that counts
     */
    void join(String member, SlotGate slots, Runnable told) {
        name = member;
        dataSet = new ReplicationIds("data-of-" + runId(), "");
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

    long clockMicros() {
        return BOOT_MICROS + (long) (world.now() * rate) / 1_000 + clockErrorMicros;
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
        return gate == SlotGate.OPEN ? incarnation + changesOfRole : incarnation;
    }

    /** Returns when the process gets to work: at once, or when its pause is over. */
    long readyAt() {
        return Math.max(world.now(), pausedUntil);
    }

    /**
     * Returns for how long it keeps a lock for a lease that has it alone, in the world's time; 0 if it does not.
     *
     * @param token a token of the lease, which stands in what is written as the owner, or is one of those after it
     */
    long keptNanos(String lock, long token) {
        String key = ScriptBridge.lockKey(PREFIX, lock);
        String written = redis.copy().get(key); // to ask the node's own would delete what has expired
        if (written == null) {
            return 0;
        }
        LockValue value = LockValue.parse(written);
        String[] words = value.owner().split(" ");
        boolean mine =
                words.length > 2 && !words[0].equals("readers") && Math.abs(token - 8 - Long.parseLong(words[2])) <= 8;
        return mine ? (long) ((redis.expiresAt(key) - value.lingersMicros() - clockMicros()) * 1_000 / rate) : 0;
    }

    /** Returns when, in the world's time, its clock shows so much, if it is not set. */
    long worldMoment(long micros) {
        return (long) ((micros - BOOT_MICROS - clockErrorMicros) * 1_000 / rate);
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
        world.observer().ran(command, answer);
        Belongings belongings = new Belongings(redis.copy(), prepared.call(), command, clockMicros() / 1_000);
        checker.done(command, answer, before, redis, belongings, clockMicros(), counts);
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
        if (replica) {
            return new Answer(index, new Reply.Refused("READONLY You can't write against a read only replica."), 0);
        }
        try {
            return ScriptBridge.answer(index, redis.evalToBytes(prepared));
        } catch (MemoryRedis.ErrorReply error) {
            return new Answer(index, new Reply.Refused(error.getMessage()), 0);
        }
    }

    private void remember() {
        if (persistent) {
            return; // what it has now is what it will have
        }
        history.addLast(new Remembered(world.now(), redis.snapshot()));
        while (history.peekFirst().at() < world.now() - SECOND) {
            longAgo = history.removeFirst().memory();
        }
    }

    /** Is looked at when a client connects, as the real one is; empty if it is not to be used. */
    Optional<NodeGuard.Admission.Admitted> admit(
            NodeGuard guard, Optional<NodeFacts.Appointment> appointment, NodeKeys keys) {
        return guard.admit(new Probe(appointment, keys)) instanceof NodeGuard.Admission.Admitted admitted
                ? Optional.of(admitted)
                : Optional.empty();
    }

    /** Begins a quarantine that a client has asked for. */
    void quarantine(NodeGuard guard, Optional<NodeFacts.Appointment> appointment, NodeKeys keys) {
        guard.quarantine(new Probe(appointment, keys), "a client says so");
    }

    /**
     * A client finds in which slot it keeps what it knows of itself, as the real one does at each look.
     *
     * @param follow takes the sign at the door, and returns the one that should stand there
     */
    void findHome(NodeKeys keys, String door, UnaryOperator<String> follow) {
        String key = keys.door(door);
        gate.require(key);
        String seen = Objects.requireNonNullElse(redis.get(key), "");
        String sign = follow.apply(seen);
        if (!sign.equals(seen)) {
            redis.eval(ScriptBridge.door(keys, door, seen, sign));
            remember();
        }
    }

    /**
     * A client notes since when it has its slots, as the real one does after each look.
     *
     * @param forgets whether a quarantine began just now
     * @param inheritedAfterMicros for how long the node before must have had a slot that counts here, if writes survive
     */
    void noteSlots(
            NodeKeys keys, boolean forgets, long inheritedAfterMicros, Function<Shard.Sight, Shard.Update> updates) {
        gate.require(keys.slots());
        String seen = Objects.requireNonNullElse(redis.get(keys.slots()), "");
        long inheritedBefore = persistent ? clockMicros() - inheritedAfterMicros : 0;
        Shard.Update update = updates.apply(new Shard.Sight(seen, dataSet, clockMicros(), inheritedBefore, forgets));
        if (update.text().equals(seen)
                || redis.eval(ScriptBridge.slots(keys, seen, update.text())).equals(List.of(1L))) {
            update.isWritten();
        }
        remember();
    }

    /** It waits to take the place of another one, and has a clock of its own. */
    void standBy(long errorMicros) {
        name = "standby";
        replica = true;
        setClock(errorMicros);
    }

    boolean isReplica() {
        return replica;
    }

    /** It learns that it was replaced. Sentinels end connections when they change a role. */
    void becomeReplica() {
        replica = true;
        changesOfRole++;
    }

    /** Becomes the primary, with what it has received of the former one. */
    void promote(SimulatedNode former, long lagNanos) {
        replica = false;
        promotions++;
        changesOfRole++;
        longAgo = former.memoryAt(world.now() - lagNanos);
        redis.restore(longAgo);
        history.clear();
        checker.forgot();
    }

    /**
     * Takes the place of the primary from which it has received what it has: all of it, if the operator vouches for
     * that.
     */
    void promote(SimulatedNode former) {
        replica = false;
        promotions++;
        changesOfRole++;
        if (persistent) {
            replicate(former);
            checker.inherit(former.checker);
        } else {
            checker.forgot();
        }
        dataSet = new ReplicationIds("data-of-" + runId() + "-" + promotions, dataSet.present());
    }

    /** It receives, as a replica, what its primary has by now. */
    private void replicate(SimulatedNode primary) {
        receive(primary.redis.snapshot(), primary.dataSet());
    }

    /** It receives, as a replica, what its primary had. */
    void receive(Map<String, MemoryRedis.Entry> memory, ReplicationIds of) {
        dataSet = new ReplicationIds(of.present(), "");
        receive(memory);
    }

    ReplicationIds dataSet() {
        return dataSet;
    }

    private void receive(Map<String, MemoryRedis.Entry> memory) {
        redis.restore(memory);
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
        long ttl = Math.max(1_000, entry.expiresAtMicros() - clockMicros());
        there.put(key, new MemoryRedis.Entry(entry.value(), stays ? Long.MAX_VALUE : to.clockMicros() + ttl));
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

    private Map<String, MemoryRedis.Entry> memoryAt(long moment) {
        Map<String, MemoryRedis.Entry> memory = longAgo;
        for (Remembered remembered : history) {
            memory = remembered.at() <= moment ? remembered.memory() : memory;
        }
        return memory;
    }

    /** Returns the birth mark, if there is one. */
    Optional<BirthMark> mark(NodeKeys keys) {
        gate.require(keys.mark());
        String mark = redis.get(keys.mark());
        return mark == null ? Optional.empty() : BirthMark.parse(mark);
    }

    /**
     * A client looks at once here: what lies between its look and its change is simulated by other clients' looks
     * alone.
     */
    private final class Probe implements NodeProbe {

        private final Optional<NodeFacts.Appointment> appointment;
        private final NodeKeys keys;

        Probe(Optional<NodeFacts.Appointment> appointment, NodeKeys keys) {
            this.appointment = appointment;
            this.keys = keys;
        }

        @Override
        public NodeProbe.Sight look() {
            gate.require(keys.mark());
            String mark = redis.get(keys.mark());
            boolean heartbeat = redis.get(keys.heartbeat()) != null;
            return new NodeProbe.Sight(facts(appointment), mark == null ? "" : mark, heartbeat);
        }

        @Override
        public Optional<Long> write(MarkChange change) {
            gate.refusal(List.of(keys.mark(), keys.heartbeat()), List.of()).ifPresent(error -> {
                throw new MemoryRedis.ErrorReply(error);
            });
            Object reply = redis.eval(ScriptBridge.mark(keys, change));
            remember();
            return ScriptBridge.markedAt(reply);
        }
    }

    /**
     * An operator sets its clock: wrong, or right again, but not before clients have looked.
     *
     * @param wasSetBack whether it is to be set right if it was set back, or ahead
     */
    void stepClock(boolean wasSetBack) {
        boolean due = wasSetBack ? clockErrorMicros < 0 : clockErrorMicros >= 0;
        if (due && world.now() - steppedAt > STEP_PAUSE) {
            steppedAt = world.now();
            setClock(clockErrorMicros == 0 ? clockStepMicros : 0);
        }
    }

    private void setClock(long errorMicros) {
        checker.clockSet(errorMicros);
        clockErrorMicros = errorMicros;
    }

    /**
     * Its clock goes ahead, and is right again after so long.
     *
     * @param moreMicros how much further ahead than by the node's usual step
     */
    void blipClock(long nanos, long moreMicros) {
        long ahead = Math.abs(clockStepMicros) + moreMicros;
        pushClock(ahead);
        world.after(nanos, () -> pushClock(-ahead));
    }

    /** Its clock is set ahead by so much, or back if negative. */
    void pushClock(long micros) {
        setClock(clockErrorMicros + micros);
    }

    /** Its clock is set right if it is wrong by more than that. */
    void setClockRight(long mostMicros) {
        if (Math.abs(clockErrorMicros) > mostMicros) {
            setClock(0);
        }
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

    private NodeFacts facts(Optional<NodeFacts.Appointment> appointment) {
        String promotion = promotions == 0 ? BirthMark.Process.NEVER_PROMOTED : "promoted-" + promotions;
        return new NodeFacts(
                new BirthMark.Process(
                        runId(),
                        evictions,
                        appointment.map(by -> by.ofMark(promotion)).orElse(promotion),
                        BirthMark.Process.LOADED_UNKNOWN),
                !replica,
                gate != SlotGate.OPEN,
                world.now() < evictingUntil,
                Optional.empty(),
                clockMicros(),
                appointment);
    }

    /** Crashes; unless it persists each write it loses everything, or what it received in the last second. */
    void crash(long downNanos) {
        restartWhole(downNanos);
        if (!persistent) {
            forget();
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
        redis.restore(Map.of());
        history.clear();
        longAgo = Map.of();
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

    private void forget() {
        long lastSaved = world.now() - (long) (world.random.nextDouble() * SECOND);
        Map<String, MemoryRedis.Entry> saved = longAgo;
        for (Remembered moment : history) {
            if (moment.at() <= lastSaved) {
                saved = moment.memory();
            }
        }
        redis.restore(world.random.nextBoolean() ? Map.of() : saved);
        history.clear();
        longAgo = redis.snapshot();
        checker.forgot();
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
