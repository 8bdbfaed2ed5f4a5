// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.holdfast.protocol.Answer;
import org.holdfast.protocol.Command;
import org.holdfast.protocol.Reply;
import org.holdfast.redis.ScriptBridge;

/** One Redis process: it runs scripts, crashes, forgets, pauses, and has a clock of its own. */
final class SimulatedNode {

    static final String PREFIX = "s";

    private static final long BOOT_MICROS = 1_800_000_000_000_000L;
    private static final long SECOND = 1_000_000_000L;

    private final World world;
    private final int index;
    private final SimulatedRedis redis;
    private final double rate;
    private long clockJumpMicros;
    private boolean up = true;
    private long pausedUntil;
    private int incarnation;

    /** What was in memory at moments of the last second: a crash may lose what came since. */
    private final Deque<Remembered> history = new ArrayDeque<>();

    /** Owners whose tombstone this memory has. */
    private final Set<String> buried = new HashSet<>();

    private record Remembered(long at, Map<String, SimulatedRedis.Entry> memory) {}

    /** @param rate how fast its clock runs */
    SimulatedNode(World world, int index, SimulatedRedis.Lua lua, double rate) {
        this.world = world;
        this.index = index;
        this.rate = rate;
        this.redis = new SimulatedRedis(lua, this::clockMicros);
    }

    long clockMicros() {
        return BOOT_MICROS + (long) (world.now() * rate) / 1_000 + clockJumpMicros;
    }

    boolean isUp() {
        return up;
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

    /** Runs a command, and checks on the way that it touches nobody else's lock. */
    Answer execute(Command command) {
        String key = PREFIX + ":{" + command.lock() + "}:lock";
        String before = redis.get(key);
        Answer answer;
        try {
            answer = ScriptBridge.answer(index, redis.eval(ScriptBridge.call(command, PREFIX)));
        } catch (org.luaj.vm2.LuaError e) {
            answer = new Answer(index, new Reply.Refused(e.getMessage()), 0);
        }
        String after = redis.get(key);
        String owner = owner(command);
        if (before != null && !before.equals(owner) && !before.equals(after)) {
            throw new Violation("3: " + command + " changed a lock of " + before + " to " + after);
        }
        if (command instanceof Command.Release release && release.tombstone()) {
            buried.add(owner);
        } else if (answer.reply() instanceof Reply.Granted && buried.contains(owner)) {
            throw new Violation("3: " + command + " was granted though it had been released");
        }
        remember();
        return answer;
    }

    private static String owner(Command command) {
        if (command instanceof Command.Acquire c) {
            return c.owner().value();
        }
        return command instanceof Command.Renew c
                ? c.owner().value()
                : ((Command.Release) command).owner().value();
    }

    private void remember() {
        history.addLast(new Remembered(world.now(), redis.snapshot()));
        while (history.size() > 200 || history.peekFirst().at() < world.now() - SECOND) {
            history.removeFirst();
        }
    }

    /** Crashes and keeps everything: it persists each write. */
    void crashAndKeep(long downNanos) {
        crash(downNanos);
    }

    private void crash(long downNanos) {
        up = false;
        incarnation++;
        world.after(downNanos, () -> up = true);
    }

    void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, world.now() + nanos);
    }

    List<String> keysWithoutTtl() {
        return redis.keysWithoutTtl();
    }
}
