// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** Says what an error of a node means to the operator, and what to do. No advice weakens safety. */
public final class NodeErrors {

    /** The first with users, and with all options that the scripts use. */
    private static final int OLDEST_MAJOR = 6;

    private static final String NEEDS = "Holdfast needs Redis " + OLDEST_MAJOR + ".0 or later";

    private static final List<String> MISDIRECTED = List.of("MOVED ", "ASK ", "TRYAGAIN ", "CLUSTERDOWN ");

    private static final List<String> PASSING = List.of("BUSY ", "LOADING ", "MISCONF ", "MASTERDOWN ");

    private static final String WRONG_TYPE = "WRONGTYPE ";

    private static final Pattern MOVED = Pattern.compile("MOVED (\\d{1,5}) .*");

    private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.[0-9.]{1,20}");

    /** What is read from a node that expects TLS and gets none: an end, or the first byte of an alert. */
    private static final List<String> TLS_PERHAPS =
            List.of("Unexpected end of stream", "Connection reset", "Broken pipe", "begins with the byte 21");

    /** What follows in an error of Redis is what it was sent, cut off somewhere. */
    private static final String ARGUMENTS = ", with args beginning with";

    /** What a node says when it closes a connection that it has just accepted: before it has received a password. */
    private static final List<String> REFUSED_CONNECTIONS = List.of(
            "ERR max number of clients",
            "DENIED Redis is running in protected mode",
            "DENIED Running in protected mode");

    private NodeErrors() {}

    /**
     * Returns what a node said of an error, without what it was sent: one that does not know {@code AUTH}, which can be
     * renamed, repeats the password.
     */
    static String withoutArguments(String error) {
        int arguments = error.indexOf(ARGUMENTS);
        return arguments < 0 ? error : error.substring(0, arguments);
    }

    /** Returns why a node of this version cannot be used; empty if it can, or does not report its version. */
    public static Optional<String> tooOld(@Nullable String version) {
        Matcher known = VERSION.matcher(version == null ? "" : version);
        return known.matches() && Integer.parseInt(known.group(1)) < OLDEST_MAJOR
                ? Optional.of("it is Redis " + version + ", which is too old: " + NEEDS)
                : Optional.empty();
    }

    /** Returns whether a node of a cluster says by an error that it is not the one to ask now. */
    public static boolean isMisdirected(String error) {
        return MISDIRECTED.stream().anyMatch(error::startsWith);
    }

    /**
     * Returns whether a node says by an error that it cannot do much now: a script keeps it from everything else, it
     * loads its data, cannot save them, or is a replica without its primary. Each of these may be its answer to a ping.
     */
    public static boolean isPassing(String error) {
        return PASSING.stream().anyMatch(error::startsWith);
    }

    /** Returns whether an error says that a key is of another type than a command is for, in a script or alone. */
    public static boolean isOfKeys(String error) {
        return error.contains(WRONG_TYPE);
    }

    /** Returns which slot an error says to be on another node; empty if it says something else. */
    public static OptionalInt movedSlot(String error) {
        Matcher moved = MOVED.matcher(error);
        return moved.matches() ? OptionalInt.of(Integer.parseInt(moved.group(1))) : OptionalInt.empty();
    }

    /**
     * Returns why the guard could not inspect a node.
     *
     * @param command the command that the node answered with an error
     * @param error what it answered
     */
    public static String explainLook(String command, String error) {
        if (error.startsWith("NOAUTH")) {
            return "it asks for a password, and its address and the settings have none (password, passwordFile): "
                    + error;
        }
        if (error.startsWith("NOPERM")) {
            return "the guard cannot look at it: allow " + command + " to its user: " + error;
        }
        if (error.contains("cluster support disabled")) {
            return "it is no node of a cluster: give a Redis of its own as redis://host:port: " + error;
        }
        return "the guard cannot look at it, because it does not answer " + command + ": " + error;
    }

    /** Says why a node turned a new connection away. */
    static String explainIntroduction(String error) {
        return error.startsWith("ERR wrong number of arguments for 'auth'")
                ? error + ": a Redis before " + OLDEST_MAJOR + ".0 knows no users; " + NEEDS
                : error;
    }

    /** Says why a connection without TLS may have failed before the node answered. */
    static String explainEndWithoutTls(String error) {
        if (TLS_PERHAPS.stream().noneMatch(error::contains)) {
            return error;
        }
        String sentence = error.endsWith(".") ? error : error + ".";
        return sentence + " The node has answered nothing: if it expects TLS, its address must begin with rediss://";
    }

    /**
     * Reads an answer to an introduction. Jedis takes no notice of an error that answers a name: the reason would be
     * lost, and the next request would fail.
     *
     * @param reply reads the answer
     * @throws JedisConnectionException if the node has refused the connection
     */
    static @Nullable Object readIntroduction(Supplier<@Nullable Object> reply) {
        try {
            return reply.get();
        } catch (JedisDataException e) {
            String error = String.valueOf(e.getMessage());
            throw isOfRefusedConnection(error) ? new JedisConnectionException(error) : e;
        }
    }

    private static boolean isOfRefusedConnection(String error) {
        return REFUSED_CONNECTIONS.stream().anyMatch(error::startsWith);
    }

    /**
     * Returns what a node said that refused a connection; empty if that is not what it said. To write on such a
     * connection fails before anything is read.
     *
     * @param come what the node has sent
     */
    static Optional<IOException> ofRefusedConnection(byte[] come) {
        String said = new String(come, StandardCharsets.UTF_8);
        return REFUSED_CONNECTIONS.stream()
                .filter(refusal -> said.startsWith("-" + refusal))
                .findFirst()
                .map(IOException::new); // no more of it, as it may come from a proxy
    }
}
