// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.holdfast.protocol.Agreements;
import org.holdfast.protocol.Answer;
import org.holdfast.protocol.BirthMark;
import org.holdfast.protocol.Command;
import org.holdfast.protocol.MarkChange;
import org.holdfast.protocol.NodeFacts;
import org.holdfast.protocol.NodeGuard;
import org.holdfast.protocol.NodeProbe;
import org.holdfast.protocol.Owner;
import org.holdfast.protocol.Reply;
import org.holdfast.protocol.Target;
import org.holdfast.redis.ScriptBridge;

/** One Redis process: it runs scripts, crashes, forgets, pauses, and has a clock of its own. */
final class SimulatedNode {

    static final String PREFIX = "s";

    private static final long BOOT_MICROS = 1_800_000_000_000_000L;
    private static final long SECOND = 1_000_000_000L;

    /** Nodes are looked at once a second: so long after it may evict, no client counts on it any more. */
    private static final long EVICTION_PAUSE = SECOND + SECOND / 2;

    private final World world;
    private final int index;
    private final SimulatedRedis redis;
    private final double rate;
    private final long clockStepMicros;
    private long clockErrorMicros;
    private final boolean persistent;
    private long evictions;
    private boolean evicting;
    private boolean up = true;
    private long pausedUntil;
    private int incarnation;

    /** What was in memory at moments of the last second: a crash may lose what came since. */
    private final Deque<Remembered> history = new ArrayDeque<>();

    /** What was in memory before that. */
    private Map<String, SimulatedRedis.Entry> longAgo = Map.of();

    /** Owners whose tombstone this memory has, with the moment until which it has to, by the node's clock. */
    private final Map<Owner, Long> buried = new HashMap<>();

    private record Remembered(long at, Map<String, SimulatedRedis.Entry> memory) {}

