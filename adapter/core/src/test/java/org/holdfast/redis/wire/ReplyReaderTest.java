// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.RedisInputStream;

class ReplyReaderTest {

    private static final String LONG = "x".repeat(100_000);

    /** What has come of a stream that does not wait. */
    private static final class Pieces extends InputStream {

        private final Queue<byte[]> come = new ArrayDeque<>();

        @Override
        public int read() {
            throw new UnsupportedOperationException("one byte");
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            byte[] next = come.poll();
            if (next == null) {
                throw new NodeSocket.NothingYetException();
            }
            assertThat(next).hasSizeLessThanOrEqualTo(length);
            System.arraycopy(next, 0, bytes, offset, next.length);
            return next.length;
        }
    }

    private final Pieces pieces = new Pieces();
    private final ReplyReader reader = new ReplyReader(new RedisInputStream(pieces), said -> said);

    private void comes(String piece) {
        pieces.come.add(piece.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(Object reply) {
        if (reply instanceof byte[] bytes) {
            return "'" + new String(bytes, StandardCharsets.UTF_8) + "'";
        }
        if (reply instanceof List<?> list) {
            return list.stream().map(ReplyReaderTest::text).toList().toString();
        }
        return reply instanceof JedisDataException error ? "error " + error.getMessage() : String.valueOf(reply);
    }

    private static Stream<String> replies() {
        return Stream.of(
                ":-12\r\n",
                "+OK\r\n",
                "$3\r\nabc\r\n",
                "$0\r\n\r\n",
                "$-1\r\n",
                "*-1\r\n",
                "*0\r\n",
                "*3\r\n:1\r\n$5\r\na\r\nbc\r\n-ERR no\r\n",
                "*2\r\n*2\r\n:1\r\n*0\r\n*1\r\n*1\r\n$-1\r\n",
                "$" + LONG.length() + "\r\n" + LONG + "\r\n",
                "*2\r\n$" + LONG.length() + "\r\n" + LONG + "\r\n:7\r\n");
    }

    /** Whatever the network makes of two replies, each is the same, and nothing is waited for between the pieces. */
    @ParameterizedTest
    @MethodSource("replies")
    void reply_inPieces_isThatOfTheWhole(String reply) {
        byte[] twice = (reply + reply).getBytes(StandardCharsets.UTF_8);
        Object whole = ReplyFuzz.read(reply.getBytes(StandardCharsets.UTF_8));
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            List<String> read = new ArrayList<>();
            for (int at = 0; at < twice.length; ) {
                int most = twice.length > 1_000 ? 8_192 : 4;
                int to = Math.min(twice.length, at + 1 + random.nextInt(most));
                pieces.come.add(Arrays.copyOfRange(twice, at, to));
                at = to;
                Object next = reader.read();
                while (next != ReplyReader.INCOMPLETE) {
                    read.add(text(next));
                    next = reader.read();
                }
            }
            assertThat(read).as("with seed " + seed).containsExactly(text(whole), text(whole));
            assertThat(reader.hasMore()).isFalse();
        }
    }

    @Test
    void error_inPieces_isThrownWhenItIsWhole_andTheNextReplyIsRead() {
        comes("-ERR so");
        assertThat(reader.read()).isSameAs(ReplyReader.INCOMPLETE);
        comes(" it is\r\n:1\r");
        assertThatExceptionOfType(JedisDataException.class)
                .isThrownBy(reader::read)
                .withMessage("ERR so it is");
        assertThat(reader.hasMore()).isTrue();
        assertThat(reader.read()).isSameAs(ReplyReader.INCOMPLETE);
        comes("\n");
        assertThat(reader.read()).isEqualTo(1L);
    }

    /** A stranger that sends no line may keep the connection open. */
    @ParameterizedTest
    @ValueSource(strings = {"H", "\n", "\r", "+a\nb", ":1a\r\n", "$9999999999", "$17000000\r\n", "*1\r\n!", "+a\rb"})
    void whatIsNoReply_isRefusedBeforeMoreComes(String bytes) {
        comes(bytes.equals("$9999999999") ? bytes + "\r\n" : bytes);
        assertThatExceptionOfType(JedisConnectionException.class)
                .isThrownBy(reader::read)
                .withMessageStartingWith("the node does not speak as Redis does");
    }

    @Test
    void lineWithoutAnEnd_isRefused_andNotKept() {
        comes("+");
        for (int i = 0; i < 8; i++) {
            comes("y".repeat(1_024));
        }
        assertThat(reader.read()).isSameAs(ReplyReader.INCOMPLETE);
        comes("yy");
        assertThatExceptionOfType(JedisConnectionException.class)
                .isThrownBy(reader::read)
                .withMessageContaining("longer than 8192");
    }

    @Test
    void replyOfMoreThanItMayBe_isRefusedInPieces() {
        ByteArrayOutputStream part = new ByteArrayOutputStream();
        part.writeBytes("$8000\r\n".getBytes(StandardCharsets.UTF_8));
        part.writeBytes(new byte[8_000]);
        part.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
        comes("*100000\r\n");
        int parts = 0;
        JedisConnectionException refused = null;
        while (refused == null && parts < 3_000) {
            pieces.come.add(part.toByteArray());
            parts++;
            try {
                assertThat(reader.read()).isSameAs(ReplyReader.INCOMPLETE);
            } catch (JedisConnectionException e) {
                refused = e;
            }
        }
        assertThat(refused).hasMessageContaining("more than 16777216 bytes");
        assertThat(parts).isBetween(2_000, 2_100);
    }
}
