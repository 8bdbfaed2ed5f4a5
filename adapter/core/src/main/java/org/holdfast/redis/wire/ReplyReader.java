// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
    private static final List<String> NOT_ALLOWED = List.of("NOPERM", "WRONGPASS", "NOAUTH");

    private final RedisInputStream in;
    private final UnaryOperator<String> errors;
    private int left;

    /** @param errors removes from a node's error what must not be shown */
    ReplyReader(RedisInputStream in, UnaryOperator<String> errors) {
        this.in = in;
        this.errors = errors;
    }

    /**
     * Returns a Long, bytes, a list of such, or null. Errors inside of a list are elements of it.
     *
     * @throws JedisDataException if the reply is an error
     * @throws JedisConnectionException if it is none, or if it does not come: the connection is of no more use
     */
    @Nullable
    Object read() {
        left = MOST_BYTES;
        Object reply = part(1);
        if (reply instanceof JedisDataException error) {
            throw error;
        }
        return reply;
    }

    private @Nullable Object part(int depth) {
        take(PART_BYTES);
        byte kind = in.readByte();
        return switch (kind) {
            case ':' -> number();
            case '$' -> bytes();
            case '*' -> list(depth);
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
        byte next = in.readByte();
        boolean negative = next == '-';
        if (negative) {
            next = in.readByte();
        }
        long number = 0;
        int digits = 0;
        while (next >= '0' && next <= '9' && digits++ < MOST_DIGITS) {
            number = number * 10 + next - '0';
            next = in.readByte();
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
        byte[] bytes = new byte[length];
        for (int done = 0; done < length; ) {
            done += in.read(bytes, done, length - done);
        }
        requireEndOfLine();
        return bytes;
    }

    private @Nullable List<Object> list(int depth) {
        int length = length();
        if (length < 0) {
            return null;
        }
        if (depth == DEEPEST) {
            throw malformed("it is nested more than " + DEEPEST + " deep");
        }
        List<Object> list = new ArrayList<>(Math.min(length, PART_BYTES));
        for (int i = 0; i < length; i++) {
            list.add(part(depth + 1));
        }
        return list;
    }

    private byte[] line() {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (byte next = in.readByte(); next != '\r'; next = in.readByte()) {
            if (next >= 0 && next < ' ' || line.size() == LONGEST_LINE) { // it may get into a log
                throw malformed("a line has the byte " + next + " in it, or is longer than " + LONGEST_LINE);
            }
            line.write(next);
        }
        requireLineFeed();
        return line.toByteArray();
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
        if (in.readByte() != '\r') {
            throw malformed("a value is longer than it says");
        }
        requireLineFeed();
    }

    private void requireLineFeed() {
        if (in.readByte() != '\n') {
            throw malformed("a line does not end where it should");
        }
    }

    private static JedisConnectionException malformed(String why) {
        return new JedisConnectionException(
                "the node does not speak as Redis does (is the port that of another server?): " + why);
    }
}
