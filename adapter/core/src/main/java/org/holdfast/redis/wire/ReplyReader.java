// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.util.RedisInputStream;

/**
 * Reads replies of a node, in the second version of Redis' protocol, and believes nothing that it says of itself.
 *
 * <p>Jedis gives a reply the memory that it asks for, nests as deeply as it says, and takes whatever stands in the
 * place of a digit for one. A node that is not what it should be could end a server that way, or even seem to grant a
 * lock. Here a reply is of bounded size and depth and exactly of the form that the protocol has, or it is an error.
 *
 * <p>A reply may come in pieces. What has come of it is kept, and each part of it is parsed when all of that part is
 * there: so a thread that must not wait for the rest comes again later.
 *
 * <p>For one connection, and one thread at a time.
 *
 * @see <a href="https://redis.io/docs/latest/develop/reference/protocol-spec/">Redis serialization protocol</a>
 */
final class ReplyReader {

    /** The largest that we ask for: all readers of a lock, with the details of each. */
    private static final int MOST_BYTES = 16 * 1024 * 1024;

    /** So many are taken for each part of a reply, however short it is. */
    private static final int PART_BYTES = 16;

    private static final int LONGEST_LINE = 8_192;
    private static final int DEEPEST = 8;
    private static final int MOST_DIGITS = 18; // these always fit
    private static final String KINDS = ":$*+-";
    private static final List<String> NOT_ALLOWED = List.of("NOPERM", "WRONGPASS", "NOAUTH");

    /** In the place of a reply that has not come, or not as a whole. */
    static final Object INCOMPLETE = new Object();

    /** In the place of a part that is a list, whose own parts follow. */
    private static final Object LIST = new Object();

    private final Incoming in;
    private final UnaryOperator<String> errors;

    /** The lists that are not complete, the outermost first. */
    private final ArrayDeque<OpenList> open = new ArrayDeque<>(DEEPEST);

    private int left = MOST_BYTES;

    /** A list, and of how many parts it is to be. */
    private record OpenList(List<@Nullable Object> parts, int length) {

        boolean isComplete() {
            return parts.size() == length;
        }
    }

    /** @param errors removes from a node's error what must not be shown */
    ReplyReader(RedisInputStream in, UnaryOperator<String> errors) {
        this.in = new Incoming(in);
        this.errors = errors;
    }

    /** Returns whether more than the replies that were read has come already: a selector does not know of that. */
    boolean hasMore() {
        return in.hasMore();
    }

    /**
     * Returns a Long, bytes, a list of such, or null. Errors inside of a list are elements of it. {@link #INCOMPLETE}
     * if the stream does not wait, and something is missing: what has come is not lost.
     *
     * @throws JedisDataException if the reply is an error
     * @throws JedisConnectionException if it is none, or if it does not come: the connection is of no more use
     */
    @Nullable
    Object read() {
        while (in.hasPart(left)) {
            Object part = part();
            if (part != LIST && closes(part)) {
                return whole(part);
            }
        }
        return INCOMPLETE;
    }

    /** Adds a part to the innermost list, and each list that is complete to the one around it. */
    private boolean closes(@Nullable Object part) {
        Object complete = part;
        while (!open.isEmpty()) {
            OpenList innermost = open.getLast();
            innermost.parts().add(complete);
            if (!innermost.isComplete() || open.size() == 1) {
                return innermost.isComplete();
            }
            complete = open.removeLast().parts();
        }
        return true;
    }

    private @Nullable Object whole(@Nullable Object lastPart) {
        Object reply = open.isEmpty() ? lastPart : open.removeLast().parts();
        left = MOST_BYTES;
        in.shrink();
        if (reply instanceof JedisDataException error) {
            throw error;
        }
        return reply;
    }

    private @Nullable Object part() {
        take(PART_BYTES);
        byte kind = in.next();
        return switch (kind) {
            case ':' -> number();
            case '$' -> bytes();
            case '*' -> list();
            case '+' -> line();
            case '-' -> error(new String(line(), StandardCharsets.UTF_8));
            default -> throw malformed("it begins with the byte " + kind);
        };
    }

    private void take(int bytes) {
        left -= bytes;
        if (left < 0) {
            throw malformed("it has more than " + MOST_BYTES + " bytes");
        }
    }

    private long number() {
        byte next = in.next();
        boolean negative = next == '-';
        if (negative) {
            next = in.next();
        }
        long number = 0;
        int digits = 0;
        while (next >= '0' && next <= '9' && digits++ < MOST_DIGITS) {
            number = number * 10 + next - '0';
            next = in.next();
        }
        if (digits == 0 || next != '\r') {
            throw malformed("a number has the byte " + next + " in it, or too many digits, or none");
        }
        requireLineFeed();
        return negative ? -number : number;
    }

