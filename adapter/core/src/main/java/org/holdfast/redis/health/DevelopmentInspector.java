// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.wire.NodeConnection;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Inspects one node for {@code guard=DEVELOPMENT}, which trusts its memory, and leaves nodes to processes that guard
 * them.
 *
 * <p>Such processes look once a second, and leave a heartbeat. It goes with the memory of the node, and that is just
 * when their locks must not be taken. So a heartbeat that was seen is believed for as long as it would have lasted; and
 * a process that was started a moment ago, or holds the memory of another one, is watched until they have had time to
 * leave theirs.
 *
 * <p>Safe for use by any number of threads, each with a connection of its own.
 */
final class DevelopmentInspector {

    /** For so long a Redis process is watched that may have been used under guard just before. */
    private static final Duration WATCH = Duration.ofSeconds(3);

    /** As Redis counts, which may be a second more than it is. */
    private static final int YOUNG_SECONDS = (int) WATCH.toSeconds() + 1;

    /** What PTTL returns where there is no key. */
    private static final long NO_KEY = -2;

    private final String heartbeatKey;
    private final String markKey;
    private final Time time;

    /** When the heartbeat that was seen last would have ended; null if none was seen. */
    private volatile @Nullable Long guardedUntil;

    private volatile @Nullable Trust trust;

    /** From when on a Redis process is used, unless others guard it. */
    private record Trust(String runId, long from) {}

    DevelopmentInspector(ScriptCodec codec, Time time) {
        this.heartbeatKey = codec.keys().own().heartbeat();
        this.markKey = codec.keys().own().mark();
        this.time = time;
    }

    /**
     * Inspects the node. One round trip.
     *
     * @return that it votes, and which process it is
     * @throws NodeRefusedException if other processes guard the node, or may do so
     * @throws JedisException if it does not answer
     */
    Admission inspect(NodeConnection connection) {
        connection.sendCommand(new CommandArguments(Command.INFO).add("server"));
        connection.sendCommand(new CommandArguments(Command.PTTL).add(bytes(heartbeatKey)));
        connection.sendCommand(new CommandArguments(Command.GET).add(bytes(markKey)));
        List<Object> replies = connection.getMany(3);
        Map<String, String> info = InspectionDecoder.info(replies.get(0));
        String runId = InspectionDecoder.runId(info);
        requireNoHeartbeat(replies.get(1));
        requireNotNew(runId, info, replies.get(2));
        return new Admission(runId, 0, "");
    }

    private void requireNoHeartbeat(Object reply) {
        if (!(InspectionDecoder.requiredReply(reply, "PTTL") instanceof Long left)) {
            throw new JedisConnectionException("PTTL returned no number");
        }
        long now = time.nanoTime();
        if (left != NO_KEY) {
            guardedUntil = now + TimeUnit.MILLISECONDS.toNanos(Math.max(0, left));
            throw new NodeRefusedException("other processes use it with guard=QUARANTINE, and guard=DEVELOPMENT is for"
                    + " nodes of one's own: take other nodes or another keyPrefix, or set guard=QUARANTINE (the key '"
                    + heartbeatKey + "' expires after the last of them has ended)");
        }
        Long until = guardedUntil;
        if (until != null && until - now > 0) {
            throw new NodeRefusedException("other processes have used it with guard=QUARANTINE until it was restarted,"
                    + " emptied or replaced: guard=DEVELOPMENT leaves it to them for another "
                    + TimeUnit.NANOSECONDS.toMillis(until - now) + " ms");
        }
    }

    private void requireNotNew(String runId, Map<String, String> info, Object mark) {
        Trust known = trust;
        long now = time.nanoTime();
        if (known == null || !known.runId().equals(runId)) {
            boolean watched = isYoung(info) || isMemoryOfAnother(runId, mark);
            known = new Trust(runId, watched ? now + WATCH.toNanos() : now);
            trust = known;
        }
        Duration left = Duration.ofNanos(known.from() - now);
        if (left.compareTo(Duration.ZERO) > 0) {
            throw new NodeRefusedException(
                    "it was started or restored just now: guard=DEVELOPMENT waits for another " + left.toMillis()
                            + " ms whether processes with guard=QUARANTINE use it",
                    left);
        }
    }

    private static boolean isYoung(Map<String, String> info) {
        return InspectionDecoder.number(info.getOrDefault("uptime_in_seconds", "0")) < YOUNG_SECONDS;
    }

    /** It may have loaded a file that is older than the last heartbeat. */
    private static boolean isMemoryOfAnother(String runId, Object reply) {
        return InspectionDecoder.requiredReply(reply, "GET") instanceof byte[] text
                && BirthMark.parse(InspectionDecoder.text(text))
                        .filter(mark -> mark.process().runId().equals(runId))
                        .isEmpty();
    }

    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }
}