    /**
     * @param rate how fast its clock runs
     * @param persistent whether a crash loses nothing
     * @param agreements the settings of all clients, which have used it for long
     */
    SimulatedNode(
            World world, int index, SimulatedRedis.Lua lua, double rate, boolean persistent, Agreements agreements) {
        this.world = world;
        this.index = index;
        this.rate = rate;
        // each node by another step: where a quorum jumps by the same, clients believe that their own clock stood still
        long step = 300_000L + 400_000L * index + world.random.nextInt(100_000);
        this.clockStepMicros = world.random.nextBoolean() ? step : -step;
        this.redis = new SimulatedRedis(lua, this::clockMicros);
        this.persistent = persistent;
        new Probe()
                .write(new MarkChange(
                        "",
                        BOOT_MICROS - 3_600_000_000L,
                        BOOT_MICROS - 3_600_000_000L,
                        facts().process(),
                        agreements,
                        agreements.widest().quarantine().toMillis(),
                        ""));
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

    int incarnation() {
        return incarnation;
    }

    /** Returns when the process gets to work: at once, or when its pause is over. */
    long readyAt() {
        return Math.max(world.now(), pausedUntil);
    }

    SimulatedRedis redis() {
        return redis;
    }

    /** Runs a command, and checks on the way that it touches nothing that another has. */
    Answer execute(Command command, SimulatedRedis.Prepared prepared) {
        SimulatedRedis before = redis.copy();
        Answer answer = ScriptBridge.answer(index, redis.eval(prepared));
        Belongings belongings = new Belongings(redis, prepared.call, command, clockMicros() / 1_000);
        if (!redis.isSameAs(before)) {
            Belongings earlier = new Belongings(before, prepared.call, command, clockMicros() / 1_000);
            checkOthers(command, earlier.ofOthers(), belongings.ofOthers());
        }
        if (command instanceof Command.Release release) {
            released(release, belongings);
        } else if (command instanceof Command.OfClaim of && answer.reply() instanceof Reply.Granted) {
            granted(of);
        }
        remember();
        return answer;
    }

    private static void checkOthers(Command command, Map<String, Object> before, Map<String, Object> after) {
        before.forEach((what, value) -> {
            if (!value.equals(after.get(what))) {
                throw new Violation("3: " + command + " changed " + what + " from " + value + " to " + after.get(what));
            }
        });
    }

    private void released(Command.Release release, Belongings belongings) {
        if (belongings.hasSome()) {
            throw new Violation("3: " + release + " left something");
        }
        if (release.tombstone()) {
            boolean read = release.claim().target() instanceof Target.Reading;
            long ttlMicros =
                    release.claim().ttlMillis() * 1_000; // others may go on reading for ever, and graves with them
            buried.put(release.claim().owner(), read ? clockMicros() / 1_000 * 1_000 + ttlMicros : Long.MAX_VALUE);
        }
    }

    private void granted(Command.OfClaim command) {
        if (buried.getOrDefault(command.claim().owner(), Long.MIN_VALUE) > clockMicros()) {
            throw new Violation("3: " + command + " was granted though it had been released");
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

    /** Is looked at when a client connects, as the real one is; false if it is not to be used. */
    boolean admit(NodeGuard guard) {
        return guard.admit(new Probe()) instanceof NodeGuard.Admission.Admitted;
    }

    /** Begins a quarantine, as a client tells it to. */
    void quarantine(NodeGuard guard) {
        guard.quarantine(new Probe(), "a client says so");
    }

    /** Returns the birth mark, if there is one. */
    Optional<BirthMark> mark() {
        String mark = redis.get(ScriptBridge.markKey(PREFIX));
        return mark == null ? Optional.empty() : BirthMark.parse(mark);
    }

    /** A client looks at once here: what lies between its look and its change is simulated by other clients' looks alone. */
    private final class Probe implements NodeProbe {

        @Override
        public NodeProbe.Sight look() {
            String mark = redis.get(ScriptBridge.markKey(PREFIX));
            boolean heartbeat = redis.get(ScriptBridge.heartbeatKey(PREFIX)) != null;
            return new NodeProbe.Sight(facts(), mark == null ? "" : mark, heartbeat);
        }

        @Override
        public Optional<Long> write(MarkChange change) {
            Object reply = redis.eval(ScriptBridge.mark(PREFIX, change));
            remember();
            return ScriptBridge.markedAt(reply);
        }
    }

    /** Somebody sets its clock: wrong, or right again. */
    void stepClock() {
        clockErrorMicros = clockErrorMicros == 0 ? clockStepMicros : 0;
    }

    /** Somebody lets it evict for so long; memory is short a while later, if it lasts that long. */
    void evict(long forNanos) {
        evicting = true;
        if (forNanos > EVICTION_PAUSE) {
            world.after(EVICTION_PAUSE, () -> {
                evictions += redis.evictExpiring();
                remember();
            });
        }
        world.after(forNanos, () -> evicting = false);
    }

    private NodeFacts facts() {
        return new NodeFacts(
                new BirthMark.Process("run-" + incarnation, evictions, BirthMark.Process.NEVER_PROMOTED),
                true,
                false,
                evicting,
                Optional.empty(),
                clockMicros());
    }

    /** Crashes; unless it persists each write it loses everything, or what it was told in the last second. */
    void crash(long downNanos) {
        up = false;
        incarnation++;
        if (!persistent) {
            forget();
        }
        world.after(downNanos, () -> {
            up = true;
            evictions = 0;
        });
    }

    private void forget() {
        long lastSaved = world.now() - (long) (world.random.nextDouble() * SECOND);
        Map<String, SimulatedRedis.Entry> saved = longAgo;
        for (Remembered moment : history) {
            if (moment.at() <= lastSaved) {
                saved = moment.memory();
            }
        }
        redis.restore(world.random.nextBoolean() ? Map.of() : saved);
        history.clear();
        longAgo = redis.snapshot();
        buried.clear();
    }

    /** Somebody flushes it. */
    void flush() {
        redis.restore(Map.of());
        buried.clear();
        remember();
    }

    void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, world.now() + nanos);
    }

    List<String> keysWithoutTtl() {
        return redis.keysWithoutTtl().stream()
                .filter(key -> !key.equals(ScriptBridge.markKey(PREFIX)))
                .toList();
    }
}
