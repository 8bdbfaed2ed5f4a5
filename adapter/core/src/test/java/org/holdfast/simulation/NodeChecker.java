// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.script.ScriptBridge;

/** Watches what commands do on one node: no more than they may, and no less than they report. */
final class NodeChecker {

    private final World world;
    private final Checker leases;

    /**
     * How long no lock is granted anew after some may have been forgotten, in the world's time, whatever the clocks
     * are.
     */
    private final long quarantine;

    /** How far a clock has to be ahead, in microseconds, for all to expire that shows a lock whose key is gone. */
    private final long forgottenAheadMicros;

    /** How long ago a client has to have looked, for scripts to take a missing heartbeat for one that has ended. */
    private final long unusedMicros;

    private final NodeGrants grants;
    private long errorMicros;
    private long forgotAt = Long.MIN_VALUE / 2;

    /** Owners whose tombstone this memory has, with the moment until which it has to, by the node's clock. */
    private final Map<Owner, Long> buried = new HashMap<>();

    NodeChecker(World world, Checker leases, long quarantine, long forgottenAheadMicros, long unusedMicros) {
        this.world = world;
        this.leases = leases;
        this.quarantine = quarantine;
        this.forgottenAheadMicros = forgottenAheadMicros;
        this.unusedMicros = unusedMicros;
        this.grants = new NodeGrants(world, quarantine);
    }

    /** The node has lost some of its memory, or all. */
    void forgot() {
        forgotSince(world.now());
    }

    /** The node has lost some of its memory, and no client has counted on it since that moment. */
    void forgotSince(long moment) {
        buried.clear();
        grants.forgot();
        forgotAt = Math.max(forgotAt, moment);
    }

    /** The node has all that another one had, and takes its place. */
    void inherit(NodeChecker former) {
        buried.clear();
        buried.putAll(former.buried);
        grants.inherit(former.grants);
        forgotAt = former.forgotAt;
    }

    /** It has none of the locks any more, and is not asked for any. */
    void hasNothing() {
        buried.clear();
        grants.forgot();
    }

    /** The clock was set, and is ahead by so much. What counts on it may end early then, and clients see to that. */
    void clockSet(long ahead) {
        if (ahead > errorMicros) {
            leases.clockIsAhead(ahead);
            buried.clear();
            forgotAt = Long.MIN_VALUE / 2;
        }
        if (ahead >= forgottenAheadMicros) {
            grants.forgot();
        }
        errorMicros = ahead;
        grants.clockSet(ahead);
    }

    /** Returns whether all may expire that shows a lock whose key is gone. */
    boolean isFarAhead() {
        return errorMicros >= forgottenAheadMicros;
    }

    /**
     * A node has run a command.
     *
     * @param micros its clock
     * @param counts whether its client still counts what this process answers
     */
    void done(
            Command command,
            Answer answer,
            MemoryRedis before,
            MemoryRedis after,
            Belongings belongings,
            long micros,
            boolean counts) {
        Belongings earlier = belongings.in(before);
        if (!after.isSameAs(before)) {
            checkOthers(command, meantToStay(command, earlier), belongings.ofOthers());
            checkFences(command, earlier.fences(), belongings.fences());
        }
        grants.done(command, answer, !counts || seemsUnused(before, micros));
        if (answer.reply() instanceof Reply.Refused) {
            return;
        }
        if (command instanceof Command.Release release) {
            released(release, belongings, micros);
        } else if (command instanceof Command.OfClaim of && answer.reply() instanceof Reply.Granted) {
            granted(of, earlier, belongings, micros, counts);
        }
    }

    /**
     * To a script a step of the clock that is long enough looks like a node that no client has used for so long. Only
     * clients see that it was a step, and count nothing that the node grants.
     */
    private boolean seemsUnused(MemoryRedis before, long micros) {
        return errorMicros > 0
                && before.get(ScriptBridge.heartbeatKey(SimulatedNode.PREFIX)) == null
                && Optional.ofNullable(before.get(ScriptBridge.markKey(SimulatedNode.PREFIX)))
                        .flatMap(BirthMark::parse)
                        .filter(mark -> micros - mark.seenMicros() >= unusedMicros)
                        .isPresent();
    }

    /** A forced release takes locks from others, but not from holders that came after its look, with a larger token. */
    private static Map<String, Object> meantToStay(Command command, Belongings before) {
        Map<String, Object> others = before.ofOthers();
        if (command instanceof Command.ForceRelease force) {
            before.leases().forEach((fence, last) -> {
                String lock = fence.substring(0, fence.lastIndexOf(':') + 1);
                if (last < force.token()) {
                    others.keySet().removeIf(what -> what.startsWith(lock));
                }
            });
        }
        return others;
    }

    private static void checkOthers(Command command, Map<String, Object> before, Map<String, Object> after) {
        before.forEach((what, value) -> {
            if (!value.equals(after.get(what))) {
                throw new Violation("3: " + command + " changed " + what + " from " + value + " to " + after.get(what));
            }
        });
    }

    /** What was granted once must not be forgotten, also if it was taken back. */
    private static void checkFences(Command command, Map<String, Long> before, Map<String, Long> after) {
        before.forEach((fence, token) -> {
            if (after.getOrDefault(fence, 0L) < token) {
                throw new Violation(
                        "2: " + command + " lowered " + fence + " from " + token + " to " + after.get(fence));
            }
        });
    }

    private void released(Command.Release release, Belongings belongings, long micros) {
        if (belongings.hasSome()) {
            throw new Violation("3: " + release + " left something");
        }
        if (release.tombstone() && mayBeGranted(release, micros)) {
            boolean read = release.claim().target() instanceof Target.Shared;
            long ttl = release.claim().ttlMillis();
            long retention =
                    release.claim().fenceMillis() - ttl; // so long whatever comes after it is on record at least
            long millis = read ? Math.min(ttl, retention) : retention; // others may go on reading, and graves with them
            long until = (micros / 1_000 + millis) * 1_000; // a release that comes again leaves what is there as it is
            buried.merge(release.claim().owner(), until, (known, later) -> known > micros ? known : later);
        }
    }

    /** A tombstone whose token is too far ahead of this clock is not left: by then the attempt has ended long ago. */
    private static boolean mayBeGranted(Command.Release release, long micros) {
        long aheadMicros = (release.claim().fenceMillis() + release.claim().ttlMillis()) * 500;
        return release.held() || release.claim().lastToken() + 1 - micros <= aheadMicros;
    }

    private void granted(Command.OfClaim command, Belongings before, Belongings after, long micros, boolean counts) {
        if (buried.getOrDefault(command.claim().owner(), Long.MIN_VALUE) > micros) {
            throw new Violation("3: " + command + " was granted though it had been released");
        }
        after.fences().forEach((fence, token) -> {
            if (token < command.claim().lastToken()) {
                throw new Violation("2: " + command + " was granted, and " + fence + " is " + token);
            }
        });
        if (counts && world.now() - forgotAt < quarantine && !before.hasAll()) {
            throw new Violation("1: " + command + " was granted anew by a node that has forgotten locks "
                    + (world.now() - forgotAt) / 1_000_000 + " ms ago");
        }
    }
}
