// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The scripts that nodes run. Each is a resource of its own, whose header lists its keys, arguments and replies. */
public enum LockScript {
    ACQUIRE("time.lua", "acquire_free.lua", "quarantine.lua", "lock.lua", "ended.lua", "acquire.lua", "granted.lua"),
    ACQUIRE_IN_TURN(
            "time.lua", "quarantine.lua", "lock.lua", "ended.lua", "queue.lua", "acquire.lua", "granted_in_turn.lua"),
    RENEW(
            "time.lua",
            "publish.lua",
            "quarantine.lua",
            "lock.lua",
            "ended.lua",
            "fence.lua",
            "renew.lua",
            "renew_one.lua"),
    RENEW_MANY("time.lua", "quarantine.lua", "lock.lua", "ended.lua", "fence.lua", "renew.lua", "renew_many.lua"),
    RELEASE("publish.lua", "release_held.lua", "lock.lua", "fence.lua", "release.lua"),
    ACQUIRE_READING(
            "time.lua",
            "quarantine.lua",
            "lock.lua",
            "ended.lua",
            "fence.lua",
            "readers.lua",
            "queue.lua",
            "acquire_reading.lua",
            "join_reading.lua"),
    RENEW_READING(
            "time.lua",
            "publish.lua",
            "quarantine.lua",
            "lock.lua",
            "ended.lua",
            "fence.lua",
            "readers.lua",
            "renew_reading.lua",
            "join_reading.lua"),
    RELEASE_READING("time.lua", "publish.lua", "lock.lua", "fence.lua", "readers.lua", "release_reading.lua"),
    FIND_PERMIT("time.lua", "lock.lua", "find_permit.lua"),
    INSPECT("time.lua", "lock.lua", "holders.lua", "inspect.lua"),
    FORCE_RELEASE("time.lua", "publish.lua", "lock.lua", "fence.lua", "holders.lua", "force_release.lua"),
    REFRESH("refresh.lua"),
    LEAVE("publish.lua", "leave.lua"),
    USE_LATCH("time.lua", "publish.lua", "use_latch.lua"),
    CHECK("time.lua", "check.lua"),
    MARK("mark.lua"),
    ACQUIRE_ONE(
            "time.lua", "acquire_free.lua", "quarantine.lua", "lock.lua", "ended.lua", "acquire.lua", "granted.lua"),
    RELEASE_ONE("publish.lua", "release_held.lua", "lock.lua", "fence.lua", "release.lua"),
    ACQUIRE_BEHIND_PROXY(ACQUIRE),
    ACQUIRE_IN_TURN_BEHIND_PROXY(ACQUIRE_IN_TURN),
    RENEW_BEHIND_PROXY(RENEW),
    RENEW_MANY_BEHIND_PROXY(RENEW_MANY),
    ACQUIRE_READING_BEHIND_PROXY(ACQUIRE_READING),
    RENEW_READING_BEHIND_PROXY(RENEW_READING),
    ACQUIRE_IN_SHARD(ACQUIRE, Prelude.MARK),
    ACQUIRE_IN_TURN_IN_SHARD(ACQUIRE_IN_TURN, Prelude.MARK),
    RENEW_IN_SHARD(RENEW, Prelude.MARK),
    ACQUIRE_READING_IN_SHARD(ACQUIRE_READING, Prelude.MARK),
    RENEW_READING_IN_SHARD(RENEW_READING, Prelude.MARK),
    ACQUIRE_IN_SHARD_BEHIND_PROXY(ACQUIRE, Prelude.MARK_BEHIND_PROXY),
    ACQUIRE_IN_TURN_IN_SHARD_BEHIND_PROXY(ACQUIRE_IN_TURN, Prelude.MARK_BEHIND_PROXY),
    RENEW_IN_SHARD_BEHIND_PROXY(RENEW, Prelude.MARK_BEHIND_PROXY),
    ACQUIRE_READING_IN_SHARD_BEHIND_PROXY(ACQUIRE_READING, Prelude.MARK_BEHIND_PROXY),
    RENEW_READING_IN_SHARD_BEHIND_PROXY(RENEW_READING, Prelude.MARK_BEHIND_PROXY),
    RELEASE_IN_SHARD(RELEASE, Prelude.HEARTBEAT),
    RELEASE_READING_IN_SHARD(RELEASE_READING, Prelude.HEARTBEAT),
    FIND_PERMIT_IN_SHARD(FIND_PERMIT, Prelude.HEARTBEAT),
    INSPECT_IN_SHARD(INSPECT, Prelude.LOOK),
    FORCE_RELEASE_IN_SHARD(FORCE_RELEASE, Prelude.LOOK),
    LEAVE_IN_SHARD(LEAVE, Prelude.NOTHING),
    USE_LATCH_IN_SHARD(USE_LATCH, Prelude.NOTHING),
    SLOTS("slots.lua"),
    DOOR("door.lua"),
    HOW_PUBLISHED("shard_publish.lua", "how_published.lua");