    /** Returns what stands for a length; -1 says that there is nothing. */
    private int length() {
        long length = number();
        if (length < -1 || length > MOST_BYTES) {
            throw malformed("a length is " + length);
        }
        return (int) length;
    }

    private byte @Nullable [] bytes() {
        int length = length();
        if (length < 0) {
            return null;
        }
        take(length);
        byte[] bytes = in.next(length);
        requireEndOfLine();
        return bytes;
    }

    private @Nullable Object list() {
        int length = length();
        if (length < 0) {
            return null;
        }
        if (open.size() == DEEPEST - 1) {
            throw malformed("it is nested more than " + DEEPEST + " deep");
        }
        List<@Nullable Object> parts = new ArrayList<>(Math.min(length, PART_BYTES));
        if (length == 0) {
            return parts;
        }
        open.addLast(new OpenList(parts, length));
        return LIST;
    }

    private byte[] line() {
        int length = in.lineLength();
        if (length > LONGEST_LINE) {
            throw malformed("a line is longer than " + LONGEST_LINE);
        }
        byte[] line = in.next(length);
        requireEndOfLine();
        return line;
    }

    private JedisDataException error(String said) {
        String message = errors.apply(said);
        String code = message.split(" ", 2)[0];
        if (code.equals("NOSCRIPT")) {
            return new JedisNoScriptException(message);
        }
        return NOT_ALLOWED.contains(code) ? new JedisAccessControlException(message) : new JedisDataException(message);
    }

    private void requireEndOfLine() {
        if (in.next() != '\r') {
            throw malformed("a line has a byte in it that it may not have, or a value is longer than it says");
        }
        requireLineFeed();
    }

    private void requireLineFeed() {
        if (in.next() != '\n') {
            throw malformed("a line does not end where it should");
        }
    }

    private static JedisConnectionException malformed(String why) {
        return new JedisConnectionException(
                "the node does not speak as Redis does (is the port that of another server?): " + why);
    }

    /** What has come and is not parsed. */
    private static final class Incoming {

        private static final int USUAL_BYTES = 512;
        private static final int MOST_KEPT = 65_536;

        private final RedisInputStream source;
        private byte[] bytes = new byte[USUAL_BYTES];
        private int from;
        private int to;

        Incoming(RedisInputStream source) {
            this.source = source;
        }

        boolean hasMore() {
            try {
                return from < to || source.available() > 0;
            } catch (IOException e) {
                return false;
            }
        }

        byte next() {
            if (from == to) {
                throw malformed("it ends in the midst of a part");
            }
            return bytes[from++];
        }

        byte[] next(int length) {
            byte[] next = Arrays.copyOfRange(bytes, from, from + length);
            from += length;
            return next;
        }

        /** Returns how many bytes come before what no line has in it. */
        int lineLength() {
            int at = from;
            while (at < to && isOfLine(bytes[at])) {
                at++;
            }
            return at - from;
        }

        private static boolean isOfLine(byte b) {
            return b < 0 || b >= ' '; // it may get into a log
        }

        /**
         * Returns whether the next part is here, or what cannot be one; reads what is missing, unless the stream does
         * not wait for it.
         *
         * @param most so long may it be
         */
        boolean hasPart(int most) {
            while (!isPart(most)) {
                if (!fill()) {
                    return false;
                }
            }
            return true;
        }

        private boolean isPart(int most) {
            if (from < to && KINDS.indexOf(bytes[from]) < 0) {
                return true;
            }
            int end = from + lineLength();
            if (end == to) {
                return to - from > LONGEST_LINE + 1;
            }
            boolean isOne = bytes[end] == '\r' && end > from;
            return !isOne || end + 2 <= to && (bytes[from] != '$' || hasValue(end, most));
        }

        /** Returns whether the bytes are here whose number a line says, or that line says something else. */
        private boolean hasValue(int end, int most) {
            long length = 0;
            for (int i = from + 1; i < end && length <= most; i++) {
                if (bytes[i] < '0' || bytes[i] > '9') {
                    return true;
                }
                length = length * 10 + bytes[i] - '0';
            }
            return length > most || to - end - 4 >= length;
        }

        private boolean fill() {
            if (from > 0) {
                System.arraycopy(bytes, from, bytes, 0, to - from);
                to -= from;
                from = 0;
            }
            if (to == bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * to);
            }
            try {
                to += source.read(bytes, to, bytes.length - to);
                return true;
            } catch (JedisConnectionException e) {
                if (e.getCause() instanceof NodeSocket.NothingYetException) {
                    return false;
                }
                throw e;
            }
        }

        /** A reply was read: what a long one needed is not kept. */
        void shrink() {
            if (from == to && bytes.length > MOST_KEPT) {
                bytes = new byte[USUAL_BYTES];
                from = 0;
                to = 0;
            }
        }
    }
}