    private static final String FOLDER = "/org/holdfast/redis/";

    /** How Redis says where in a script an error came. */
    private static final Pattern LINE = Pattern.compile("user_script: ?(\\d{1,4})");

    /** What Redis has said, from 6.0 to 8.0, where the user may not do what a script does. */
    private static final Pattern REFUSAL = Pattern.compile(
            "NOPERM|ACL failure|can't (?:run this command|publish to the channel|access at least one of the keys)");

    private static final String RIGHTS = ": grant its user the commands of docs/operations.md";

    private static final String CLOCK = "time.lua";
    private static final String PROCESS = "process.lua";

    /** Compares the process of the mark with the one that the client has seen on its connection, and does not ask. */
    private static final String PROCESS_OF_MARK = "shard_process.lua";

    /** How a script finds, in a cluster, what its node knows of itself. */
    enum Prelude {

        /** The birth mark as well: it relies on what the node remembers. */
        MARK,

        /** The same where a connection does not show which process runs the script. */
        MARK_BEHIND_PROXY,

        /** Only the heartbeat, as a key. */
        HEARTBEAT("shard_heartbeat.lua"),

        /** It reads the heartbeat itself. */
        LOOK("shard_look.lua"),

        /** Nothing of that. */
        NOTHING;

        /** What comes first. */
        private final List<String> first;

        Prelude(String... first) {
            this.first = List.of(first);
        }

        boolean hasMark() {
            return this == MARK || this == MARK_BEHIND_PROXY;
        }
    }

    private static final String QUARANTINE = "quarantine.lua";
    private static final String PUBLISH = "publish.lua";

    private final List<String> resources;
    private final ScriptText text;

    /** @param resources the parts of which the script is made, one after another */
    LockScript(String... resources) {
        this.resources = List.of(resources);
        this.text = ScriptText.of(load(resources));
    }

    /** The script that asks besides which process runs it, as soon as it knows the clock. */
    LockScript(LockScript usual) {
        this(Stream.concat(Stream.of(CLOCK, PROCESS), usual.resources.stream().skip(1))
                .toArray(String[]::new));
    }

    /** The script that runs on a shard of a cluster. */
    LockScript(LockScript usual, Prelude prelude) {
        this(inShard(usual.resources, prelude));
    }

    private static String[] inShard(List<String> usual, Prelude prelude) {
        return Stream.concat(prelude.first.stream(), usual.stream().flatMap(part -> inShard(part, prelude)))
                .toArray(String[]::new);
    }

    private static Stream<String> inShard(String part, Prelude prelude) {
        if (part.equals(PUBLISH)) {
            return Stream.of("shard_publish.lua");
        }
        if (prelude.hasMark() && part.equals(CLOCK)) {
            return Stream.of(CLOCK, "shard.lua", prelude == Prelude.MARK ? PROCESS_OF_MARK : PROCESS);
        }
        return prelude.hasMark() && part.equals(QUARANTINE)
                ? Stream.of(QUARANTINE, "shard_whole.lua")
                : Stream.of(part);
    }

    public byte[] source() {
        return text.source();
    }

    ScriptText text() {
        return text;
    }

    /**
     * Returns the script that asks besides which process runs it: a connection that goes through a proxy does not show
     * that. It is this one if the script relies on nothing that a process may have forgotten.
     */
    LockScript behindProxy() {
        return switch (this) {
            case ACQUIRE -> ACQUIRE_BEHIND_PROXY;
            case ACQUIRE_IN_TURN -> ACQUIRE_IN_TURN_BEHIND_PROXY;
            case RENEW -> RENEW_BEHIND_PROXY;
            case RENEW_MANY -> RENEW_MANY_BEHIND_PROXY;
            case ACQUIRE_READING -> ACQUIRE_READING_BEHIND_PROXY;
            case RENEW_READING -> RENEW_READING_BEHIND_PROXY;
            case ACQUIRE_IN_SHARD -> ACQUIRE_IN_SHARD_BEHIND_PROXY;
            case ACQUIRE_IN_TURN_IN_SHARD -> ACQUIRE_IN_TURN_IN_SHARD_BEHIND_PROXY;
            case RENEW_IN_SHARD -> RENEW_IN_SHARD_BEHIND_PROXY;
            case ACQUIRE_READING_IN_SHARD -> ACQUIRE_READING_IN_SHARD_BEHIND_PROXY;
            case RENEW_READING_IN_SHARD -> RENEW_READING_IN_SHARD_BEHIND_PROXY;
            default -> this;
        };
    }

    /** Returns the same script for calls without words that are the same in each, see {@link ShortCalls}. */
    LockScript shortened() {
        return switch (this) {
            case ACQUIRE -> ACQUIRE_ONE;
            case RELEASE -> RELEASE_ONE;
            default -> this;
        };
    }

    /** Returns whether its calls are without such words. */
    boolean isShort() {
        return this == ACQUIRE_ONE || this == RELEASE_ONE;
    }

    /**
     * Returns the script that runs on a shard of a cluster. It is this one if it uses nothing but keys of one slot, and
     * publishes nothing.
     */
    LockScript inShard() {
        return switch (this) {
            case ACQUIRE -> ACQUIRE_IN_SHARD;
            case ACQUIRE_IN_TURN -> ACQUIRE_IN_TURN_IN_SHARD;
            case RENEW -> RENEW_IN_SHARD;
            case ACQUIRE_READING -> ACQUIRE_READING_IN_SHARD;
            case RENEW_READING -> RENEW_READING_IN_SHARD;
            case RELEASE -> RELEASE_IN_SHARD;
            case RELEASE_READING -> RELEASE_READING_IN_SHARD;
            case FIND_PERMIT -> FIND_PERMIT_IN_SHARD;
            case INSPECT -> INSPECT_IN_SHARD;
            case FORCE_RELEASE -> FORCE_RELEASE_IN_SHARD;
            case LEAVE -> LEAVE_IN_SHARD;
            case USE_LATCH -> USE_LATCH_IN_SHARD;
            default -> this;
        };
    }

    /** Returns whether it compares a process with the one that the client has seen on its connection. */
    boolean comparesProcess() {
        return resources.contains(PROCESS) || resources.contains(PROCESS_OF_MARK);
    }

    /** Returns how it finds what its node knows of itself; null if it does not, or is not run on a shard. */
    @Nullable
    Prelude prelude() {
        return switch (this) {
            case ACQUIRE_IN_SHARD,
                    ACQUIRE_IN_TURN_IN_SHARD,
                    RENEW_IN_SHARD,
                    ACQUIRE_READING_IN_SHARD,
                    RENEW_READING_IN_SHARD -> Prelude.MARK;
            case ACQUIRE_IN_SHARD_BEHIND_PROXY,
                    ACQUIRE_IN_TURN_IN_SHARD_BEHIND_PROXY,
                    RENEW_IN_SHARD_BEHIND_PROXY,
                    ACQUIRE_READING_IN_SHARD_BEHIND_PROXY,
                    RENEW_READING_IN_SHARD_BEHIND_PROXY -> Prelude.MARK_BEHIND_PROXY;
            case RELEASE_IN_SHARD, RELEASE_READING_IN_SHARD, FIND_PERMIT_IN_SHARD -> Prelude.HEARTBEAT;
            case INSPECT_IN_SHARD, FORCE_RELEASE_IN_SHARD -> Prelude.LOOK;
            default -> null;
        };
    }

    /**
     * Returns what a node said of an error in the script, with the line in which it came: not every Redis names the
     * command.
     */
    public String explain(String error) {
        Matcher place = LINE.matcher(error);
        String more = isRefusal(error) ? RIGHTS : "";
        return (place.find() ? error + ", in: " + line(Long.parseLong(place.group(1))) : error) + more;
    }

    /** Returns whether a node says by an error that its user may not do what it was asked to, or what a script does. */
    public static boolean isRefusal(String error) {
        return REFUSAL.matcher(error).find();
    }

    private String line(long number) {
        return new String(text.source(), StandardCharsets.UTF_8)
                .lines()
                .skip(Math.max(0, number - 1))
                .findFirst()
                .map(String::strip)
                .orElse("a line that is not there");
    }

    private static byte[] load(String... resources) {
        ByteArrayOutputStream source = new ByteArrayOutputStream();
        for (String resource : resources) {
            source.writeBytes(load(resource));
        }
        return source.toByteArray();
    }

    private static byte[] load(String resource) {
        try (InputStream in = LockScript.class.getResourceAsStream(FOLDER + resource)) {
            if (in == null) {
                throw new IllegalStateException("resource " + resource + " is missing");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
